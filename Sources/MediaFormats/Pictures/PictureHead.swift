// The beginning of a picture file of any format.

import CameraCore
import Foundation

/// The size and the metadata blocks of a JPEG, HEIC, AVIF or PNG file.
///
/// Nothing is decoded, and the input is untrusted.
public struct PictureHead: Sendable {
  public var format: PhotoFormat
  /// As a decoder gives it, before the turn by `orientationCounts`.
  public var size: PixelSize
  /// The TIFF structure.
  public var exif: Data?
  /// The XMP packet.
  public var xmp: Data?
  /// What stays the same when a program changes metadata, for a digest: the frame header of a JPEG.
  public var frameHeader: Data
  /// The offset of the first coded bytes of the picture.
  public var imageOffset: UInt64
  /// Its first stretch, where the format tells its length; `nil` for a JPEG.
  public var imageRange: Range<UInt64>?
  /// All of its stretches, in order, where the format tells their lengths: chunks of a PNG, tiles of a HEIF file. Empty for
  /// a JPEG.
  public var imageRanges: [Range<UInt64>] = []
  /// Where the picture ends, as far as the format tells without a walk: before a HEIF file's movie; `nil` for a JPEG.
  public var end: UInt64?
  /// The MP4 in the box of a HEIF file; `nil` without one.
  public var movie: Range<UInt64>?
  /// Of a JPEG file.
  public var jpeg: JPEGHead?

  /// Whether EXIF's orientation turns the picture. HEIF files have properties for that, which decoders obey.
  public var orientationCounts: Bool { !format.isHEIF }

  /// The format of a file by its first bytes; `nil` for other files.
  ///
  /// - Throws: `FormatError.read`.
  public static func format(of source: any ByteSource) throws(FormatError) -> PhotoFormat? {
    if try source.prefix(at: 0, count: 3) == [0xff, 0xd8, 0xff] { return .jpeg }
    if try PNGFile.begins(in: source) { return .png }
    return try HEIFFile.format(of: source)
  }

  /// Reads the head of a file.
  ///
  /// - Returns: `nil` when the file is not a picture.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    switch try Self.format(of: source) {
    case .jpeg:
      guard let head = try JPEGHead(source) else { return nil }
      (format, size, exif, xmp) = (.jpeg, head.size, head.exif, head.xmp)
      (frameHeader, imageOffset, jpeg) = (head.frameHeader, head.scanOffset, head)
    case .png:
      guard let head = try PNGHead(source) else { return nil }
      (format, size, exif, xmp) = (.png, head.size, head.exif, head.xmp)
      (imageOffset, imageRange, frameHeader) = (head.imageData.lowerBound, head.imageData, Self.frame(head.size))
      imageRanges = head.imageRanges
    case .heic?, .avif?:
      guard let head = try HEIFHead(source) else { return nil }
      (format, size, exif, xmp) = (head.format, head.size, head.exif, head.xmp)
      (imageOffset, imageRange, frameHeader) = (head.imageData.lowerBound, head.imageData, Self.frame(head.size))
      (imageRanges, end, movie) = (head.imageRanges, head.end, head.movie)
    case nil: return nil
    }
  }

  private static func frame(_ size: PixelSize) -> Data {
    Data(BigEndian.words(UInt64(size.width), UInt64(size.height)))
  }
}
