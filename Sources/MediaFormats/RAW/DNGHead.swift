// The directories of a DNG file.

import CameraCore
import Foundation
import Localization

/// What a DNG says of its raw picture. Untrusted input: every offset and every count is checked.
///
///     let head = try DNGHead(file)        // nil: it is no DNG
///     head?.uniqueID                      // the id of the picture that it belongs to
///     head?.strips                        // where the samples are
///
/// Source: Adobe, Digital Negative Specification 1.4.0.0.
public struct DNGHead: Sendable, Hashable {
  /// Of the raw picture, in pixels.
  public var size: PixelSize
  /// Of a sample in the file.
  public var bitsPerSample: Int
  /// The colors of the two by two pixels at the upper left corner; 0 is red, 1 green, 2 blue. Empty for other patterns.
  public var pattern: [UInt8]
  public var blackLevel: Int
  public var whiteLevel: Int
  /// Whether samples are decoded by a table.
  public var isLinearized: Bool
  /// As in EXIF, 1 to 8; 1 is upright.
  public var orientation: Int
  /// 32 lowercase hexadecimal digits; `nil` where it has none.
  public var uniqueID: String?
  /// The byte ranges of the samples.
  public var strips: [Range<UInt64>]
  /// The byte range of the preview, a JPEG; `nil` where it has none.
  public var preview: Range<UInt64>?

  /// The most strips of a picture: one for each row of the tallest.
  private static let mostStrips = 1 << 16

  /// - Returns: `nil` when it isn't a DNG with a raw picture that has one sample for each pixel.
  /// - Throws: `FormatError.refused` when it is cut short, `read` when the file can't be read.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard var reader = try TIFFReader(source) else { return nil }
    let first = try reader.directory(at: reader.firstDirectory)
    guard first[DNGFile.Tag.dngVersion] != nil else { return nil }
    var directories = [first]
    for offset in try reader.numbers(first[DNGFile.Tag.subdirectories], most: 8) {
      directories.append(try reader.directory(at: UInt64(offset)))
    }
    var raw: TIFFReader.Directory?
    var small: TIFFReader.Directory?
    for directory in directories {
      switch try reader.numbers(directory[DNGFile.Tag.photometric], most: 1).first {
      case 32_803 where raw == nil: raw = directory
      case 2, 6: small = small ?? directory
      default: break
      }
    }
    guard let raw else { return nil }
    func number(_ tag: UInt16, _ directory: TIFFReader.Directory) throws(FormatError) -> Int? {
      try reader.numbers(directory[tag], most: 1).first
    }
    guard let width = try number(DNGFile.Tag.width, raw), let height = try number(DNGFile.Tag.height, raw),
      (1..<1 << 16).contains(width), (1..<1 << 16).contains(height),
      let bits = try number(DNGFile.Tag.bitsPerSample, raw), (1...32).contains(bits)
    else { return nil }
    size = PixelSize(width: width, height: height)
    bitsPerSample = bits
    let colors = try reader.numbers(raw[DNGFile.Tag.pattern], most: 4)
    pattern = colors.count == 4 && colors.allSatisfy { $0 < 3 } ? colors.map(UInt8.init) : []
    blackLevel = try number(DNGFile.Tag.blackLevel, raw) ?? 0
    whiteLevel = try number(DNGFile.Tag.whiteLevel, raw) ?? (1 << bits - 1)
    isLinearized = raw[DNGFile.Tag.linearizationTable] != nil
    let turn = try number(DNGFile.Tag.orientation, first) ?? 1
    orientation = (1...8).contains(turn) ? turn : 1
    uniqueID = try Self.uniqueID(in: first, &reader)
    strips = try Self.ranges(raw, &reader, in: source)
    guard !strips.isEmpty else { return nil }
    if let small, try number(DNGFile.Tag.compression, small) == 7 {
      preview = try? Self.ranges(small, &reader, in: source).first
    }
    // An uncompressed picture needs all its samples.
    if try number(DNGFile.Tag.compression, raw) == 1 {
      let needed = UInt64(height) * UInt64((width * bits + 7) / 8)
      guard strips.reduce(0, { $0 + ($1.upperBound - $1.lowerBound) }) >= needed else {
        throw .refused(reason: localized("the raw picture is incomplete"))
      }
    }
  }

  /// The id alone, also of a DNG whose picture is damaged.
  ///
  /// - Returns: `nil` when it is no DNG, or has none.
  /// - Throws: `FormatError.read`.
  public static func uniqueID(of source: any ByteSource) throws(FormatError) -> String? {
    guard var reader = try TIFFReader(source) else { return nil }
    let first = try reader.directory(at: reader.firstDirectory)
    return first[DNGFile.Tag.dngVersion] == nil ? nil : try uniqueID(in: first, &reader)
  }

  /// Whether PhotoMe wrote it beside another picture, which its id names.
  ///
  /// - Throws: `FormatError.read`.
  public static func isOfShot(_ source: any ByteSource) throws(FormatError) -> Bool {
    guard var reader = try TIFFReader(source) else { return false }
    let first = try reader.directory(at: reader.firstDirectory)
    guard first[DNGFile.Tag.dngVersion] != nil, let entry = first[DNGFile.Tag.software], entry.count < 256,
      let range = reader.range(of: entry), let text = try reader.bytes(range), text.starts(with: "PhotoMe".utf8)
    else { return false }
    return try uniqueID(in: first, &reader) != nil
  }

  private static func uniqueID(
    in directory: TIFFReader.Directory, _ reader: inout TIFFReader
  ) throws(FormatError) -> String? {
    let id = try reader.numbers(directory[DNGFile.Tag.rawDataUniqueID], most: 16)
    return id.count == 16 && id.allSatisfy { $0 < 256 } ? id.map { hexadecimal($0) }.joined() : nil
  }

  private static func ranges(
    _ directory: TIFFReader.Directory, _ reader: inout TIFFReader, in source: any ByteSource
  ) throws(FormatError) -> [Range<UInt64>] {
    let offsets = try reader.numbers(directory[DNGFile.Tag.stripOffsets], most: mostStrips)
    let counts = try reader.numbers(directory[DNGFile.Tag.stripByteCounts], most: mostStrips)
    guard offsets.count == counts.count else { return [] }
    var ranges: [Range<UInt64>] = []
    for (offset, count) in zip(offsets, counts) {
      guard UInt64(offset) + UInt64(count) <= source.count else {
        throw .refused(reason: localized("the picture is incomplete"))
      }
      ranges.append(UInt64(offset)..<UInt64(offset) + UInt64(count))
    }
    return ranges
  }

  private static func hexadecimal(_ byte: Int) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
