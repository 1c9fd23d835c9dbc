// Entries of TIFF directories with their values, in memory.

/// An entry of a directory, with its values or the place where they stay.
///
/// Source: TIFF 6.0, section 2.
struct TIFFField: Sendable, Hashable {
  enum Value: Sendable, Hashable {
    /// In the file's byte order.
    case bytes([UInt8])
    /// As the file's entry stores it: the offset of values that stay where they are, or values of an unknown type.
    case stored(UInt32)
    /// The entries of a directory, which the entry points to.
    case directory([TIFFField])
  }

  var tag: UInt16
  var type: UInt16
  var count: UInt32
  var value: Value

  /// Values of one byte each.
  init(_ tag: UInt16, bytes: [UInt8], type: UInt16 = 1) {
    (self.tag, self.type) = (tag, type)
    (count, value) = (UInt32(truncatingIfNeeded: bytes.count), .bytes(bytes))
  }

  init(_ tag: UInt16, directory: [TIFFField]) {
    (self.tag, type, count, value) = (tag, 4, 1, .directory(directory))
  }

  /// Offsets or lengths.
  init(_ tag: UInt16, longs: [UInt32], isBigEndian: Bool) {
    (self.tag, type, count) = (tag, 4, UInt32(truncatingIfNeeded: longs.count))
    value = .bytes(longs.flatMap { TIFFWriter.number($0, 4, isBigEndian) })
  }

  /// The entry of a file as it is, with its values where they are.
  init(_ entry: TIFFReader.Entry) {
    (tag, type, count) = (entry.tag, entry.type, UInt32(truncatingIfNeeded: entry.count))
    value = .stored(UInt32(truncatingIfNeeded: entry.stored))
  }

  /// An entry of a file with its values.
  init(_ entry: TIFFReader.Entry, bytes: [UInt8]) {
    (tag, type, count) = (entry.tag, entry.type, UInt32(truncatingIfNeeded: entry.count))
    value = .bytes(bytes)
  }

  /// The same in the other byte order. Bytes of unknown meaning, as in maker notes, stay as they are.
  var swapped: TIFFField {
    var field = self
    switch value {
    case .stored: break
    case .directory(let fields): field.value = .directory(fields.map(\.swapped))
    case .bytes(let bytes):
      let size =
        switch type {
        case 3, 8: 2
        // Rational numbers are two of four bytes each.
        case 4, 5, 9, 10, 11, 13: 4
        case 12: 8
        default: 1
        }
      guard size > 1 else { break }
      field.value = .bytes(
        stride(from: 0, to: bytes.count - bytes.count % size, by: size).flatMap { bytes[$0..<$0 + size].reversed() })
    }
    return field
  }
}

/// Writes directories with their values behind them, for an offset in a file. Not for BigTIFF.
struct TIFFWriter {
  let isBigEndian: Bool
  /// The offset of the first byte in the file.
  let base: UInt64
  private(set) var bytes: [UInt8] = []

  /// The most entries of a directory.
  static let mostFields = Int(UInt16.max)

  init(isBigEndian: Bool, base: UInt64) { (self.isBigEndian, self.base) = (isBigEndian, base) }

  /// The offset in the file behind the last byte.
  var end: UInt64 { base + UInt64(bytes.count) }

  /// Appends bytes as they are.
  mutating func append(_ more: [UInt8]) { bytes += more }

  /// Appends a number of four bytes.
  mutating func append(word: UInt32) { bytes += Self.number(word, 4, isBigEndian) }

  /// Appends a directory, the values that don't fit into its entries, and the directories that it points to.
  ///
  /// - Parameters:
  ///   - fields: In the order of their tags, at most `mostFields`.
  ///   - next: The offset of the next directory; 0 for none.
  /// - Returns: Its offset, and the index in `bytes` of the offset of the next directory.
  @discardableResult
  mutating func append(_ fields: [TIFFField], next: UInt32 = 0) -> (offset: UInt32, next: Int) {
    pad()
    let start = bytes.count
    let fields = fields.prefix(Self.mostFields)
    bytes += Self.number(UInt32(fields.count), 2, isBigEndian) + BigEndian.zeros(12 * fields.count + 4)
    for (index, field) in fields.enumerated() {
      let at = start + 2 + 12 * index
      set(UInt32(field.tag), 2, at: at)
      set(UInt32(field.type), 2, at: at + 2)
      set(field.count, 4, at: at + 4)
      switch field.value {
      case .stored(let number): set(number, 4, at: at + 8)
      case .directory(let inner): set(append(inner).offset, 4, at: at + 8)
      case .bytes(let values) where values.count <= 4:
        bytes.replaceSubrange(at + 8..<at + 8 + values.count, with: values)
      case .bytes(let values):
        pad()
        set(offset(of: bytes.count), 4, at: at + 8)
        bytes += values
      }
    }
    let nextAt = start + 2 + 12 * fields.count
    set(next, 4, at: nextAt)
    return (offset(of: start), nextAt)
  }

  /// Overwrites a number of four bytes.
  mutating func set(word: UInt32, at index: Int) { set(word, 4, at: index) }

  /// Offsets of values and directories are even.
  mutating func pad() {
    if end % 2 == 1 { bytes.append(0) }
  }

  private func offset(of index: Int) -> UInt32 { UInt32(truncatingIfNeeded: base + UInt64(index)) }

  private mutating func set(_ number: UInt32, _ count: Int, at index: Int) {
    bytes.replaceSubrange(index..<index + count, with: Self.number(number, count, isBigEndian))
  }

  static func number(_ number: UInt32, _ count: Int, _ isBigEndian: Bool) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * (isBigEndian ? count - 1 - $0 : $0))) }
  }

  /// The first eight bytes of a file.
  static func head(firstDirectory: UInt32, isBigEndian: Bool) -> [UInt8] {
    let order = UInt8(ascii: isBigEndian ? "M" : "I")
    return [order, order] + number(42, 2, isBigEndian) + number(firstDirectory, 4, isBigEndian)
  }
}
