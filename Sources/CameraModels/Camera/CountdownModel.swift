// The countdown between the press of the shutter and the shot.

import CameraCore
import Observation

/// Counts seconds down, and then does what was asked for, unless it is canceled before.
///
///     countdown.start(from: 3) { camera.takePhoto() }      // remaining: 3, 2, 1, nil; then the photo
@MainActor @Observable
public final class CountdownModel {
  /// The seconds until the shot; `nil` while nothing is counted.
  public private(set) var remaining: Int?

  /// Whether a shot is being waited for.
  public var isRunning: Bool { remaining != nil }

  /// Called at the beginning of each second, with the seconds that remain.
  @ObservationIgnored public var ticked: ((_ remaining: Int) -> Void)?

  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var counting: Task<Void, Never>?
  /// Told how the countdown ended: whether it reached its end.
  @ObservationIgnored private var ended: ((_ isOver: Bool) -> Void)?

  /// - Parameter clock: Measures the seconds.
  public init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  deinit { counting?.cancel() }

  /// Counts down, and calls `then` at the end. A countdown that runs already is canceled.
  ///
  /// - Parameter seconds: With 0, `then` is called at once.
  public func start(from seconds: Int, then: @escaping () -> Void) {
    start(from: seconds) { isOver in if isOver { then() } }
  }

  /// Counts down, and returns at the end.
  ///
  /// - Returns: Whether the end was reached: `false` when it was canceled, also by the task's cancellation.
  public func count(from seconds: Int) async -> Bool {
    let end = OneShot<Bool, Never>()
    start(from: seconds) { end.decide(.success($0)) }
    return await withTaskCancellationHandler {
      await end.wait()
    } onCancel: {
      Task { @MainActor [weak self] in self?.cancel() }
    }
  }

  /// Ends the countdown without a shot.
  public func cancel() {
    counting?.cancel()
    finish(isOver: false)
  }

  private func start(from seconds: Int, ended: @escaping (Bool) -> Void) {
    cancel()
    guard seconds > 0 else { return ended(true) }
    self.ended = ended
    remaining = seconds
    ticked?(seconds)
    counting = Task { [weak self, clock] in
      for left in (0..<seconds).reversed() {
        // Sleeping throws only when the task is canceled.
        do { try await clock.sleep(for: .seconds(1)) } catch { return }
        guard !Task.isCancelled, let self else { return }
        guard left > 0 else { return finish(isOver: true) }
        remaining = left
        ticked?(left)
      }
    }
  }

  private func finish(isOver: Bool) {
    counting = nil
    remaining = nil
    let ended = ended
    self.ended = nil
    ended?(isOver)
  }
}
