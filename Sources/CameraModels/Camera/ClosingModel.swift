// Closing the program: shots are finished first, out of sight, and a new start cancels the closing.

import CameraCore
import Localization
import Observation

/// Closes the camera and waits for the shots, as long as their movies make progress, and for other work.
///
/// There is no limit to how long the movies of thirty live photos may take, but there is one to standing still: a device
/// or a disk that hangs must not keep the program from ever ending, and from being started again. A still is safe on
/// disk by then, and becomes a photo at the next start.
@MainActor @Observable
public final class ClosingModel {
  /// Work that isn't the camera's, and would be lost with the program.
  public struct UnfinishedWork {
    /// Returns when it is finished, at once when there is none.
    let finished: @MainActor () async -> Void
    /// Grows with its progress.
    let steps: @MainActor () -> Int

    public init(finished: @escaping @MainActor () async -> Void, steps: @escaping @MainActor () -> Int) {
      (self.finished, self.steps) = (finished, steps)
    }
  }

  /// The result of a closing, which decides whether the program ends: after `finished` the library can be closed, after
  /// `stoodStill` nothing is waited for any more, and after `calledOff` the program goes on.
  public enum Outcome: Sendable {
    /// Every shot is saved.
    case finished
    /// Nothing has moved for `patience`; what is unfinished is left to the next start.
    case stoodStill
    /// PhotoMe was started again meanwhile.
    case calledOff
  }

  /// The longest standstill, in seconds. An encoder that hangs is given up after 20 to 25 (`EngineLimits.movieProgress`);
  /// that is a step, and the next one gets its turn. The program must not end before, even on a busy machine.
  public static let patience = 60

  /// The time after which a movie that is being finished is said to take long, in seconds.
  static let slowness = 10

  /// What is said of the movie that the program waits for before it closes; `nil` for nothing.
  public var remark: String? {
    guard isClosing, camera.movies?.isBusy == true else { return nil }
    return seconds < Self.slowness
      ? localized("Finishing the video before PhotoMe closes…")
      : localized("The video is taking a long time to finish. What was recorded is kept.")
  }

  /// Whether the program is closing.
  public var isClosing: Bool { closing != nil }

  @ObservationIgnored private let camera: CameraModel
  @ObservationIgnored private let effects: ShotEffects?
  @ObservationIgnored private let others: [UnfinishedWork]
  @ObservationIgnored private let waitASecond: @Sendable () async throws -> Void
  private var closing: OneShot<Outcome, Never>?
  /// The seconds since the program began to close.
  private var seconds = 0
  @ObservationIgnored private var tasks: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - effects: Shots get their effects while there is time. What is left is done at the next start, so it doesn't
  ///     count as progress.
  ///   - others: What else is finished before the program ends.
  ///   - waitASecond: Returns after a second; throws when the task is canceled.
  public init(
    camera: CameraModel, effects: ShotEffects?, others: [UnfinishedWork] = [],
    waitASecond: @escaping @Sendable () async throws -> Void = { try await Task.sleep(nanoseconds: 1_000_000_000) }
  ) {
    self.camera = camera
    self.effects = effects
    self.others = others
    self.waitASecond = waitASecond
  }

  /// Closes the camera and finishes the shots.
  ///
  /// - Returns: How that ended; `calledOff` at once when the program is closing already.
  public func close() async -> Outcome {
    guard closing == nil else { return .calledOff }
    let closing = OneShot<Outcome, Never>()
    self.closing = closing
    seconds = 0
    tasks = [
      Task { [weak self, camera, effects, others] in
        // The movie first: its picture goes on while the window says that it is being finished.
        await camera.movies?.stop()
        if Task.isCancelled { return }
        await camera.set(.closing, true)
        await camera.waitForShots()
        await effects?.finished()
        for work in others { await work.finished() }
        // A task that was canceled belongs to an end that was called off.
        if !Task.isCancelled { self?.end(.finished) }
      },
      Task { [weak self] in await self?.watch() },
    ]
    return await closing.wait()
  }

  /// Goes on as if nothing had been closed: the camera opens again, and the shots are finished beside it.
  ///
  /// - Returns: `false` without a closing: it may have just ended.
  @discardableResult public func callOff() -> Bool {
    guard closing != nil else { return false }
    end(.calledOff)
    Task { [camera] in await camera.set(.closing, false) }
    return true
  }

  private var steps: Int { others.reduce(camera.shotSteps) { $0 &+ $1.steps() } }

  private func watch() async {
    var seen = steps
    var still = 0
    while (try? await waitASecond()) != nil {
      seconds += 1
      let steps = steps
      still = steps == seen ? still + 1 : 0
      seen = steps
      if still >= Self.patience { return end(.stoodStill) }
    }
  }

  private func end(_ outcome: Outcome) {
    tasks.forEach { $0.cancel() }
    tasks = []
    closing?.decide(.success(outcome))
    closing = nil
  }
}
