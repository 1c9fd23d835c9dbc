// The picture that an automatic enhancement is measured on.

import CameraCore
import EngineInterface
import PhotoEffects
import PhotoLibrary

extension AutoEnhancement {
  /// Measures the original of an asset: its still, the key photo of a live photo, or the first frame of a video. Always at the same
  /// size, so that the same picture has the same values.
  ///
  /// - Parameters:
  ///   - time: The key photo's time in the movie, in seconds; `nil` for the still as taken.
  ///   - reader: Decodes frames of movies.
  /// - Throws: As `PhotoLibrary.editingImage`.
  public static func measured(
    _ input: ContentEditingInput, at time: Double?, in library: PhotoLibrary, reader: any MovieReader
  ) async throws -> AutoEnhancement {
    let picture = try await library.editingImage(
      for: input, targetSize: PixelSize(width: side, height: side), at: time, movieFrames: reader)
    // Off the caller's thread, which may be the main one.
    return await Task.detached { AutoEnhancement(measuring: picture.image) }.value
  }
}
