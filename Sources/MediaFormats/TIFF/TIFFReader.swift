// TIFF directories anywhere in a file.

/// Reads the directories of a TIFF file of any size, a few kilobytes at a time. Untrusted input: every offset and every
/// count is checked, and the number of entries that are read is limited.
///
/// Source: TIFF 6.0, section 2; BigTIFF (version 43), whose counts and offsets have 64 bits.
struct TIFFReader: Sendable {
  /// One entry of a directory.
  struct Entry: Sendable, Hashable {
    var tag: UInt16
    var type: UInt16
    /// The number of values.
    var count: UInt64
    /// The offset of the first.
    var offset: UInt64
    /// As the entry stores it: an offset, or the values themselves as one number in the file's byte order.
    var stored: UInt64
    /// The length of all values; `nil` for an unknown type, or when it is no length that a file can have.
    var byteCount: UInt64?
    /// Whether the values are stored instead of their offset.
    var isInside: Bool
  }

  /// The entries of a directory, without their values.
  struct Directory: Sendable, Hashable {
    /// From the number of entries to the offset of the next directory, as far as it can be read.
    var range: Range<UInt64>
    /// The first one of each tag, in the order of the file. Those of unknown types are among them.
    var entries: [Entry] = []
    /// Tags that occur more than once, which no reader expects.
    var repeated: Set<UInt16> = []
    /// The offset of the next directory; 0 for none.
    var next: UInt64 = 0
    /// Whether the file holds all of it, and it could be read within the limit.
    var isComplete = false

    subscript(tag: UInt16) -> Entry? { entries.first { $0.tag == tag } }
  }

  let firstDirectory: UInt64
  let isBigEndian: Bool
  /// Whether it is a BigTIFF.
  let isBig: Bool
  /// In bytes. Nothing behind is read.
  private(set) var length: UInt64
  /// The entries that may still be read. A few directories have a few dozen; a long chain of pages has more.
  private(set) var entriesLeft = 1 << 17
  private var window: ByteWindow

  /// The types that every TIFF may have.
  static let classicTypes: ClosedRange<UInt16> = 1...13
  /// In bytes, by type: BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED, SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE,
  /// IFD; BigTIFF's LONG8, SLONG8 and IFD8.
  private static let sizes: [UInt64] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
  /// The types of unsigned whole numbers, bytes of unknown meaning included.
  private static let unsignedTypes: Set<UInt16> = [1, 3, 4, 7, 13, 16, 18]

  /// Whether a file begins as a TIFF, which many raw formats do as well.
  ///
  /// - Throws: `FormatError.read`.
  static func begins(in source: any ByteSource) throws(FormatError) -> Bool { try TIFFReader(source) != nil }

  /// The versions that makers of cameras give to raw files of this structure, by the bytes behind the byte order:
  /// Olympus writes `RO` or `RS`, Panasonic `U`.
  static let rawVersions: Set<UInt64> = [0x4f52, 0x5352, 0x55]

