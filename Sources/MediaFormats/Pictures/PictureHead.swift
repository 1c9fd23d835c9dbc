// The beginning of a picture file of any format.

import CameraCore
import Foundation

/// The size and the metadata blocks of a picture file of any format.
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
  /// Whether it has several frames to be played.
  public var isAnimated = false
  /// The MP4 in the box of a HEIF file; `nil` without one.
  public var movie: Range<UInt64>?
  /// Of a JPEG file.
  public var jpeg: JPEGHead?
  /// The camera's own JPEG in a raw file; `nil` without one.
  public var preview: RAWHead.Preview?

  /// Whether EXIF's orientation turns the picture. HEIF and JPEG XL have properties for that, which decoders obey.
  public var orientationCounts: Bool { !format.isHEIF && format != .jxl }

  /// The formats whose files are read and rewritten alike.
  private static let containers: [(format: PhotoFormat, type: any PictureContainer.Type)] = [
    (.png, PNGHead.self), (.webp, WebPHead.self), (.gif, GIFHead.self), (.jxl, JXLHead.self),
    // Most raw files are TIFF files as well.
    (.raw, RAWHead.self), (.tiff, TIFFHead.self),
  ]

  /// The container of a format; `nil` for JPEG and HEIF.
  public static func container(of format: PhotoFormat) -> (any PictureContainer.Type)? {
    containers.first { $0.format == format }?.type
  }

  /// The ICC profile, where it can be read without decoding: not of PNG, HEIC and AVIF.
  ///
  /// - Parameter source: The same file.
  /// - Throws: `FormatError.read`.
  public func profile(in source: any ByteSource) throws(FormatError) -> Data? {
    if let jpeg { return try jpeg.profile(in: source) }
    return try Self.container(of: format)?.init(source)?.profile
  }

  /// The format of a file by its first bytes; `nil` for other files.
  ///
  /// - Throws: `FormatError.read`.
  public static func format(of source: any ByteSource) throws(FormatError) -> PhotoFormat? {
    if try source.prefix(at: 0, count: 3) == [0xff, 0xd8, 0xff] { return .jpeg }
    for (format, type) in containers where try type.begins(in: source) { return format }
    return try HEIFFile.format(of: source)
  }

  /// Reads the head of a file.
  ///
  /// - Returns: `nil` when the file is not a picture.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let format = try Self.format(of: source) else { return nil }
    self.format = format
    if let type = Self.container(of: format) {
      guard let head = try type.init(source), let first = head.imageRanges.first else { return nil }
      (size, exif, xmp, frameHeader) = (head.size, head.exif, head.xmp, Self.frame(head.size))
      (imageOffset, imageRange, imageRanges) = (first.lowerBound, first, head.imageRanges)
      (isAnimated, preview) = (head.isAnimated, (head as? RAWHead)?.preview)
    } else if format == .jpeg {
      guard let head = try JPEGHead(source) else { return nil }
      (size, exif, xmp) = (head.size, head.exif, head.xmp)
      (frameHeader, imageOffset, jpeg) = (head.frameHeader, head.scanOffset, head)
    } else {
      guard let head = try HEIFHead(source) else { return nil }
      (self.format, size, exif, xmp) = (head.format, head.size, head.exif, head.xmp)
      (imageOffset, imageRange, frameHeader) = (head.imageData.lowerBound, head.imageData, Self.frame(head.size))
      (imageRanges, end, movie, isAnimated) = (head.imageRanges, head.end, head.movie, head.isAnimated)
    }
  }

  private static func frame(_ size: PixelSize) -> Data {
    Data(BigEndian.words(UInt64(size.width), UInt64(size.height)))
  }
}
