// Movies as a row of decoded pictures, for what is made of their frames.

import CameraCore
import Foundation

/// One frame of a movie.
public struct MovieFrame: Sendable {
  /// Upright.
  public var image: DecodedImage
  /// When it is first shown, in seconds from the movie's first frame.
  public var time: Double
  /// For how long it is shown: until the next frame that is delivered, or the movie's end. In seconds.
  public var duration: Double

  public init(image: DecodedImage, time: Double, duration: Double) {
    self.image = image
    self.time = time
    self.duration = duration
  }
}

/// Decodes movies from their first frame to their last.
public protocol MovieFrameStreaming: Sendable {
  /// Decodes a movie and hands over one frame after another. While `body` works on a frame no more than a few others are
  /// decoded, however long the movie is.
  ///
  /// - Parameters:
  ///   - url: Of the file that the movie lies in.
  ///   - byteRange: Where it lies there: all of it for a movie file, the tail for a live photo.
  ///   - size: In pixels; frames are scaled to fit into it, and not enlarged.
  ///   - frameRate: The most frames a second that are delivered; of a movie with more, frames are left out evenly. `nil`
  ///     for all of them.
  ///   - body: Called on a thread of the decoder's, never twice at a time. What it throws ends the decoding.
  /// - Throws: What `body` threw; `CameraError.playbackFailed`, `missingPlugin` when a decoder isn't installed, or
  ///   `CancellationError` soon after the task was cancelled.
  func readFrames(
    of url: URL, byteRange: Range<UInt64>, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws
}