  /// - Parameter takesRaw: Whether the versions of raw files are read as well.
  /// - Returns: `nil` when the file doesn't begin as a TIFF.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource, takesRaw: Bool = false) throws(FormatError) {
    window = ByteWindow(source)
    // A source may state any length: with this one, no sum of an offset and the length of an entry is too large.
    length = min(source.count, 1 << 62)
    let head = Array(try window.bytes(at: 0, count: 16))
    guard head.count >= 8, head[0] == head[1], head[0] == UInt8(ascii: "I") || head[0] == UInt8(ascii: "M") else {
      return nil
    }
    isBigEndian = head[0] == UInt8(ascii: "M")
    switch Self.number(head[2..<4], isBigEndian) {
    case let version where version == 42 || takesRaw && Self.rawVersions.contains(version):
      isBig = false
      firstDirectory = Self.number(head[4..<8], isBigEndian)
    case 43 where head.count == 16 && Self.number(head[4..<8], isBigEndian) == (isBigEndian ? 8 << 16 : 8):
      isBig = true
      firstDirectory = Self.number(head[8..<16], isBigEndian)
    default: return nil
    }
  }

  /// The same for the beginning of the file.
  func limited(to length: UInt64) -> TIFFReader {
    var reader = self
    reader.length = min(length, self.length)
    return reader
  }

  /// The directory at an offset; incomplete or empty when it is cut short, or beyond the end.
  ///
  /// - Throws: `FormatError.read`.
  mutating func directory(at offset: UInt64) throws(FormatError) -> Directory {
    var directory = Directory(range: offset..<offset)
    let (numberSize, entrySize, fieldSize) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard offset < length, let count = try number(at: offset, bytes: numberSize) else { return directory }
    var at = offset + UInt64(numberSize)
    var tags: Set<UInt16> = []
    var index: UInt64 = 0
    while index < count {
      directory.range = offset..<at
      guard entriesLeft > 0 else { return directory }
      entriesLeft -= 1
      let bytes = try window.bytes(at: at, count: entrySize)
      guard bytes.count == entrySize, at + UInt64(entrySize) <= length else { return directory }
      let (first, field) = (bytes.startIndex, bytes.endIndex - fieldSize)
      let tag = UInt16(truncatingIfNeeded: Self.number(bytes[first..<first + 2], isBigEndian))
      let type = UInt16(truncatingIfNeeded: Self.number(bytes[(first + 2)..<first + 4], isBigEndian))
      let values = Self.number(bytes[(first + 4)..<field], isBigEndian)
      let stored = Self.number(bytes[field...], isBigEndian)
      if tags.insert(tag).inserted {
        let length = byteCount(type, values)
        // Values that fit are stored instead of their offset.
        let isInside = length.map { $0 <= UInt64(fieldSize) } ?? false
        directory.entries.append(
          Entry(
            tag: tag, type: type, count: values, offset: isInside ? at + UInt64(entrySize - fieldSize) : stored,
            stored: stored, byteCount: length, isInside: isInside))
      } else {
        directory.repeated.insert(tag)
      }
      at += UInt64(entrySize)
      index += 1
    }
    directory.range = offset..<at
    guard let next = try number(at: at, bytes: fieldSize) else { return directory }
    directory.range = offset..<at + UInt64(fieldSize)
    directory.next = next
    directory.isComplete = true
    return directory
  }

  private func byteCount(_ type: UInt16, _ count: UInt64) -> UInt64? {
    guard Self.classicTypes.contains(type) || isBig && (16...18).contains(type) else { return nil }
    let (product, isTooLarge) = count.multipliedReportingOverflow(by: Self.sizes[Int(type)])
    return isTooLarge || product > 1 << 62 ? nil : product
  }

  /// Where the values of an entry are; `nil` for an unknown type, or where they are beyond the file's end.
  func range(of entry: Entry) -> Range<UInt64>? {
    guard let count = entry.byteCount, count <= length, entry.offset <= length - count else { return nil }
    return entry.offset..<entry.offset + count
  }

  /// The unsigned numbers of an entry.
  ///
  /// - Returns: `nil` without an entry, or where they are of another type, more than `most` or beyond the file's end.
  /// - Throws: `FormatError.read`.
  mutating func values(_ entry: Entry?, most: Int) throws(FormatError) -> [UInt64]? {
    guard let entry, Self.unsignedTypes.contains(entry.type), entry.count <= UInt64(most),
      let range = range(of: entry)
    else { return nil }
    let size = Int(Self.sizes[Int(entry.type)])
    var values: [UInt64] = []
    values.reserveCapacity(Int(entry.count))
    var offset = range.lowerBound
    while offset < range.upperBound {
      let part = try window.bytes(at: offset, count: Int(min(range.upperBound - offset, 1024)))
      guard !part.isEmpty, part.count % size == 0 else { return nil }
      for index in stride(from: part.startIndex, to: part.endIndex, by: size) {
        values.append(Self.number(part[index..<index + size], isBigEndian))
      }
      offset += UInt64(part.count)
    }
    return values
  }

  /// The whole numbers of an entry.
  ///
  /// - Returns: None without an entry, or where they are of another type, more than `most` or beyond the file's end.
  /// - Throws: `FormatError.read`.
  mutating func numbers(_ entry: Entry?, most: Int) throws(FormatError) -> [Int] {
    let values = try values(entry, most: most) ?? []
    let numbers = values.compactMap { Int(exactly: $0) }
    return numbers.count == values.count ? numbers : []
  }

  /// The first of the unsigned numbers of an entry.
  ///
  /// - Returns: `nil` where `values` gives none.
  /// - Throws: `FormatError.read`.
  mutating func value(_ entry: Entry?) throws(FormatError) -> UInt64? {
    guard var entry, entry.count > 0, range(of: entry) != nil, Self.unsignedTypes.contains(entry.type) else {
      return nil
    }
    entry.count = 1
    entry.byteCount = Self.sizes[Int(entry.type)]
    return try values(entry, most: 1)?.first
  }

  /// The bytes in a range, in the byte order of the file; `nil` past its end.
  ///
  /// - Throws: `FormatError.read`.
  mutating func bytes(_ range: Range<UInt64>) throws(FormatError) -> [UInt8]? {
    guard range.upperBound <= length else { return nil }
    let bytes = Array(try window.bytes(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound)))
    return UInt64(bytes.count) == range.upperBound - range.lowerBound ? bytes : nil
  }

  private mutating func number(at offset: UInt64, bytes count: Int) throws(FormatError) -> UInt64? {
    let bytes = try window.bytes(at: offset, count: count)
    return bytes.count == count && offset + UInt64(count) <= length ? Self.number(bytes, isBigEndian) : nil
  }

  static func number(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt64 {
    isBigEndian ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
