// Decoding of pictures of any format, with the library's errors.

import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects
import StillCodecs

/// JPEG by libjpeg-turbo at a fraction of the size, all others by `StillCodecs`.
enum PictureDecoder {
  /// Decodes to at least `needed`, if the picture is that large.
  ///
  /// - Parameters:
  ///   - data: A file up to the end of its picture.
  ///   - head: Its head.
  ///   - isAdobeRGB: Whether its EXIF block says that a JPEG without a profile is in Adobe RGB.
  ///   - path: For the error.
  ///   - isKept: Whether the pixels are written to a file of the person: see `StillCodecs.decode`.
  ///   - isCancelled: Ends the decoding when it is set, where that is another process's, and the waiting for it.
  /// - Returns: The picture as its codec gives it: see `PictureHead.orientationCounts`.
  /// - Throws: `unusableFile`, `decoderFailed`, or `cancelled`.
  static func decode(
    _ data: Data, _ head: PictureHead, isAdobeRGB: Bool, needed: PixelSize, path: String,
    isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(PhotoLibraryError) -> DecodedStill {
    guard let jpeg = head.jpeg else {
      return try still(data, as: head.format, needed: needed, path: path, isKept: isKept, unless: isCancelled)
    }
    let image = try ScaledJPEG.decode(data, needed: needed, path: path, unless: isCancelled)
    let profile = (try? jpeg.profile(in: DataSource(data, name: path))) ?? nil
    return DecodedStill(image: image, colors: colors(profile, isAdobeRGB: isAdobeRGB))
  }

  /// The camera's own picture in a raw file, to at least `needed`.
  ///
  /// - Parameter isKept: As for `decode`.
  /// - Returns: `nil` without one of that size.
  /// - Throws: `unusableFile`, or when the file can't be read.
  static func preview(
    of file: ReadableFile, _ head: PictureHead, isAdobeRGB: Bool, needed: PixelSize,
    isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(PhotoLibraryError) -> DecodedStill? {
    guard let preview = head.preview, preview.size.width >= needed.width, preview.size.height >= needed.height else {
      return nil
    }
    return try self.preview(
      of: file, preview, isAdobeRGB: isAdobeRGB, needed: needed, isKept: isKept, unless: isCancelled)
  }

  /// The same in whatever size it has.
  static func preview(
    of file: ReadableFile, _ preview: RAWHead.Preview, isAdobeRGB: Bool, needed: PixelSize,
    isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(PhotoLibraryError) -> DecodedStill {
    let jpeg = try file.data(at: preview.range.lowerBound, count: preview.range.count)
    file.monitor?.takePlace()
    if isCancelled?.isSet == true { throw .cancelled }
    return try decode(
      jpeg, PictureHead(jpeg, path: file.path), isAdobeRGB: isAdobeRGB, needed: needed, path: file.path,
      isKept: isKept, unless: isCancelled)
  }

  /// The colors of a picture, where they can be read without decoding it.
  ///
  /// - Throws: When the file can't be read.
  static func colors(
    of head: PictureHead, isAdobeRGB: Bool, in file: ReadableFile
  ) throws(PhotoLibraryError) -> StillColors {
    colors(try file.parse { file throws(FormatError) in try head.profile(in: file) }, isAdobeRGB: isAdobeRGB)
  }

  /// The colors of another format than JPEG that an edit keeps.
  ///
  /// - Throws: `unusableFile`, or `decoderFailed`.
  static func keptColors(
    of data: Data, as format: PhotoFormat, path: String
  ) throws(PhotoLibraryError) -> StillColors {
    do throws(StillCodecError) { return try StillCodecs.colors(of: data, as: format, isKept: true) } catch {
      throw Self.error(error, path: path)
    }
  }

  private static func error(_ error: StillCodecError, path: String) -> PhotoLibraryError {
    if error.isCancellation { return .cancelled }
    return error.isOfFile
      ? .unusableFile(path: path, reason: error.description)
      : .decoderFailed(path: path, reason: error.description)
  }

  private static func colors(_ profile: Data?, isAdobeRGB: Bool) -> StillColors {
    if let profile { return StillColors(profile: StillColors.profileOfColors(profile)) }
    return isAdobeRGB ? .adobeRGB : StillColors()
  }

  /// The same of another format than JPEG, with what its colors mean.
  ///
  /// - Parameter isKept: Whether the pixels are written to a file of the person.
  /// - Throws: `unusableFile`, `decoderFailed`, or `cancelled`.
  static func still(
    _ data: Data, as format: PhotoFormat, needed: PixelSize? = nil, path: String, isKept: Bool = false,
    unless isCancelled: CancellationFlag? = nil
  ) throws(PhotoLibraryError) -> DecodedStill {
    do throws(StillCodecError) {
      return try StillCodecs.decode(data, as: format, needed: needed, isKept: isKept, unless: isCancelled)
    } catch {
      throw Self.error(error, path: path)
    }
  }

  /// A picture in another format than JPEG, without metadata.
  ///
  /// - Parameter alpha: Of the picture's size; its colors are straight then.
  /// - Throws: `unusableFile`.
  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane? = nil, as format: PhotoFormat, colors: StillColors, path: String
  ) throws(PhotoLibraryError) -> Data {
    do throws(StillCodecError) {
      return try StillCodecs.encode(image, alpha: alpha, as: format, colors: colors, quality: .edit)
    } catch {
      throw .unusableFile(path: path, reason: localized("it can’t be encoded: \(error.description)"))
    }
  }

  /// The longer side of a thumbnail in pixels, as cameras write it (DCF 2.0 wants 160 × 120).
  private static let thumbnailSide = 160
  private static let thumbnailQuality: Int32 = 80
  /// Of a JPEG that stands for a picture of another format.
  private static let standInQuality: Int32 = 95

  /// A JPEG of at most 160 pixels a side with the same aspect ratio, for the EXIF block of an upright picture.
  ///
  /// - Throws: `unusableFile` when the picture can't be decoded.
  static func thumbnail(of picture: Data) throws(PhotoLibraryError) -> Data {
    let path = localized("The edited photo")
    let head = try PictureHead(picture, path: path)
    if head.format == .jpeg { return try ScaledJPEG.thumbnail(of: picture) }
    let side = PixelSize(width: thumbnailSide, height: thumbnailSide)
    let needed = ImageContentMode.aspectFit.neededSize(of: head.size, for: side)
    let image = try still(picture, as: head.format, needed: needed, path: path, isKept: true).image.averaged(to: needed)
    guard let thumbnail = ScaledJPEG.encode(image, quality: thumbnailQuality, hasFullColors: false) else {
      throw .unusableFile(path: path, reason: localized("no thumbnail can be made of it"))
    }
    return thumbnail
  }

  /// A picture of another format as a JPEG, for programs that take nothing else; without metadata.
  ///
  /// - Throws: `unusableFile` when the picture can't be decoded.
  static func jpeg(of picture: Data, as format: PhotoFormat, path: String) throws(PhotoLibraryError) -> Data {
    let image = try still(picture, as: format, path: path, isKept: true).image
    guard let jpeg = ScaledJPEG.encode(image, quality: standInQuality, hasFullColors: true) else {
      throw .unusableFile(path: path, reason: localized("there isn’t enough memory for its picture"))
    }
    return jpeg
  }

  /// A rendered JPEG in the format of the picture whose edit it is.
  ///
  /// - Parameter colors: What its values mean.
  /// - Throws: `unusableFile`.
  static func picture(
    ofJPEG jpeg: Data, as format: PhotoFormat, colors: StillColors
  ) throws(PhotoLibraryError) -> Data {
    let path = localized("The edited photo")
    let size = try PictureHead(jpeg, path: path).size
    return try encode(ScaledJPEG.decode(jpeg, needed: size, path: path), as: format, colors: colors, path: path)
  }
}
