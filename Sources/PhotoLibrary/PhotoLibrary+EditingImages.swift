// The pictures that an editor shows while it works: decoded from what the edit starts from, not from what is shown now.

import CameraCore
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

  /// How long the movie is that an edit starts from, in seconds; `nil` when it has none, or doesn't say.
  ///
  /// The asset tells the length of what is shown now, which an edit may have trimmed.
  public func movieDuration(of input: ContentEditingInput) async throws(PhotoLibraryError) -> Double? {
    guard let range = input.movieRange else { return nil }
    return try await Blocking.run { () throws(PhotoLibraryError) in
      try MP4Head(ReadableFile(input.url.path, disk: self.disk), range: range)?.duration
    }
  }

  /// Blocks.
  private static func still(
    of input: ContentEditingInput, _ target: PixelSize, disk: Disk
  ) throws(PhotoLibraryError) -> EditingImage {
    let path = input.url.path
    let file = try ReadableFile(path, disk: disk)
    guard let head = try JPEGHead(file) else { throw .unusableFile(path: path, reason: "it is no picture") }
    let end = input.movieRange?.lowerBound ?? file.size
    guard end <= largestStill else {
      throw .unusableFile(path: path, reason: "its \(end >> 20) MiB are too many to be edited")
    }
    let orientation = head.exif.flatMap { MetadataToolkit.facts(exif: $0) }?.orientation ?? 1
    func upright(_ size: PixelSize) -> PixelSize {
      orientation >= 5 ? PixelSize(width: size.height, height: size.width) : size
    }
    let full = upright(head.size)
    let needed = ImageContentMode.aspectFit.neededSize(of: full, for: target)
    let jpeg = try file.data(at: 0, count: Int(end))
    // The turn is its own inverse.
    let image = try ScaledJPEG.decode(jpeg, needed: upright(needed), path: path)
    return EditingImage(image: image.upright(orientation: orientation).reduced(toNeeded: needed), fullSize: full)
  }
}
