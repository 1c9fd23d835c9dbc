// Decoding of movies with GStreamer, one frame or all of them.

import CameraCore
import EngineInterface

/// Decodes movies with GStreamer.
///
/// A single frame costs what lies between it and the last key frame. All frames are decoded in bounded memory: the thread
/// that decodes waits for `body`, and a queue of few frames lets both work at the same time.
public struct EngineMovieReader: MovieReader {
  /// The time without a frame after which a decoder is given up.
  private let patience: TimeSpan

  public init() { self.init(patience: MovieDecoding.patience) }

  init(patience: TimeSpan) { self.patience = patience }

  /// Decodes one frame; see `MovieReader`.
  ///
  /// - Throws: `CameraError.playbackFailed`, `CameraError.missingPlugin`, or `CancellationError`.
  public func frame(of source: MovieSource, at time: Double, fitting size: PixelSize) async throws -> DecodedImage {
    try Task.checkCancellation()
    do throws(CameraError) {
      let search = try await FrameSearch(source, fitting: size)
      return try await search.frame(at: time)
    } catch {
      // A cancellation decides every wait with an error.
      try Task.checkCancellation()
      throw error
    }
  }

  /// Decodes all frames; see `MovieReader`.
  ///
  /// - Throws: The error of `body`, `CameraError.playbackFailed`, `CameraError.missingPlugin`, or `CancellationError`.
  public func readFrames(
    of source: MovieSource, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    let delivery = MovieFrameDelivery(fitting: size, atMost: frameRate, body)
    do {
      try await withTaskCancellationHandler {
        let decoding = try await MovieDecoding(
          source, niceness: 0, progress: MovieProgress(), keepsDepth: true, take: delivery.take)
        try await decoding.run(patience: patience)
        try delivery.finish(named: source.url.lastPathComponent)
      } onCancel: {
        delivery.end(CancellationError())
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}
