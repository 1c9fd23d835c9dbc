// The facts of a camera's raw file that an index needs.

import CameraCore
import Foundation
import Localization

/// The size, the metadata blocks and the preview of a raw file.
///
///     if let preview = try RAWHead(file)?.preview { … }   // the picture as the camera has developed it
///
/// Most makers write TIFF files with tags of their own; Fujifilm has a header of its own, and Canon's newer files consist
/// of boxes. Nothing is decoded, the input is untrusted, and raw files are never changed: other programs' notes on them
/// count offsets that nobody has described.
///
/// Source: TIFF 6.0; TIFF/EP (ISO 12234-2); Adobe, Digital Negative Specification 1.7; the descriptions of makers' tags in
/// the documentation of ExifTool.
public struct RAWHead: PictureContainer {
  /// A JPEG in the file.
  public struct Preview: Sendable, Hashable {
    /// In bytes of the file.
    public var range: Range<UInt64>
    /// As stored.
    public var size: PixelSize
  }

  /// As the camera shows it, before the turn by EXIF's orientation.
  public var size: PixelSize
  public var exif: Data?
  public var xmp: Data?
  /// The end of the file.
  public var end: UInt64
  /// The stretches of the raw picture; the whole file where they aren't known.
  public var imageRanges: [Range<UInt64>]
  /// The largest JPEG with the same aspect ratio as the picture, which the camera has developed; `nil` without one.
  public var preview: Preview?
  /// Whether stretches of the raw picture are beyond the file's end.
  public private(set) var isCutShort = false

  public var isAnimated: Bool { false }

  /// The difference of two aspect ratios, as a part of one, that makes them those of different pictures: others have black
  /// bars or are cropped.
  private static let aspectTolerance = 0.03

  /// - Throws: `FormatError.read`.
  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    if try RAWBoxes.begins(in: source) { return true }
    if try FujifilmFile.begins(in: source) { return true }
    return try RAWDirectories(source) != nil
  }

  /// - Returns: `nil` when the file is not a raw file with a picture in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    var parts = Parts()
    if try RAWBoxes.begins(in: source) {
      parts = try RAWBoxes.parts(of: source)
    } else if try FujifilmFile.begins(in: source) {
      parts = try FujifilmFile.parts(of: source)
    } else if var directories = try RAWDirectories(source) {
      parts = try directories.parts()
    } else {
      return nil
    }
    guard let size = parts.size, size.width > 0, size.height > 0 else { return nil }
    (self.size, end, exif, xmp) = (size, source.count, parts.exif, parts.xmp)
    isCutShort = parts.pixels.contains { $0.upperBound > source.count }
    imageRanges = parts.pixels.compactMap {
      let range = $0.clamped(to: 0..<source.count)
      return range.isEmpty ? nil : range
    }
    if imageRanges.isEmpty { imageRanges = [0..<source.count] }
    preview = try Self.preview(among: parts.previews, of: size, in: source)
  }

  /// What the forms of raw files have in common.
  struct Parts {
    var size: PixelSize?
    var exif: Data?
    var xmp: Data?
    /// Also those beyond the file's end.
    var pixels: [Range<UInt64>] = []
    /// Where JPEGs may be.
    var previews: [Range<UInt64>] = []
  }

  /// Candidates beyond these are not looked at.
  private static let mostPreviews = 16

  private static func preview(
    among ranges: [Range<UInt64>], of size: PixelSize, in source: any ByteSource
  ) throws(FormatError) -> Preview? {
    var best: Preview?
    for range in ranges.prefix(mostPreviews) where !range.isEmpty && range.upperBound <= source.count {
      // A raw picture may be a JPEG as well, of 12 to 16 bits without loss.
      guard let head = try JPEGHead(SourceStretch(source, range: range)), head.frameHeader.first == 8,
        head.size.area > best?.size.area ?? 0
      else { continue }
      let ratio = Double(head.size.width * size.height) / Double(head.size.height * size.width)
      if abs(ratio - 1) <= aspectTolerance { best = Preview(range: range, size: head.size) }
    }
    return best
  }

  /// Looks for stretches of the raw picture that aren't in the file.
  ///
  /// - Throws: `FormatError.read`.
  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    guard let head = try RAWHead(source) else { return .damaged(at: 0) }
    return head.isCutShort ? .cutShort : .complete
  }

  /// - Throws: `FormatError.refused`, unless nothing is to be changed.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard change == PictureMetadata() else {
      throw .refused(reason: localized("RAW files are never changed"))
    }
    return [.file(source, 0..<source.count)]
  }
}
