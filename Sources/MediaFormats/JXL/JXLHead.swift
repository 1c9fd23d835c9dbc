// The facts of a JPEG XL file that an index needs.

import CameraCore
import Foundation

/// The size and the metadata blocks of a JPEG XL file.
///
/// Nothing is decoded, and the input is untrusted. Metadata that are compressed by Brotli are not read.
public struct JXLHead: PictureContainer {
  /// With the codestream's orientation, which decoders apply. EXIF's says nothing here.
  public var size: PixelSize
  /// The TIFF structure in `Exif`.
  public var exif: Data?
  /// The XMP packet in `xml `.
  public var xmp: Data?
  /// Behind the last box, or the end of the file for a bare codestream.
  public var end: UInt64
  /// The codestream, part by part.
  public var imageRanges: [Range<UInt64>]
  /// Whether it says that it has frames to be played.
  public var isAnimated: Bool
  /// Whether a JPEG file can be reconstructed from it, bit by bit.
  public var hasJPEG: Bool
  /// Whether it has EXIF or XMP that is compressed, and so isn't read.
  public var hasCompressedMetadata: Bool

  /// - Throws: `FormatError.read`.
  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool { try JXLFile.begins(in: source) }

  /// - Returns: `nil` when the file is not a JPEG XL picture.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try JXLFile(source), let header = file.header else { return nil }
    (size, isAnimated) = (header.size, header.isAnimated)
    imageRanges = file.codestream.filter { !$0.isEmpty }
    end = file.isBare ? source.count : file.boxes.last?.range.upperBound ?? source.count
    // A part that is cut off is no box.
    end = max(end, imageRanges.last?.upperBound ?? 0)
    hasJPEG = file.box("jbrd") != nil
    hasCompressedMetadata = file.compressedTypes.contains("Exif") || file.compressedTypes.contains("xml ")
    if let box = file.box("Exif"), let range = try JXLFile.exif(of: box, in: source) {
      exif = try source.data(at: range.lowerBound, count: range.count)
    }
    if let content = file.box("xml ")?.content, content.count <= Self.longestBlock, !content.isEmpty {
      xmp = try source.data(at: content.lowerBound, count: content.count)
    }
  }

  /// Walks all boxes, and looks for the last part of the codestream. A bare codestream doesn't tell its length: it is
  /// complete when its head is.
  ///
  /// - Throws: `FormatError.read`.
  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    guard let file = try JXLFile(source) else { return .damaged(at: 0) }
    return try file.walk(source)
  }
}
