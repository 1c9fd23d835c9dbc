// Playback of movies and of the movies of live photos.

import CameraCore
import Foundation

/// Plays the movie of a live photo or a movie file into a `PreviewSource`, with sound.
public protocol MoviePlayback: AnyObject, Sendable {
  /// The picture.
  var preview: any PreviewSource { get }

  /// Plays from the start. Ends (returns) at the movie's end, when `stop` is called, or throws when it can't be played.
  func play() async throws(CameraError)

  func stop()

  /// Holds the picture, or goes on. Before `play` it says how that begins: held, it shows the first picture.
  func setPaused(_ isPaused: Bool)

  /// Goes to a time of the movie in seconds, and shows the picture there, held or not. Of several calls in a row the last
  /// one counts. Before `play` it says where that begins.
  func seek(to seconds: Double)

  /// The times in the movie of the pictures that are shown, in seconds, from now on; only the newest one waits.
  func positions() -> AsyncStream<Double>
}

/// Makes players. `byteRange` is where the movie lies in the file: all of it for a movie file, the tail for a live photo.
public protocol MoviePlayerFactory: Sendable {
  func player(for url: URL, byteRange: Range<UInt64>, isMuted: Bool) -> any MoviePlayback
}
