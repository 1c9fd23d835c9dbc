// A series of photos, one at each interval, for a time lapse.

import CameraCore
import Localization
import Observation

/// Takes photos at a steady interval until it is stopped, or for a number of times.
///
/// An instant at which no photo can be taken or saved, because the camera rests, the machine slept or the disk is full,
/// is missed: it is counted, and said when the series has ended. So is one at which `mostWaiting` photos are still on
/// their way to the disk. When `patience` photos in a row could not be saved, the series ends by itself. The instants are
/// those of the clock from the first photo on, however long each photo takes.
@MainActor @Observable
public final class IntervalModel {
  /// Whether a series is being taken: the machine must not go to sleep.
  public private(set) var isRunning = false
  /// The photos of the series that is being taken, or of the last one.
  public private(set) var taken = 0
  /// The instants at which no photo could be taken.
  public private(set) var missed = 0
  /// The time from one photo to the next.
  public private(set) var interval = ShotInterval.none

  /// “3 photos, every 5 s · 1 missed”; `nil` while no series is being taken.
  public var text: String? {
    guard isRunning else { return nil }
    let photos = localized(
      "\(taken) photo, every \(interval.title)", plural: "\(taken) photos, every \(interval.title)", count: taken)
    guard missed > 0 else { return photos }
    return photos + " · " + localized("\(missed) photo missed", plural: "\(missed) photos missed", count: missed)
  }

  /// Takes one photo; returns when its frame is being chosen.
  @ObservationIgnored var take: (() async -> PhotoCapture?)?
  /// Why none can be taken now; `nil` while one can.
  @ObservationIgnored var refusal: () -> CameraError? = { nil }

  /// The number of photos in a row that may fail before the series ends.
  nonisolated static let patience = 3
  /// The most photos that may be on their way to the disk: each holds its frames in memory.
  public nonisolated static let mostWaiting = 30

  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var running: Task<Void, Never>?
  /// The reason for the last photo that was missed.
  @ObservationIgnored private var reason: String?
  /// The photos in a row that could not be saved.
  @ObservationIgnored private var failures = 0
  /// The photos on their way to the disk, those of earlier series included.
  @ObservationIgnored private var waiting = 0
  /// Counts the series: a photo that fails late must not count in the next one.
  @ObservationIgnored private var generation = 0

  /// - Parameter clock: Measures the intervals; one that goes on while the machine sleeps.
  init(messages: MessageModel, clock: any Clock<Duration>) { (self.messages, self.clock) = (messages, clock) }

  /// Takes the first photo now. A series that runs already is ended.
  ///
  /// - Parameter count: The number of photos, missed ones included.
  func start(every interval: ShotInterval, count: ShotCount) {
    stop()
    guard interval != .none else { return }
    (self.interval, taken, missed, reason, failures, isRunning) = (interval, 0, 0, nil, 0, true)
    generation += 1
    // The task keeps the model until the series is stopped, as it is when the camera closes.
    running = Task { await run(on: clock, count: count) }
  }

  /// Ends the series.
  public func stop() {
    running?.cancel()
    running = nil
    guard isRunning else { return }
    isRunning = false
    messages.post([takenText, missedText].compactMap(\.self).joined(separator: " "))
  }

  private var takenText: String {
    localized("\(taken) photo taken.", plural: "\(taken) photos taken.", count: taken)
  }

  private var missedText: String? {
    guard missed > 0 else { return nil }
    guard let reason else {
      return localized("\(missed) photo was missed.", plural: "\(missed) photos were missed.", count: missed)
    }
    return localized(
      "\(missed) photo was missed. \(reason)", plural: "\(missed) photos were missed. \(reason)", count: missed,
      comment: "{1} is a sentence")
  }

  private func run<Measure: Clock>(on clock: Measure, count: ShotCount) async where Measure.Duration == Duration {
    var due = clock.now
    while !Task.isCancelled {
      await shoot()
      if Task.isCancelled { return }
      due = due.advanced(by: .seconds(interval.seconds))
      // The machine slept, or was too busy for whole intervals.
      while due < clock.now, count == .unlimited || taken + missed < count.rawValue {
        missed += 1
        due = due.advanced(by: .seconds(interval.seconds))
      }
      if count != .unlimited, taken + missed >= count.rawValue { return stop() }
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(until: due, tolerance: nil) } catch { return }
    }
  }

  private func shoot() async {
    if let refusal = refusal() {
      missed += 1
      reason = refusal.description
      return
    }
    guard waiting < Self.mostWaiting else {
      missed += 1
      reason = localized("The disk can’t keep up.")
      return
    }
    let mine = generation
    let shot = await take?()
    // Its file is waited for, also of a series that was ended meanwhile.
    if let shot { follow(shot, of: mine) }
    guard mine == generation, isRunning else { return }
    if shot == nil { missed += 1 } else { taken += 1 }
  }

  private func follow(_ shot: PhotoCapture, of mine: Int) {
    waiting += 1
    Task { [weak self] in
      defer { self?.waiting -= 1 }
      do {
        _ = try await shot.saved
        if mine == self?.generation { self?.failures = 0 }
      } catch { self?.failed(error, of: mine) }
    }
  }

  /// A photo that counts as taken could not be saved.
  private func failed(_ error: any Error, of series: Int) {
    guard series == generation, isRunning else { return }
    taken -= 1
    missed += 1
    failures += 1
    reason = error.localizedDescription
    // The next one would fail as well.
    if failures >= Self.patience { stop() }
  }
}
