// Single frames of movies.

import CameraCore
import Foundation

/// Decodes single frames of movies.
public protocol MovieFrameReader: Sendable {
  /// The frame that is shown at a time, upright. The first and the last stand for what is before and behind them.
  ///
  /// - Parameters:
  ///   - url: Of the file that the movie lies in.
  ///   - byteRange: Where it lies there: all of it for a movie file, the tail for a live photo.
  ///   - time: In seconds from the movie's start.
  ///   - size: In pixels; the frame is scaled to fit into it, and not enlarged.
  /// - Throws: `CameraError.playbackFailed`, `missingPlugin` when a decoder isn't installed, or `CancellationError` soon
  ///   after the task was cancelled.
  func frame(of url: URL, byteRange: Range<UInt64>, at time: Double, fitting size: PixelSize) async throws
    -> DecodedImage
}
