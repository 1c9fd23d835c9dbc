// The interface to picture files of every format.

import CameraCore
import Foundation

/// A picture file: its size, its metadata blocks and the stretches that hold its coded pixels.
///
/// Nothing is decoded, and the input is untrusted: offsets, lengths and counts are checked before they are used, and a
/// file of any size is read a few kilobytes at a time.
public protocol PictureContainer: Sendable {
  /// As a decoder gives it. EXIF's orientation is not applied; one that the format itself has, as JPEG XL, is.
  var size: PixelSize { get }
  /// The TIFF structure; `nil` without one.
  var exif: Data? { get }
  /// The XMP packet; `nil` without one.
  var xmp: Data? { get }
  /// The ICC profile, where it can be read without decoding; `nil` without one.
  var profile: Data? { get }
  /// Behind the last byte of the picture that can be found.
  var end: UInt64 { get }
  /// All coded pixels, in order, which stay the same when a program changes metadata. Never empty.
  var imageRanges: [Range<UInt64>] { get }
  /// Whether it has more than one frame to be played.
  var isAnimated: Bool { get }

  /// Whether a file begins as one of this format.
  ///
  /// - Throws: `FormatError.read`.
  static func begins(in source: any ByteSource) throws(FormatError) -> Bool

  /// - Returns: `nil` when the file isn't of this format, or has no pixels in it.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError)

  /// The pieces of a copy with other metadata and the same coded pixels. The same change made twice gives the same bytes,
  /// and undoing a change gives the old bytes.
  ///
  /// - Throws: `FormatError.refused` when the change can't be made.
  static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>]

  /// Looks for damage, without decoding.
  ///
  /// - Throws: `FormatError.read`.
  static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk
}

extension PictureContainer {
  public var profile: Data? { nil }

  /// The longest metadata block that is read, in bytes.
  static var longestBlock: Int { 8 << 20 }
}

/// The result of walking a picture file to its end.
public enum PictureWalk: Sendable, Hashable {
  case complete
  /// It ends before its picture does.
  case cutShort
  /// The bytes at this offset are not allowed there.
  case damaged(at: UInt64)
}
