// Automatic retries of a camera that broke down or sends nothing.

import CameraCore
import Observation

/// Opens a camera again that rests because it broke down or sent nothing: after 10, 20, 40 and then every 60 seconds, as
/// long as it rests for such a reason and the viewfinder can be seen. A driver or a sound server that froze goes on, and
/// nothing announces that.
///
/// The series begins anew once a camera has run for `steadiness`, and for another camera. It goes on where it was after a
/// shorter run: a camera that breaks at once isn't opened every 10 seconds. Whatever else opens a camera ends the wait, and
/// an attempt that is under way is the same opening for everyone who asks for it.
@MainActor @Observable
public final class CameraRetryModel {
  /// What the camera does, as far as it matters here.
  enum Phase: Equatable {
    /// It rests, and may be mended by time; the id is of the camera that was asked for, where that is known.
    case failed(CameraDevice.ID?)
    case running(CameraDevice.ID)
    /// It is being opened, hidden, or waits for something else than time.
    case other
  }

  /// Whether an attempt is under way that nobody asked for. The page of the failure stays meanwhile: it would come and go
  /// with each attempt.
  public private(set) var isRetrying = false
  /// The attempts of this series.
  private(set) var attempts = 0
  /// As it was followed last.
  private(set) var phase = Phase.other

  /// The time that a camera must have run for its next failure to begin a new series.
  nonisolated static let steadiness = Duration.seconds(10)

  /// The time from a failure to the next attempt.
  nonisolated static func pause(after attempts: Int) -> Duration { .seconds(min(10 << min(attempts, 3), 60)) }

  @ObservationIgnored private let camera: CameraModel
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var observation: ModelObservation?
  /// The camera that the series is about, where that is known.
  @ObservationIgnored private var cameraID: CameraDevice.ID?
  /// Waits for the next attempt, or for a camera to have run steadily; `nil` while there is nothing to wait for.
  @ObservationIgnored private var timer: Task<Void, Never>?

  /// - Parameter clock: Measures the pauses.
  public init(camera: CameraModel, clock: any Clock<Duration> = ContinuousClock()) {
    (self.camera, self.clock) = (camera, clock)
    observation = ModelObservation(of: { Self.phase(of: camera) }) { [weak self] in self?.follow($0) }
  }

  deinit { timer?.cancel() }

  /// A person wants the camera now: this is shown like any opening, also where it joins an attempt that is under way.
  public func tryAgain() async {
    isRetrying = false
    await camera.tryAgain()
  }

  /// A person comes back to the window. A camera that was refused, or couldn't be asked for, may have been permitted
  /// meanwhile. The page stays until it is known, and nobody is asked.
  public func windowIsActive() async {
    guard camera.concealments.isEmpty, !isRetrying else { return }
    let wasRefused = camera.status.awaitsAccess
    if wasRefused { isRetrying = true }
    await camera.checkPermission()
    if wasRefused { isRetrying = false }
  }

  private static func phase(of camera: CameraModel) -> Phase {
    switch camera.status {
    case .running(let session): .running(session.camera.id)
    // A camera that rests after a failure goes on doing so when it is hidden.
    case .failed(let error) where error.mayPass && camera.concealments.isEmpty: .failed(camera.selectedCameraID)
    default: .other
    }
  }

  private func follow(_ phase: Phase) {
    guard phase != self.phase else { return }
    self.phase = phase
    begin()
  }

  /// Waits for what follows in this phase.
  private func begin() {
    timer?.cancel()
    timer = nil
    switch phase {
    case .failed(let id):
      // Before its first picture it may not be known which camera it is.
      if let id, let cameraID, id != cameraID { attempts = 0 }
      cameraID = id ?? cameraID
      wait(for: Self.pause(after: attempts)) { await $0.attempt() }
    case .running: wait(for: Self.steadiness) { $0.attempts = 0 }
    case .other: break
    }
  }

  private func wait(for pause: Duration, then act: @escaping @MainActor (CameraRetryModel) async -> Void) {
    timer = Task { [weak self, clock] in
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(for: pause) } catch { return }
      if let self, !Task.isCancelled { await act(self) }
    }
  }

  private func attempt() async {
    // This very task: the opening that it leads to must not cancel it, which would give the opening up.
    timer = nil
    let present = Self.phase(of: camera)
    // A change that hasn't been followed yet.
    guard present == phase else { return follow(present) }
    attempts += 1
    isRetrying = true
    await camera.tryAgain()
    isRetrying = false
    // A camera that failed again may have done so too fast for the opening to be followed.
    guard timer == nil else { return }
    phase = Self.phase(of: camera)
    begin()
  }
}
