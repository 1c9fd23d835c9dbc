// The box that says where the bytes of a HEIF file's items are.

import Localization

/// The item location box `iloc`.
///
/// Untrusted input: counts are limited, and every number is checked. Its fields keep their widths, so that a table whose
/// offsets have moved is as long as before.
///
/// Source: ISO/IEC 14496-12, 8.11.3.
struct HEIFLocations: Sendable, Hashable {
  /// A stretch of an item's bytes.
  struct Extent: Sendable, Hashable {
    var index: UInt64 = 0
    /// From the base of its item.
    var offset: UInt64
    var length: UInt64
  }

  /// The place of one item.
  struct Entry: Sendable, Hashable {
    var id: UInt32
    /// With reserved bits; the lowest four are the construction method.
    var method: UInt16 = 0
    /// 0 for this file.
    var reference: UInt16 = 0
    var base: UInt64 = 0
    var extents: [Extent]

    /// Whether its offsets count from the start of this file.
    var isInFile: Bool { method & 15 == 0 && reference == 0 }
    /// Whether they count from the start of the `idat` box.
    var isInBox: Bool { method & 15 == 1 && reference == 0 }
  }

  private static let mostExtents = 100_000

  private let head: [UInt8]
  private let widths: (offset: Int, length: Int, base: Int, index: Int)
  private let nibbles: UInt16
  var entries: [Entry] = []

  private var version: UInt8 { head[0] }

  /// The entries of some items, by their ids; of several for one, the first.
  func entries(of ids: Set<UInt32>) -> [UInt32: Entry] {
    Dictionary(entries.lazy.filter { ids.contains($0.id) }.map { ($0.id, $0) }) { first, _ in first }
  }

  static func == (one: Self, other: Self) -> Bool {
    (one.head, one.nibbles, one.entries) == (other.head, other.nibbles, other.entries)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(entries) }

  /// - Throws: `FormatError.refused`.
  init(_ bytes: [UInt8]) throws(FormatError) {
    guard bytes.count >= 8, bytes[0] <= 2 else { throw HEIFDirectory.damaged }
    head = Array(bytes[..<4])
    let nibbles = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    self.nibbles = nibbles
    let version = bytes[0]
    let fields = [12, 8, 4, 0].map { Int(nibbles >> UInt16($0) & 15) }
    widths = (fields[0], fields[1], fields[2], version == 0 ? 0 : fields[3])
    guard fields.prefix(version == 0 ? 3 : 4).allSatisfy({ [0, 4, 8].contains($0) }) else {
      throw HEIFDirectory.damaged
    }
    var reader = HEIFReader(bytes[6...])
    let count = try reader.number(version == 2 ? 4 : 2)
    var extentsLeft = Self.mostExtents
    for _ in 0..<count {
      var entry = Entry(id: UInt32(try reader.number(version == 2 ? 4 : 2)), extents: [])
      if version > 0 { entry.method = UInt16(try reader.number(2)) }
      entry.reference = UInt16(try reader.number(2))
      entry.base = try reader.number(widths.base)
      let extents = try reader.number(2)
      extentsLeft -= Int(extents) + 1
      guard extentsLeft >= 0 else { throw .refused(reason: localized("the picture is in too many parts")) }
      for _ in 0..<extents {
        let index = try reader.number(widths.index)
        let offset = try reader.number(widths.offset)
        entry.extents.append(Extent(index: index, offset: offset, length: try reader.number(widths.length)))
      }
      entries.append(entry)
    }
    guard reader.isAtEnd else { throw HEIFDirectory.damaged }
  }

  /// The content of the box.
  var bytes: [UInt8] {
    var result = head
    BigEndian.append(UInt64(nibbles), 2, to: &result)
    let idWidth = version == 2 ? 4 : 2
    BigEndian.append(UInt64(entries.count), idWidth, to: &result)
    for entry in entries {
      BigEndian.append(UInt64(entry.id), idWidth, to: &result)
      if version > 0 { BigEndian.append(UInt64(entry.method), 2, to: &result) }
      BigEndian.append(UInt64(entry.reference), 2, to: &result)
      BigEndian.append(entry.base, widths.base, to: &result)
      BigEndian.append(UInt64(entry.extents.count), 2, to: &result)
      for extent in entry.extents {
        BigEndian.append(extent.index, widths.index, to: &result)
        BigEndian.append(extent.offset, widths.offset, to: &result)
        BigEndian.append(extent.length, widths.length, to: &result)
      }
    }
    return result
  }

