// Time limits of the engine.

import CameraCore

/// The times after which the engine reports a failure. They are generous: a webcam takes a second or two to wake, an
/// emulated machine ten times as long.
public struct EngineLimits: Sendable {
  /// From opening a camera to its first frame.
  public var firstFrame: TimeSpan
  /// From opening a microphone to its first sound.
  public var firstSound: TimeSpan
  /// Between two frames of a running camera; one that sends nothing for longer has stalled.
  public var stall: TimeSpan
  /// Without progress in writing a movie.
  public var movieProgress: TimeSpan
  /// Between two attempts to open a camera.
  public var retryPause: TimeSpan

  public init(
    firstFrame: TimeSpan = .seconds(5), firstSound: TimeSpan = .seconds(3), stall: TimeSpan = .seconds(5),
    movieProgress: TimeSpan = .seconds(20), retryPause: TimeSpan = .milliseconds(400)
  ) {
    self.firstFrame = firstFrame
    self.firstSound = firstSound
    self.stall = stall
    self.movieProgress = movieProgress
    self.retryPause = retryPause
  }

  /// The same limits, multiplied; the pause between attempts stays.
  public func times(_ factor: Double) -> EngineLimits {
    func longer(_ span: TimeSpan) -> TimeSpan { .seconds(span.seconds * factor) }
    return EngineLimits(
      firstFrame: longer(firstFrame), firstSound: longer(firstSound), stall: longer(stall),
      movieProgress: longer(movieProgress), retryPause: retryPause)
  }
}
