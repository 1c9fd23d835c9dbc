// TIFF directories, the form of EXIF blocks, maker notes and multi-picture indexes.

import Foundation

/// Bytes with TIFF directories in them. Untrusted input: every offset and every count is checked.
///
/// Source: TIFF 6.0, section 2.
public struct TIFFStructure: Sendable {
  /// One entry of a directory.
  public struct Entry: Sendable, Hashable {
    public var tag: Int
    /// The range of its value in the bytes.
    public var value: Range<Int>
  }

  public private(set) var bytes: [UInt8]
  private let isBigEndian: Bool

  /// A structure without a header.
  public init(_ bytes: [UInt8], isBigEndian: Bool) { (self.bytes, self.isBigEndian) = (bytes, isBigEndian) }

  /// A structure with a header, which states the byte order; `nil` when there is no header.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (UInt8(ascii: "I"), UInt8(ascii: "I")): self.init(bytes, isBigEndian: false)
    case (UInt8(ascii: "M"), UInt8(ascii: "M")): self.init(bytes, isBigEndian: true)
    default: return nil
    }
    guard number(at: 2, bytes: 2) == 42 else { return nil }
  }

  /// The offset of the first directory of a structure with a header.
  public var firstDirectory: Int { number(at: 4, bytes: 4) ?? 0 }

  /// The entries of the directory at an offset; fewer when it is cut short, none when there is no directory.
  public func entries(at offset: Int) -> [Entry] {
    guard let count = number(at: offset, bytes: 2) else { return [] }
    var entries: [Entry] = []
    for index in 0..<count {
      let at = offset + 2 + 12 * index
      guard let tag = number(at: at, bytes: 2), let type = number(at: at + 2, bytes: 2),
        let count = number(at: at + 4, bytes: 4), let offset = number(at: at + 8, bytes: 4)
      else { break }
      let length = count * (Self.sizes[type] ?? 1)
      // A value of up to four bytes is stored instead of its offset.
      let start = length <= 4 ? at + 8 : offset
      guard start + length <= bytes.count else { continue }
      entries.append(Entry(tag: tag, value: start..<start + length))
    }
    return entries
  }

  /// An unsigned number of up to four bytes; `nil` past the end.
  public func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    let digits = bytes[offset..<offset + count]
    return isBigEndian ? digits.reduce(0) { $0 << 8 | Int($1) } : digits.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Writes a number of four bytes; nothing past the end.
  public mutating func setNumber(_ number: UInt32, at offset: Int) {
    guard offset >= 0, offset + 4 <= bytes.count else { return }
    for index in 0..<4 {
      let shift = 8 * UInt32(isBigEndian ? 3 - index : index)
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }

  /// In bytes, by type: BYTE, ASCII, SHORT, LONG, RATIONAL and their signed forms.
  private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8]
}
