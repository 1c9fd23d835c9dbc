// The pictures that an editor shows while it works: decoded from what the edit starts from, not from what is shown now.

import CameraCore
import EngineInterface
import Foundation

/// A picture for an editor's preview.
public struct EditingImage: Sendable {
  /// Upright; as large as was asked for, and less than twice as large where the file has as many pixels.
  public var image: DecodedImage
  /// Of the whole picture, upright, in pixels.
  public var fullSize: PixelSize

  public init(image: DecodedImage, fullSize: PixelSize) {
    self.image = image
    self.fullSize = fullSize
  }
}

extension PhotoLibrary {
  /// Bytes of a still that are read; one that is longer isn't edited.
  private static let largestStill: UInt64 = 256 << 20
  /// In pixels: no frame is as large, so that it comes whole.
  private static let anyFrameSize = PixelSize(width: 1 << 16, height: 1 << 16)

  /// The still that an edit starts from; of a movie the first frame.
  ///
  /// - Parameters:
  ///   - targetSize: In pixels; all of the picture is inside of it.
  ///   - time: Of the movie's frame that is wanted in place of the still, in seconds from the movie's start.
  ///   - movieFrames: Decodes movies.
  /// - Throws: `PhotoLibraryError`, for a movie `CameraError`, or `CancellationError`.
  public func editingImage(
    for input: ContentEditingInput, targetSize: PixelSize, at time: Double? = nil,
    movieFrames: any MovieFrameReader
  ) async throws -> EditingImage {
    if time != nil || input.asset.mediaType == .video {
      guard let range = input.movieRange else {
        throw PhotoLibraryError.unusableFile(path: input.url.path, reason: "there is no movie in it")
      }
      let frame = try await movieFrames.frame(
        of: input.url, byteRange: range, at: time ?? 0, fitting: Self.anyFrameSize)
      let needed = ImageContentMode.aspectFit.neededSize(of: frame.size, for: targetSize)
      return EditingImage(image: frame.reduced(toNeeded: needed), fullSize: frame.size)
    }
    try Task.checkCancellation()
    return try await Blocking.run { () throws(PhotoLibraryError) in
      try Self.still(of: input, targetSize, disk: self.disk)
    }
  }

  /// Blocks.
  private static func still(
    of input: ContentEditingInput, _ target: PixelSize, disk: Disk
  ) throws(PhotoLibraryError) -> EditingImage {
    let path = input.url.path
    guard let range = input.photoRange else { throw .unusableFile(path: path, reason: "there is no picture in it") }
    guard UInt64(range.count) <= largestStill else {
      throw .unusableFile(path: path, reason: "its \(range.count >> 20) MiB are too many to be edited")
    }
    let jpeg = try ReadableFile(path, disk: disk).data(at: range.lowerBound, count: range.count)
    let needed = ImageContentMode.aspectFit.neededSize(of: input.size, for: target)
    // Turned as the pixels lie in the file.
    let coded = needed.turned(orientation: input.orientation)
    let image = try ScaledJPEG.decode(jpeg, needed: coded, path: path)
    return EditingImage(
      image: image.upright(orientation: input.orientation).reduced(toNeeded: needed), fullSize: input.size)
  }
}
