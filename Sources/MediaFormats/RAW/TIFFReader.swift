// TIFF directories anywhere in a file.

/// Reads the directories of a TIFF file of any size, a few kilobytes at a time. Untrusted input: every offset and every
/// count is checked.
///
/// Source: TIFF 6.0, section 2.
struct TIFFReader {
  /// One entry of a directory.
  struct Entry {
    var type: Int
    /// The number of values.
    var count: Int
    /// The offset of the first.
    var offset: UInt64
  }

  typealias Directory = [UInt16: Entry]

  let firstDirectory: UInt64
  private var window: ByteWindow
  private let isBigEndian: Bool

  /// In bytes, by type: BYTE, ASCII, SHORT and LONG; other types have no whole numbers.
  private static let sizes = [1: 1, 3: 2, 4: 4, 7: 1]
  /// Of all types, RATIONAL, DOUBLE and the signed ones included.
  private static let allSizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  /// - Returns: `nil` when the file doesn't begin as a TIFF.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    window = ByteWindow(source)
    let head = Array(try window.bytes(at: 0, count: 8))
    guard head.count == 8, head[0] == head[1], head[0] == UInt8(ascii: "I") || head[0] == UInt8(ascii: "M") else {
      return nil
    }
    isBigEndian = head[0] == UInt8(ascii: "M")
    guard Self.number(head[2..<4], isBigEndian) == 42 else { return nil }
    firstDirectory = UInt64(Self.number(head[4..<8], isBigEndian))
  }

  /// The entries of the directory at an offset; fewer when it is cut short.
  ///
  /// - Throws: `FormatError.read`.
  mutating func directory(at offset: UInt64) throws(FormatError) -> Directory {
    guard let count = try number(at: offset, bytes: 2) else { return [:] }
    var entries: Directory = [:]
    for index in 0..<count {
      let at = offset + 2 + UInt64(12 * index)
      guard let tag = try number(at: at, bytes: 2), let type = try number(at: at + 2, bytes: 2),
        let count = try number(at: at + 4, bytes: 4), let value = try number(at: at + 8, bytes: 4)
      else { break }
      guard (1...Self.allSizes.count).contains(type) else { continue }
      // A value of up to four bytes is stored instead of its offset.
      let isInside = count * Self.allSizes[type - 1] <= 4
      entries[UInt16(tag)] = Entry(type: type, count: count, offset: isInside ? at + 8 : UInt64(value))
    }
    return entries
  }

  /// The whole numbers of an entry.
  ///
  /// - Returns: None without an entry, or where they are of another type, more than `most` or beyond the file's end.
  /// - Throws: `FormatError.read`.
  mutating func numbers(_ entry: Entry?, most: Int) throws(FormatError) -> [Int] {
    guard let entry, let size = Self.sizes[entry.type], entry.count <= most else { return [] }
    var numbers: [Int] = []
    for index in 0..<entry.count {
      guard let number = try number(at: entry.offset + UInt64(index * size), bytes: size) else { return [] }
      numbers.append(number)
    }
    return numbers
  }

  private mutating func number(at offset: UInt64, bytes count: Int) throws(FormatError) -> Int? {
    let bytes = try window.bytes(at: offset, count: count)
    return bytes.count == count ? Self.number(bytes, isBigEndian) : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> Int {
    isBigEndian ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
