// The facts of a TIFF file that an index needs.

import CameraCore
import Foundation

/// The size and the metadata blocks of a TIFF file.
///
/// Nothing is decoded, and the input is untrusted. BigTIFF is read, and not changed.
///
/// A TIFF has no EXIF block of its own: its first directory describes the picture and points to EXIF's. `exif` puts
/// together what a file of another format has in a block, and a change takes such a block apart again.
///
/// Source: TIFF 6.0; Exif 3.0 (CIPA DC-008), 4.6; XMP specification, part 3, 1.1.7 (tag 700); ICC.1, B.3 (tag 34675).
public struct TIFFHead: PictureContainer {
  /// Of the first full picture, as stored.
  public var size: PixelSize
  /// The descriptive tags of the first directory, EXIF's directory and those of positions and interoperability, as a
  /// TIFF structure of its own in the file's byte order. The bytes of maker notes are as they were, but elsewhere.
  public var exif: Data?
  public var xmp: Data?
  /// The ICC profile of the first full picture.
  public var profile: Data?
  /// The end of the file: the parts of a TIFF may lie anywhere, so nothing can be told to be behind it.
  public var end: UInt64
  /// The strips or tiles of the first full picture in their order, as far as they are in the file. Those that follow
  /// each other directly are one range.
  public var imageRanges: [Range<UInt64>]
  /// The number of full pictures, as of a scanned document; at least 1.
  public var pageCount: Int
  /// Whether it is a camera's raw file rather than a plain picture: a DNG, or samples behind a mosaic of color filters.
  /// Other raw files begin as a TIFF as well, and only their makers tell them apart.
  public var isRaw: Bool
  /// Of one sample of the first full picture.
  public var bitsPerSample: Int

  /// A TIFF has pages, which aren't played.
  public var isAnimated: Bool { false }

  /// The forms of a raw picture's samples (DNG 1.7, “PhotometricInterpretation”): a mosaic, and linear light.
  private static let rawPhotometrics: [UInt64] = [32_803, 34_892]

  /// - Throws: `FormatError.read`.
  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool { try TIFFFile.begins(in: source) }

  /// - Returns: `nil` when the file is not a TIFF with pixels in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard var file = try TIFFFile(source), let picture = file.picture, let first = file.chain.first else { return nil }
    (size, end) = (picture.size, source.count)
    imageRanges = Self.merged(picture.pixels.ranges, upTo: file.reader.length)
    pageCount = 0
    for directory in file.chain where try file.isPage(directory) { pageCount += 1 }
    pageCount = max(pageCount, 1)
    isRaw = try Self.isRaw(&file)
    bitsPerSample = Int(clamping: try file.reader.value(picture.page[TIFFTag.bitsPerSample]) ?? 1)
    var left = Self.longestBlock
    let fields = try file.reader.exif(of: first, &left)
    if !fields.isEmpty, left >= 0 { exif = Self.block(fields, isBigEndian: file.reader.isBigEndian) }
    xmp = try file.block(first[TIFFTag.xmp]).map { Data($0) }
    profile = try file.block(picture.page[TIFFTag.profile]).map { Data($0) }
  }

  /// A TIFF structure with these entries in its first directory.
  static func block(_ fields: [TIFFField], isBigEndian: Bool) -> Data {
    let head = TIFFWriter.head(firstDirectory: 8, isBigEndian: isBigEndian)
    var writer = TIFFWriter(isBigEndian: isBigEndian, base: UInt64(head.count))
    writer.append(fields)
    return Data(head + writer.bytes)
  }

  static func isRaw(_ file: inout TIFFFile) throws(FormatError) -> Bool {
    guard let first = file.chain.first, first[TIFFTag.dngVersion] == nil else { return true }
    let directories = [file.picture?.page, first].compactMap(\.self)
    for directory in directories + (try file.subdirectories(of: first)) {
      if let kind = try file.reader.value(directory[TIFFTag.photometric]), rawPhotometrics.contains(kind) {
        return true
      }
    }
    return false
  }

  private static func merged(_ ranges: [Range<UInt64>], upTo end: UInt64) -> [Range<UInt64>] {
    var merged: [Range<UInt64>] = []
    for range in ranges where range.lowerBound < end && !range.isEmpty {
      let clipped = range.clamped(to: 0..<end)
      if let last = merged.last, last.upperBound == clipped.lowerBound {
        merged[merged.count - 1] = last.lowerBound..<clipped.upperBound
      } else {
        merged.append(clipped)
      }
    }
    return merged
  }

  /// Looks for directories that can't be, and for pixels of all pages that aren't in the file.
  ///
  /// - Throws: `FormatError.read`.
  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    guard var file = try TIFFFile(source) else { return .damaged(at: 0) }
    return try file.survey().walk
  }
}

extension TIFFFile {
  /// The bytes of an XMP packet or a color profile; `nil` without one, or when it is longer than is read.
  ///
  /// - Throws: `FormatError.read`.
  mutating func block(_ entry: TIFFReader.Entry?) throws(FormatError) -> [UInt8]? {
    guard let entry, TIFFTag.blockTypes.contains(entry.type), let range = reader.range(of: entry), !range.isEmpty,
      range.count <= TIFFHead.longestBlock
    else { return nil }
    return try reader.bytes(range)
  }
}
