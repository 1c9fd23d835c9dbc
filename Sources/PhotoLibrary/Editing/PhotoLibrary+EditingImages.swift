// The images of an editor's preview, decoded from the input of the edit.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import PhotoEffects
import StillCodecs

/// An image for an editor's preview.
public struct EditingImage: Sendable {
  /// Upright; at least the target size if the file has as many pixels, and less than twice that.
  public var image: DecodedImage
  /// Of the image, which is over white; `nil` for one that is opaque everywhere.
  public var alpha: AlphaPlane?
  /// The size of the whole picture, upright, in pixels.
  public var fullSize: PixelSize
  /// From the picture's own colors to those of the screen; `nil` where they are the same.
  private var conversion: ColorConversion?

  public init(image: DecodedImage, fullSize: PixelSize) {
    self.image = image
    self.fullSize = fullSize
  }

  init(_ still: DecodedStill, fullSize: PixelSize) {
    (image, alpha, self.fullSize) = (still.image, still.alpha, fullSize)
    conversion = ColorConversion.toScreen(from: still.colors)
  }

  /// A picture that was made of this one, and so has its colors, as the screen shows it.
  public func onScreen(_ rendering: DecodedImage) -> DecodedImage { conversion?.converted(rendering) ?? rendering }
}

extension PhotoLibrary {
  /// In pixels: larger than any frame, so that frames aren't scaled.
  private static let anyFrameSize = PixelSize(width: 1 << 16, height: 1 << 16)

  /// The still from which an edit starts; for a movie, its first frame.
  ///
  /// - Parameters:
  ///   - targetSize: In pixels; the picture fits inside.
  ///   - time: The time of a movie frame to use instead of the still, in seconds from the movie's start.
  ///   - movieFrames: Decodes movies.
  /// - Throws: `PhotoLibraryError`, for a movie `CameraError`, or `CancellationError`.
  public func editingImage(
    for input: ContentEditingInput, targetSize: PixelSize, at time: Double? = nil,
    movieFrames: any MovieReader
  ) async throws -> EditingImage {
    if time != nil || input.asset.mediaType == .video {
      guard let movie = input.movie else {
        throw PhotoLibraryError.unusableFile(path: input.url.path, reason: localized("it contains no video"))
      }
      let frame = try await movieFrames.frame(
        of: movie, at: time ?? 0, fitting: Self.anyFrameSize)
      let needed = ImageContentMode.aspectFit.neededSize(of: frame.size, for: targetSize)
      return EditingImage(image: frame.reduced(toNeeded: needed), fullSize: frame.size)
    }
    let isCancelled = CancellationFlag()
    do throws(PhotoLibraryError) {
      return try await Blocking.run(canceling: isCancelled) { () throws(PhotoLibraryError) in
        try Self.still(of: input, targetSize, disk: self.disk, unless: isCancelled)
      }
    } catch {
      if error == .cancelled { throw CancellationError() }
      throw error
    }
  }

  /// The still of a photo as it was taken, without its edits, or with them.
  ///
  /// - Parameters:
  ///   - targetSize: In pixels; as for `editingImage`.
  ///   - isKept: Whether the pixels are written to a file of the person: see `StillCodecs.decode`.
  /// - Throws: `PhotoLibraryError`, also `cancelled`.
  public func still(
    of id: Asset.ID, targetSize: PixelSize, isEdited: Bool = false, isKept: Bool = false
  ) async throws(PhotoLibraryError) -> DecodedImage {
    // Whoever can't read an edit gets its result.
    let input = try await contentEditingInput(for: id) { _ in !isEdited }
    let isCancelled = CancellationFlag()
    return try await Blocking.run(canceling: isCancelled) { () throws(PhotoLibraryError) in
      let still = try Self.still(of: input, targetSize, isKept: isKept, disk: self.disk, unless: isCancelled)
      return still.onScreen(still.image)
    }
  }

  /// Decodes the still; blocks.
  private static func still(
    of input: ContentEditingInput, _ target: PixelSize, isKept: Bool = false, disk: Disk,
    unless isCancelled: CancellationFlag
  ) throws(PhotoLibraryError) -> EditingImage {
    let path = input.url.path
    if isCancelled.isSet { throw .cancelled }
    guard let range = input.photoRange else {
      throw .unusableFile(path: path, reason: localized("it contains no picture"))
    }
    guard UInt64(range.count) <= StillSource.largestByteCount else {
      throw .unusableFile(path: path, reason: localized("at \(range.count.localizedByteCount), it’s too large to edit"))
    }
    let data = try ReadableFile(path, disk: disk).data(at: range.lowerBound, count: range.count)
    if isCancelled.isSet { throw .cancelled }
    let needed = ImageContentMode.aspectFit.neededSize(of: input.size, for: target)
    // Turned as the file stores the pixels.
    let coded = needed.turned(orientation: input.orientation)
    let head = try PictureHead(data, path: path)
    let isAdobeRGB = head.exif.flatMap { MetadataToolkit.facts(exif: $0) }?.isAdobeRGB == true
    let still = try PictureDecoder.decode(
      data, head, isAdobeRGB: isAdobeRGB, needed: coded, path: path, isKept: isKept, unless: isCancelled)
    return EditingImage(
      still.changed { $0.upright(orientation: input.orientation).reduced(toNeeded: needed) }, fullSize: input.size)
  }
}
