// FlatBuffers: tables and vectors in one block of bytes, found by offsets.

/// A table of a FlatBuffer.
///
/// Untrusted input: every offset is checked before it is followed. Cycles can't occur, since offsets to other tables point
/// forward; depth is that of the schema.
///
/// Source: FlatBuffers, “FlatBuffer Internals” (github.com/google/flatbuffers, `docs/source/internals.md`).
struct FlatTable {
  private let bytes: [UInt8]
  /// Of the table's own start, in bytes.
  private let start: Int
  private let fields: Range<Int>

  /// The table at the root of a file.
  ///
  /// - Parameter identifier: The four bytes behind the root's offset.
  /// - Throws: `ModelError.damaged` or `.unknown`.
  init(root bytes: [UInt8], identifier: String) throws(ModelError) {
    guard bytes.count >= 8 else { throw .damaged(offset: bytes.count) }
    guard bytes[4..<8].elementsEqual(identifier.utf8) else {
      throw .unknown(String(decoding: bytes[4..<8], as: UTF8.self))
    }
    try self.init(bytes, at: Self.offset(bytes, at: 0))
  }

  private init(_ bytes: [UInt8], at start: Int) throws(ModelError) {
    let back = Int(Int32(bitPattern: UInt32(try Self.number(bytes, at: start, count: 4))))
    let head = start - back
    let length = Int(try Self.number(bytes, at: head, count: 2))
    guard length >= 4, length <= bytes.count - head else { throw .damaged(offset: head) }
    (self.bytes, self.start) = (bytes, start)
    fields = head + 4..<head + length
  }

  // MARK: Fields

  /// The place of a field; `nil` for one that isn't there.
  ///
  /// - Parameter index: Its number in the schema.
  private func place(_ index: Int) throws(ModelError) -> Int? {
    let entry = fields.lowerBound + 2 * index
    guard entry + 2 <= fields.upperBound else { return nil }
    let offset = Int(try Self.number(bytes, at: entry, count: 2))
    return offset == 0 ? nil : start + offset
  }

  /// A signed number of 1 or 4 bytes.
  func number(_ index: Int, bytes count: Int = 4, default value: Int = 0) throws(ModelError) -> Int {
    guard let place = try place(index) else { return value }
    let number = try Self.number(bytes, at: place, count: count)
    return count == 1 ? Int(Int8(bitPattern: UInt8(number))) : Int(Int32(bitPattern: UInt32(number)))
  }

  func table(_ index: Int) throws(ModelError) -> FlatTable? {
    guard let place = try place(index) else { return nil }
    return try FlatTable(bytes, at: Self.offset(bytes, at: place))
  }

  func tables(_ index: Int) throws(ModelError) -> [FlatTable] {
    var tables: [FlatTable] = []
    let range = try elements(index, width: 4)
    tables.reserveCapacity(range.count / 4)
    for place in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      tables.append(try FlatTable(bytes, at: Self.offset(bytes, at: place)))
    }
    return tables
  }

  func numbers(_ index: Int) throws(ModelError) -> [Int] {
    var numbers: [Int] = []
    let range = try elements(index, width: 4)
    for place in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      numbers.append(Int(Int32(bitPattern: UInt32(try Self.number(bytes, at: place, count: 4)))))
    }
    return numbers
  }

  /// The bytes of a vector of bytes; empty for one that isn't there.
  func data(_ index: Int) throws(ModelError) -> ArraySlice<UInt8> { bytes[try elements(index, width: 1)] }

  func text(_ index: Int) throws(ModelError) -> String { String(decoding: try data(index), as: UTF8.self) }

  /// The place of a vector's elements.
  ///
  /// - Parameter width: Of an element, in bytes.
  private func elements(_ index: Int, width: Int) throws(ModelError) -> Range<Int> {
    guard let place = try place(index) else { return 0..<0 }
    let vector = try Self.offset(bytes, at: place)
    let count = Int(try Self.number(bytes, at: vector, count: 4))
    guard count <= (bytes.count - vector - 4) / width else { throw .damaged(offset: vector) }
    return vector + 4..<vector + 4 + count * width
  }

  // MARK: Bytes

  /// A little-endian number.
  private static func number(_ bytes: [UInt8], at place: Int, count: Int) throws(ModelError) -> UInt64 {
    guard place >= 0, place <= bytes.count - count else { throw .damaged(offset: max(0, place)) }
    return (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  /// The place that an offset points to, ahead of itself.
  private static func offset(_ bytes: [UInt8], at place: Int) throws(ModelError) -> Int {
    let offset = Int(try number(bytes, at: place, count: 4))
    guard offset > 0, offset <= bytes.count - place else { throw .damaged(offset: place) }
    return place + offset
  }
}