  /// The largest id that the box can hold.
  var largestID: UInt32 { version == 2 ? .max : UInt32(UInt16.max) }

  /// The ranges of an item in the file or in `idat`.
  ///
  /// - Parameter limit: An extent of length 0 reaches to it.
  /// - Throws: `FormatError.refused` when a range is impossible, or ends behind the limit.
  func ranges(of entry: Entry, upTo limit: UInt64) throws(FormatError) -> [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    for extent in entry.extents {
      let (start, overflows) = entry.base.addingReportingOverflow(extent.offset)
      guard !overflows, start <= limit else { throw .refused(reason: localized("the file is incomplete")) }
      let length = extent.length == 0 && widths.length == 0 ? limit - start : extent.length
      guard length <= limit - start else { throw .refused(reason: localized("the file is incomplete")) }
      ranges.append(start..<start + length)
    }
    return ranges
  }

  /// Moves the extents of the items in the file.
  ///
  /// - Throws: `FormatError.refused` when a number doesn't fit into its field.
  mutating func move(_ newOffset: (UInt64) -> UInt64) throws(FormatError) {
    for index in entries.indices where entries[index].isInFile && !entries[index].extents.isEmpty {
      let entry = entries[index]
      let starts = entry.extents.map { entry.base &+ $0.offset }
      let moved = starts.map(newOffset)
      let shifts = Set(zip(moved, starts).map { $0 &- $1 })
      if let shift = shifts.first, shifts.count == 1, entry.base > 0 {
        entries[index].base = entry.base &+ shift
        guard entries[index].base < UInt64(1) << 62, Self.fits(entries[index].base, widths.base) else {
          throw Self.noRoom
        }
        continue
      }
      for (number, offset) in moved.enumerated() {
        guard offset >= entry.base, Self.fits(offset - entry.base, widths.offset) else { throw Self.noRoom }
        entries[index].extents[number].offset = offset - entry.base
      }
    }
  }

  /// Gives an item of one extent another length.
  ///
  /// - Throws: `FormatError.refused` when it doesn't fit into its field.
  mutating func setLength(_ length: UInt64, at index: Int) throws(FormatError) {
    guard widths.length > 0, Self.fits(length, widths.length) else { throw Self.noRoom }
    entries[index].extents[0].length = length
  }

  /// Adds an item of one extent in the file. Its offset is set by `place`.
  ///
  /// - Throws: `FormatError.refused` when it doesn't fit.
  mutating func add(id: UInt32, length: UInt64) throws(FormatError) {
    guard widths.offset > 0 || widths.base > 0, widths.length > 0, Self.fits(length, widths.length), id <= largestID,
      entries.count < Int(UInt16.max)
    else { throw Self.noRoom }
    entries.append(Entry(id: id, extents: [Extent(offset: 0, length: length)]))
  }

  /// Sets the offset of the last item.
  ///
  /// - Throws: `FormatError.refused` when it doesn't fit.
  mutating func place(at offset: UInt64, _ index: Int) throws(FormatError) {
    if widths.offset > 0, Self.fits(offset, widths.offset) {
      entries[index].extents[0].offset = offset
    } else {
      guard Self.fits(offset, widths.base) else { throw Self.noRoom }
      (entries[index].base, entries[index].extents[0].offset) = (offset, 0)
    }
  }

  private static var noRoom: FormatError { .refused(reason: localized("the file’s index has no room for the changes")) }

  private static func fits(_ number: UInt64, _ width: Int) -> Bool {
    width == 8 || width == 4 && number <= UInt64(UInt32.max) || number == 0
  }
}

/// Reads numbers one after another.
struct HEIFReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }
  var remaining: ArraySlice<UInt8> { rest }

  /// - Parameter count: In bytes, at most 8; 0 gives 0.
  /// - Throws: `FormatError.refused` past the end.
  mutating func number(_ count: Int) throws(FormatError) -> UInt64 {
    guard rest.count >= count else { throw HEIFDirectory.damaged }
    defer { rest = rest.dropFirst(count) }
    return BigEndian.number(rest, at: rest.startIndex, count: count)
  }

  /// A text up to a zero, or to the end.
  mutating func text() -> String {
    let bytes = rest.prefix { $0 != 0 }
    rest = rest.dropFirst(bytes.count + 1)
    return String(decoding: bytes, as: UTF8.self)
  }
}
