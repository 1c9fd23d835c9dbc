// The faces of a picture that is edited: found in its original, for the crop and for red eyes.

import CameraCore
import EngineInterface
import PhotoEffects
import PhotoLibrary

/// The faces of the untouched original of an asset.
public struct EditedFaces: Sendable, Hashable {
  /// The key photo's time in the movie, in seconds; `nil` for the still as taken.
  public let time: Double?
  public let faces: [FoundFace]

  /// The longer side of the picture in which faces are looked for, in pixels.
  static let side = 1024

  init(time: Double?, faces: [FoundFace]) { (self.time, self.faces) = (time, faces) }

  /// Finds the faces of the still, of the key photo of a live photo, or of the first frame of a video.
  ///
  /// - Parameters:
  ///   - time: The key photo's time in the movie, in seconds; `nil` for the still as taken.
  ///   - reader: Decodes frames of movies.
  /// - Throws: As `PhotoLibrary.editingImage` and `FaceDetecting`.
  public static func find(
    in input: ContentEditingInput, at time: Double?, by detector: any FaceDetecting, library: PhotoLibrary,
    reader: any MovieReader
  ) async throws -> EditedFaces {
    let picture = try await library.editingImage(
      for: input, targetSize: PixelSize(width: side, height: side), at: time, movieFrames: reader)
    return EditedFaces(time: time, faces: try await detector.faces(in: picture.image))
  }

  /// The red pupils of these faces.
  ///
  /// - Parameters: As of `find`.
  /// - Throws: As `PhotoLibrary.editingImage`.
  public func redEyes(
    in input: ContentEditingInput, library: PhotoLibrary, reader: any MovieReader
  ) async throws -> [RedEyeSpot] {
    guard !faces.isEmpty else { return [] }
    let (faces, side) = (faces, RedEyeFinder.side)
    let picture = try await library.editingImage(
      for: input, targetSize: PixelSize(width: side, height: side), at: time, movieFrames: reader)
    return await Blocking.run { RedEyeFinder.spots(in: picture.image, faces: faces) }
  }

  /// A crop for these faces; `nil` when there is nothing to improve: see `CropSuggestion`.
  ///
  /// - Parameters:
  ///   - geometry: Of the edit; its crop doesn't matter.
  ///   - size: Of the original, upright, in pixels.
  ///   - ratio: The shape of the crop; `nil` for the picture's.
  public func suggestedCrop(in geometry: Geometry, of size: PixelSize, ratio: CropRatio?) -> Geometry.Crop? {
    var whole = geometry
    whole.crop = .full
    return CropSuggestion(
      faces: faces.map { whole.placed($0, of: size) }, size: whole.straightenedSize(for: size), ratio: ratio
    ).crop
  }
}
