// The shutter with its countdown.

import CameraCore

extension CameraModel {
  /// The countdown that was chosen.
  public var delay: ShutterDelay { settings.values.capture.delay }

  /// Chooses the countdown of the next shots and movies.
  public func setDelay(_ delay: ShutterDelay) { settings.update { $0.capture.delay = delay } }

  /// Chooses the next longer countdown, and says which it is: the key for it has nothing to look at.
  public func cycleDelay() {
    setDelay(delay.next)
    messages.post(delay == .none ? "The countdown is off." : "The countdown takes \(delay.seconds) seconds.")
  }

  /// What a press of the shutter does now: its accessible name, which is read aloud when it changes.
  public var shutterName: String {
    if let remaining = countdown.remaining { return "Cancel the Countdown: \(remaining)" }
    return movies?.shutterName ?? "Take Photo"
  }

  /// Whether the tick of a countdown can be heard at this second.
  ///
  /// Those of the last second and a half would be the first thing that is heard in a live photo.
  func ticks(at remaining: Int) -> Bool {
    guard settings.values.capture.playsSounds else { return false }
    return movies?.mode == .movie || !live.isActive || remaining >= 2
  }

  /// Begins the countdown to a shot or a movie; without one, it is taken at once.
  func countDown(pressed: MonotonicTime) {
    guard delay != .none, shotRefusal == nil else { return release(at: pressed) }
    countdown.start(from: delay.seconds) { [weak self] in
      self?.willRelease?()
      self?.release(at: .now)
    }
  }

  /// Takes a photo, or begins a movie.
  private func release(at pressed: MonotonicTime) {
    guard let movies, movies.mode == .movie else { return takeFlashPhoto(pressed: pressed) }
    Task { await movies.start() }
  }
}
