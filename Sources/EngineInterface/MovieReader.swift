// Decoding of movies, one frame or all of them.

import CameraCore

/// Decodes movies. `MediaEngine.EngineMovieReader` is the implementation.
public protocol MovieReader: Sendable {
  /// Decodes the frame that is shown at a time, upright. Before the first frame that is the first, behind the last one the
  /// last.
  ///
  /// - Parameters:
  ///   - time: In seconds from the movie's start.
  ///   - size: In pixels; the frame is scaled to fit into it, and not enlarged.
  /// - Throws: `CameraError.playbackFailed`, `CameraError.missingPlugin` when a decoder isn't installed, or
  ///   `CancellationError` soon after the task was canceled.
  func frame(of source: MovieSource, at time: Double, fitting size: PixelSize) async throws -> DecodedImage

  /// Decodes a movie from its first frame to its last and hands over one after another. While `body` works on a frame, no
  /// more than a few others are decoded, however long the movie is.
  ///
  /// - Parameters:
  ///   - size: In pixels; frames are scaled to fit into it, and not enlarged.
  ///   - frameRate: The most frames a second that are delivered; of a movie with more, frames are left out evenly. `nil`
  ///     delivers all of them.
  ///   - body: Called on a thread of the decoder's, never twice at a time. An error that it throws ends the decoding.
  /// - Throws: The error of `body`; `CameraError.playbackFailed`, `CameraError.missingPlugin` when a decoder isn't
  ///   installed, or `CancellationError` soon after the task was canceled.
  func readFrames(
    of source: MovieSource, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws
}

/// One frame of a movie.
public struct MovieFrame: Sendable {
  /// Upright.
  public var image: DecodedImage
  /// The time at which it is first shown, in seconds from the movie's first frame.
  public var time: Double
  /// Until the next frame that is delivered, or the movie's end; in seconds.
  public var duration: Double

  public init(image: DecodedImage, time: Double, duration: Double) {
    self.image = image
    self.time = time
    self.duration = duration
  }
}
