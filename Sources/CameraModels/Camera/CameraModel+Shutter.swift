// Shutter actions and labels.

import CameraCore
import Localization

extension CameraModel {
  /// What a press of the shutter does now. Whatever goes on is ended before anything else begins.
  public var shutter: ShutterState {
    if let remaining = countdown.remaining { return .countdown(remaining) }
    if booth.isRunning { return .booth }
    if intervals.isRunning { return .series }
    switch movies?.phase ?? .idle {
    case .idle: break
    case .finishing: return .finishing
    case .starting, .recording, .paused: return .recording
    }
    if burst.isRunning { return .burst }
    return movies?.mode == .movie ? .movie : .photo
  }

  /// Whether a press of the shutter does anything: without a camera there is nothing to begin. While one starts, a press says so.
  public var isShutterEnabled: Bool {
    guard shutter == .photo || shutter == .movie else { return shutter.isEnabled }
    return switch status {
    case .running, .starting, .awaitingPermission, .awaitingPicture, .interrupted(.suspended): true
    case .noCamera, .permissionDenied, .failed, .interrupted(.inUse), .interrupted(.unplugged): false
    }
  }

  /// The shutter's tooltip; `nil` where the button needs none.
  public var shutterExplanation: String? {
    let shutter = shutter
    guard shutter != .photo else { return nil }
    guard shutter == .recording || shutter == .movie, let space = movies?.spaceExplanation else {
      return localized("\(shutter.name) (Space)", comment: "Space is the key")
    }
    return localized("\(shutter.name) (Space). \(space)", comment: "Space is the key")
  }

  /// The shutter button and its keys: takes a photo, or begins a movie, after the countdown where one was chosen, or ends what
  /// goes on.
  ///
  /// - Parameter pressed: The time of the press, which decides the frame of a photo without a countdown.
  public func pressShutter(at pressed: MonotonicTime = .now) {
    switch shutter {
    case .photo: release(pressed: pressed)
    case .movie: countDown(pressed: pressed) { [weak self] _ in Task { await self?.movies?.start() } }
    case .recording, .finishing: Task { [movies] in await movies?.stop() }
    case .countdown, .booth, .burst, .series: cancelShutter()
    }
  }

  /// Takes a photo whatever the shutter is for: after the countdown where one was chosen, and at once beside a movie that is
  /// being recorded. A press while the countdown, a burst or a series runs ends it.
  ///
  /// - Parameter pressed: The time of the press, which decides the frame of a photo without a countdown.
  public func pressPhoto(at pressed: MonotonicTime = .now) {
    switch shutter {
    case .photo, .movie: release(pressed: pressed)
    case .recording, .finishing: takePhoto(pressed: pressed)
    case .countdown, .booth, .burst, .series: cancelShutter()
    }
  }

  /// Escape: cancels the countdown, or ends the burst or the photo booth. A series of hours must not end by accident.
  ///
  /// - Returns: Whether there was something to end.
  public func escapeShutter() -> Bool {
    guard countdown.isRunning || booth.isRunning || burst.isRunning else { return false }
    cancelShutter()
    return true
  }

  private func cancelShutter() {
    if booth.isRunning { return booth.stop() }
    if countdown.isRunning { return countdown.cancel() }
    if intervals.isRunning { return intervals.stop() }
    burst.stop()
  }

  private func release(pressed: MonotonicTime) {
    if let layout = boothChoice.layout, shotRefusal == nil { return beginBooth(layout) }
    countDown(pressed: pressed, then: photoRelease)
  }

  /// Takes a photo, or begins a series, as it was chosen at the press.
  private var photoRelease: (MonotonicTime) -> Void {
    let (interval, count, isCountedDown) = (interval, intervalCount, delay != .none)
    return { [weak self] pressed in
      guard let self else { return }
      if interval == .none || shotRefusal != nil {
        takeFlashPhoto(pressed: pressed, isCountedDown: isCountedDown)
      } else {
        intervals.start(every: interval, count: count)
      }
    }
  }

  /// - Parameter release: Called with the time of the press, or of the countdown's end.
  private func countDown(pressed: MonotonicTime, then release: @escaping (MonotonicTime) -> Void) {
    guard delay != .none, shotRefusal == nil else { return release(pressed) }
    countdown.start(from: delay.seconds) { release(.now) }
  }
}
