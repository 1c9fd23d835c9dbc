// Playback of movies and of the movies of live photos.

import CameraCore

/// Makes players. `MediaEngine.EngineMoviePlayerFactory` is the implementation.
public protocol MoviePlayerFactory: Sendable {
  /// A player for one movie. Nothing is opened before `play`.
  func player(of source: MovieSource, isMuted: Bool) -> any MoviePlayback
}

/// Plays one movie into a `PreviewSource`, with sound, any number of times.
public protocol MoviePlayback: AnyObject, Sendable {
  /// The picture.
  var preview: any PreviewSource { get }

  /// Plays from the start. Returns at the movie's end, when `stop` is called, when the task is canceled, and when `play` is
  /// called again.
  ///
  /// - Throws: `CameraError.playbackFailed`, or `missingPlugin` when a decoder isn't installed.
  func play() async throws(CameraError)

  /// Ends `play`.
  func stop()

  /// Pauses or resumes. Before `play` it decides how that begins: paused, it shows the first picture.
  func setPaused(_ isPaused: Bool)

  /// Goes to a time of the movie in seconds and shows the picture there, paused or not. Of several calls in a row the last
  /// one counts. Before `play` it decides where that begins.
  func seek(to seconds: Double)

  /// The times in the movie of the pictures that are shown, in seconds, from now on. Only the newest one is kept for a slow
  /// reader.
  func positions() -> AsyncStream<Double>

  /// The reason why the movie plays without its sound, a sentence, though it isn't muted and there is a sound output; `nil`
  /// while nothing is wrong. Known by the first picture.
  var silence: String? { get }
}

extension MoviePlayback {
  public var silence: String? { nil }
}
