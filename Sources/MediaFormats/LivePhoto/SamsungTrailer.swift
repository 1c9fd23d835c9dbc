// Samsung's trailer behind a JPEG: named blocks, one of which may be the movie of a motion photo.

import Foundation

/// The trailer that Samsung's phones append to their JPEGs, known as SEF.
///
///     block … block | "SEFH" version count entry … entry | length from "SEFH" to here | "SEFT"
///
/// A block consists of two zeros, its kind (2 bytes), the length of its name (4 bytes), the name and its content. An entry
/// consists of two zeros, the block's kind, its distance back from “SEFH” and its length. Numbers are little endian.
///
/// Untrusted input: blocks lie between the given offset and the directory, and there are at most 256.
///
/// Source: ExifTool's `Samsung.pm`, `ProcessSamsung`.
public struct SamsungTrailer: Sendable, Hashable {
  /// A named part of the trailer.
  public struct Block: Sendable, Hashable {
    public var kind: Int
    /// Behind the block's name, in the file.
    public var content: Range<UInt64>
  }

  public var blocks: [Block]
  /// From the first block to the end of the file.
  public var range: Range<UInt64>

  private static let movieKind = 0x0a30
  private static let mostBlocks = 256
  /// “SEFH”, version and count.
  private static let headLength = 12
  private static let entryLength = 12
  /// Two zeros, the kind and the length of the name.
  private static let blockHeadLength: UInt64 = 8
  /// The length of the directory, and “SEFT”.
  private static let tailLength: UInt64 = 8

  /// Finds the trailer at the end of a file.
  ///
  /// - Parameter start: The offset before which no block lies.
  /// - Returns: `nil` when there is none, or a damaged one.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, from start: UInt64) throws(FormatError) {
    guard source.count >= Self.tailLength, source.count - Self.tailLength >= start else { return nil }
    let tailStart = source.count - Self.tailLength
    let tail = try source.prefix(at: tailStart, count: Int(Self.tailLength))
    guard tail.count == Int(Self.tailLength), tail[4...].elementsEqual("SEFT".utf8) else { return nil }
    let length = Self.number(tail, at: 0, count: 4)
    guard length >= Self.headLength, length <= Self.headLength + Self.entryLength * Self.mostBlocks,
      UInt64(length) <= tailStart - start
    else { return nil }
    let directoryStart = tailStart - UInt64(length)
    let directory = try source.prefix(at: directoryStart, count: length)
    guard directory.count == length, directory.starts(with: "SEFH".utf8) else { return nil }
    let count = Self.number(directory, at: 8, count: 4)
    guard count <= (length - Self.headLength) / Self.entryLength else { return nil }
    (blocks, range) = ([], directoryStart..<source.count)
    for index in 0..<count {
      let entry = Self.headLength + Self.entryLength * index
      let distance = UInt64(Self.number(directory, at: entry + 4, count: 4))
      let length = UInt64(Self.number(directory, at: entry + 8, count: 4))
      guard length >= Self.blockHeadLength, length <= distance, distance <= directoryStart - start else { return nil }
      let block = directoryStart - distance
      let head = try source.prefix(at: block, count: Int(Self.blockHeadLength))
      guard head.count == Int(Self.blockHeadLength) else { return nil }
      let kind = Self.number(head, at: 2, count: 2)
      let nameLength = UInt64(Self.number(head, at: 4, count: 4))
      guard kind == Self.number(directory, at: entry + 2, count: 2), nameLength <= length - Self.blockHeadLength else {
        return nil
      }
      blocks.append(Block(kind: kind, content: block + Self.blockHeadLength + nameLength..<block + length))
      if block < range.lowerBound { range = block..<source.count }
    }
  }

  /// The range of the motion photo's movie; `nil` when no MP4 begins where it should.
  ///
  /// - Throws: `FormatError.read`.
  public func movieRange(in source: any ByteSource) throws(FormatError) -> Range<UInt64>? {
    for block in blocks where block.kind == Self.movieKind && !block.content.isEmpty {
      if try MP4Head.begins(in: source, at: block.content.lowerBound) { return block.content }
    }
    return nil
  }

  private static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
