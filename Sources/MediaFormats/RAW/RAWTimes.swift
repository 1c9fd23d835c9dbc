// The dates in a raw file, to be overwritten where they are.

import Foundation
import Localization

/// The texts of dates in a raw file that is a TIFF, with their places.
///
/// Raw files are never written anew: other programs' notes on them count offsets that nobody has described. A date with as
/// many letters as before moves nothing.
///
/// Source: TIFF/EP (ISO 12234-2); Exif 3.0 (CIPA DC-008), 4.6.
public struct RAWTimes: Sendable {
  /// The texts and their ranges in the file, zeros at the end included.
  public private(set) var texts: [(tag: EXIFBlock.Text, range: Range<UInt64>, text: String)] = []

  /// In bytes: a date with its zero.
  private static let longest: UInt64 = 20

  /// - Returns: `nil` for a file of another structure, and for one that doesn't tell when it was taken.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard var reader = try TIFFReader(source, takesRaw: true), !reader.isBig else { return nil }
    var directories = [try reader.directory(at: reader.firstDirectory)]
    if let camera = try reader.value(directories[0][TIFFTag.exif]) {
      directories.append(try reader.directory(at: camera))
    }
    for directory in directories {
      for tag in EXIFBlock.Text.allCases {
        guard let entry = directory[tag.rawValue], entry.type == 2, let range = reader.range(of: entry),
          UInt64(range.count) <= Self.longest, let bytes = try reader.bytes(range)
        else { continue }
        texts.append((tag, range, String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)))
      }
    }
    guard text(.dateTimeOriginal) != nil else { return nil }
  }

  /// The first text of a tag.
  public func text(_ tag: EXIFBlock.Text) -> String? { texts.first { $0.tag == tag }?.text }

  /// The pieces of a file with other texts, which are cut or filled up to the length of the old ones.
  public func pieces<Source: ByteSource>(of source: Source, _ new: [EXIFBlock.Text: String]) -> [BytePiece<Source>] {
    var pieces: [BytePiece<Source>] = []
    var position: UInt64 = 0
    for item in texts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard let text = new[item.tag], item.range.lowerBound >= position else { continue }
      let count = Int(item.range.upperBound - item.range.lowerBound)
      // Some cameras leave the zero at the end out.
      let room = item.text.utf8.count == count ? count : max(0, count - 1)
      let bytes = Array(text.utf8.prefix(room))
      pieces += [
        .file(source, position..<item.range.lowerBound), .bytes(Data(bytes + BigEndian.zeros(count - bytes.count))),
      ]
      position = item.range.upperBound
    }
    return pieces + [.file(source, position..<source.count)]
  }
}
