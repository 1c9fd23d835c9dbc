// Bursts: photos at a steady pace while the shutter is held.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation

/// Takes photos of different frames, one after another, until the shutter is released.
///
///     let press = burst.pressBegan()      // nil: it can't become a burst, and counts at once
///     if !burst.pressEnded(press) { camera.pressShutter(at: time) }
///
/// A burst never has more than `mostWaiting` photos on their way to the disk: where that can't keep up the pace becomes
/// slower, and the burst ends when nothing moves at all.
@MainActor @Observable
public final class BurstModel {
  /// A press of the shutter by one finger or key, until it is released. Several may overlap.
  public struct Press: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  /// The time for which the shutter is held before a burst begins.
  public nonisolated static let threshold = Duration.milliseconds(400)
  /// The least time from one photo to the next.
  public nonisolated static let pace = TimeSpan.milliseconds(100)
  /// The most photos of one burst: ten seconds.
  public nonisolated static let most = 100

  private static func limitText(_ most: Int) -> String {
    localized("A burst has at most \(most) photo.", plural: "A burst has at most \(most) photos.", count: most)
  }

  /// The most photos that may be on their way to the disk.
  nonisolated static let mostWaiting = 8
  /// The number of photos in a row that may be left out before the burst ends.
  nonisolated static let patience = 30

  /// The photos of the burst that is being taken; `nil` while there is none.
  public private(set) var count: Int?

  /// Whether a burst is being taken.
  public var isRunning: Bool { count != nil }

  /// The reason why the last burst ended by itself, which is posted as well; `nil` where it was ended or complete, or
  /// where the reason is known otherwise: the camera was lost, or a photo failed.
  @ObservationIgnored public private(set) var endReason: String?

  /// Finds the faces by which the best shot of a burst is chosen; `nil` compares whole pictures.
  @ObservationIgnored public var detector: (any FaceDetecting)?

  /// Takes one photo of a burst; `nil` when no camera runs, which has been said.
  @ObservationIgnored var take: ((_ id: String) -> PhotoCapture?)?
  /// Whether a burst can be taken now.
  @ObservationIgnored var isPossible: () -> Bool = { false }
  /// Why a shutter that is held takes no burst, where that can be changed; `nil` where nobody expects one.
  @ObservationIgnored var obstacle: () -> String? = { nil }
  /// The camera's frame rate; `nil` when none runs.
  @ObservationIgnored var rate: () -> FrameRate? = { nil }
  /// The load on the computer.
  @ObservationIgnored var pressure: () -> SystemPressure = { SystemPressure() }
  /// Called when a burst begins, and when it has ended.
  @ObservationIgnored var changed: ((_ isRunning: Bool) -> Void)?
  /// Called when the last photo of a burst has been requested.
  @ObservationIgnored var ended: ((_ id: String) -> Void)?

  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var waitingForThreshold: Task<Void, Never>?
  @ObservationIgnored private var running: Task<Void, Never>?
  @ObservationIgnored private var pressCount: UInt64 = 0
  /// The presses that go on, and whether each is used up: it has become a burst, has ended one, or was canceled.
  @ObservationIgnored private var presses: [Press: Bool] = [:]
  /// Counts the bursts: what is late must not end the next one.
  @ObservationIgnored private var generation = 0
  /// The id of the burst that is being taken.
  @ObservationIgnored private var id = ""
  /// Whether the burst lasts as long as the shutter is held.
  @ObservationIgnored private var isHeld = false
  @ObservationIgnored private var waiting = 0
  @ObservationIgnored private var shots: [PhotoCapture] = []

  /// - Parameter clock: Measures the press and the pace.
  init(messages: MessageModel, clock: any Clock<Duration>) { (self.messages, self.clock) = (messages, clock) }

  // MARK: The press

  /// The shutter is pressed. When it is still held after `threshold`, a burst begins. A press while a burst runs ends it, and
  /// is nothing else. Where an option is in the way of a burst, that is said once the shutter is held.
  ///
  /// - Returns: The press where it may become a burst or has ended one: then it counts when it ends. Otherwise `nil`.
  public func pressBegan() -> Press? {
    guard isRunning || isPossible() else {
      if let obstacle = obstacle() { whenHeld { [messages] in messages.post(obstacle) } }
      return nil
    }
    pressCount += 1
    let press = Press(number: pressCount)
    if isRunning {
      stop()
      presses[press] = true
      return press
    }
    presses[press] = false
    whenHeld { [weak self] in
      guard let self, isPossible(), presses[press] == false else { return }
      // All that are held become this burst.
      usePresses()
      begin(most: Self.most, isHeld: true)
    }
    return press
  }

