// Copies of Matroska and AVI movies without the place and texts.

import CameraCore
import Foundation
import Localization

/// Blanks the parts of a Matroska or AVI file in which a place may be told.
///
/// Nothing moves: an element becomes a `Void` of the same size, a chunk a `JUNK`, both full of zeros, so that indices and
/// offsets stay true. All tags, attachments and titles go, since any of them may name the place.
public enum PlacelessMovie {
  /// In bytes: more than tags and cover pictures take. What is blanked is in memory.
  private static let mostBytes: UInt64 = 256 << 20

  /// The pieces of the copy.
  ///
  /// - Throws: `FormatError.refused` when the file is damaged, so that not all of it is known; `read`.
  public static func pieces<Source: ByteSource>(of source: Source) throws(FormatError) -> [BytePiece<Source>] {
    let patches = try patches(source).sorted { $0.range.lowerBound < $1.range.lowerBound }
    guard patches.reduce(0, { $0 + UInt64($1.range.count) }) <= mostBytes else {
      throw .refused(reason: localized("its texts are too large to be left out"))
    }
    var pieces: [BytePiece<Source>] = []
    var position: UInt64 = 0
    for patch in patches where patch.range.lowerBound >= position {
      if patch.range.lowerBound > position { pieces.append(.file(source, position..<patch.range.lowerBound)) }
      pieces.append(.bytes(patch.head + Data(count: patch.range.count - patch.head.count)))
      position = patch.range.upperBound
    }
    if position < source.count { pieces.append(.file(source, position..<source.count)) }
    return pieces
  }

  /// Whether the copy loses texts that someone may have written.
  ///
  /// - Throws: As `pieces`.
  public static func losesTexts(_ source: any ByteSource) throws(FormatError) -> Bool { try !patches(source).isEmpty }

  /// A stretch that is blanked, and the bytes that it then begins with.
  private typealias Patch = (range: Range<UInt64>, head: Data)

  private static func patches(_ source: any ByteSource) throws(FormatError) -> [Patch] {
    if let head = try MatroskaHead(source) {
      guard head.walk == .complete else { throw .damagedMovie }
      var elements = head.privateElements
      if elements.contains(where: { $0.id == MatroskaHead.ID.title }), let sum = head.checksum { elements.append(sum) }
      return elements.map { ($0.range, void(of: $0.range.count)) }
    }
    if let head = try AVIHead(source) {
      guard head.walk == .complete else { throw .damagedMovie }
      return head.privateChunks.map { chunk in
        (chunk.range, Data("JUNK".utf8 + LittleEndian.bytes(UInt64(chunk.range.count) - 8, 4)))
      }
    }
    throw .damagedMovie
  }

  /// The head of a `Void` element of a length, which is at least 2.
  private static func void(of length: Int) -> Data {
    var bytes: [UInt8] = [UInt8(MatroskaHead.ID.void)]
    if length < 9 {
      bytes.append(0x80 | UInt8(length - 2))
    } else {
      BigEndian.append(1 << 56 | UInt64(length - 9), 8, to: &bytes)
    }
    return Data(bytes)
  }
}