  /// Does something when no press has ended by the threshold.
  private func whenHeld(_ act: @escaping @MainActor () -> Void) {
    waitingForThreshold?.cancel()
    waitingForThreshold = Task { [weak self, clock] in
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(for: Self.threshold) } catch { return }
      guard !Task.isCancelled, let self else { return }
      waitingForThreshold = nil
      act()
    }
  }

  /// The shutter was released. Ends the burst.
  ///
  /// - Parameter press: From `pressBegan`; `nil` is no burst.
  /// - Returns: Whether the press was a burst or is over, and is no press of the shutter anymore.
  public func pressEnded(_ press: Press?) -> Bool {
    waitingForThreshold?.cancel()
    waitingForThreshold = nil
    guard let press, let isUsed = presses.removeValue(forKey: press), isUsed else { return false }
    if isHeld { end(generation) }
    return true
  }

  /// Ends the burst, whoever holds the shutter. The presses that go on take nothing anymore.
  public func stop() {
    waitingForThreshold?.cancel()
    waitingForThreshold = nil
    usePresses()
    end(generation)
  }

  private func usePresses() { presses = presses.mapValues { _ in true } }

  // MARK: The burst

  /// Takes a burst of so many photos, without a press.
  ///
  /// - Returns: Its photos, in order: fewer where it ended early, which has been said.
  public func take(_ count: Int) async -> [PhotoCapture] {
    guard !isRunning else { return [] }
    begin(most: count, isHeld: false)
    let task = running
    await withTaskCancellationHandler {
      await task?.value
    } onCancel: {
      task?.cancel()
    }
    defer { shots = [] }
    return shots
  }

  private func begin(most: Int, isHeld: Bool) {
    generation += 1
    let mine = generation
    count = 0
    self.isHeld = isHeld
    shots = []
    endReason = nil
    id = UUID().uuidString.lowercased()
    let frame = rate().map { TimeSpan.seconds(1 / max(0.1, $0.framesPerSecond)) } ?? .zero
    let interval = Duration.nanoseconds(max(Self.pace, frame).nanoseconds)
    changed?(true)
    running = Task { [weak self, clock] in
      var skipped = 0
      while let self, mine == generation, count != nil, !Task.isCancelled {
        if pressure().isShortOfMemory {
          return end(mine, localized("The burst ended because the computer is low on memory."))
        }
        if waiting < Self.mostWaiting {
          skipped = 0
          guard let shot = take?(id) else { return end(mine) }
          follow(shot, of: mine, keeps: !isHeld)
        } else {
          skipped += 1
          if skipped > Self.patience {
            return end(mine, localized("The burst ended because the disk can’t keep up."))
          }
        }
        if count ?? 0 >= most {
          return end(mine, isHeld ? Self.limitText(most) : nil)
        }
        do { try await clock.sleep(for: interval) } catch { break }
      }
      self?.end(mine)
    }
  }

  private func follow(_ shot: PhotoCapture, of burst: Int, keeps: Bool) {
    count = (count ?? 0) + 1
    if keeps { shots.append(shot) }
    waiting += 1
    Task { [weak self] in
      let isSaved = (try? await shot.saved) != nil
      guard let self else { return }
      waiting -= 1
      // The camera's model says why. The next one would fail as well.
      if !isSaved { end(burst) }
    }
  }

  private func end(_ burst: Int, _ reason: String? = nil) {
    guard burst == generation, count != nil else { return }
    running?.cancel()
    running = nil
    (count, isHeld) = (nil, false)
    endReason = reason
    if let reason { messages.post(reason) }
    changed?(false)
    ended?(id)
  }
}

extension SystemPressure {
  /// Whether so little memory is left that programs wait for it most of the time.
  fileprivate var isShortOfMemory: Bool { level >= .serious && factors.contains(.memory) }
}
