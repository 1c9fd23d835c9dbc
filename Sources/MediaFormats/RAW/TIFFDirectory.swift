// TIFF directories that are written.

import Foundation

/// A directory of a little-endian TIFF file, with the values that don't fit into its entries behind it.
///
/// Source: TIFF 6.0, section 2.
struct TIFFDirectory {
  private struct Field {
    var type: UInt16
    var count: Int
    var bytes: [UInt8]
  }

  private var fields: [UInt16: Field] = [:]

  mutating func set(_ tag: UInt16, bytes: [UInt8], type: UInt16 = 1) {
    fields[tag] = Field(type: type, count: bytes.count, bytes: bytes)
  }

  /// Sets a text; characters that aren't ASCII become question marks.
  mutating func set(_ tag: UInt16, text: String) {
    let ascii = text.unicodeScalars.map { $0.isASCII && $0.value >= 32 ? UInt8($0.value) : UInt8(ascii: "?") }
    set(tag, bytes: ascii + [0], type: 2)
  }

  mutating func set(_ tag: UInt16, shorts: [UInt16]) {
    fields[tag] = Field(type: 3, count: shorts.count, bytes: shorts.flatMap { LittleEndian.bytes(UInt64($0), 2) })
  }

  mutating func set(_ tag: UInt16, long: Int) {
    fields[tag] = Field(type: 4, count: 1, bytes: LittleEndian.bytes(UInt64(long), 4))
  }

  mutating func set(_ tag: UInt16, rationals: [(UInt32, UInt32)]) {
    let bytes = rationals.flatMap { LittleEndian.bytes(UInt64($0.0), 4) + LittleEndian.bytes(UInt64($0.1), 4) }
    fields[tag] = Field(type: 5, count: rationals.count, bytes: bytes)
  }

  /// Sets numbers as fractions of 10,000.
  mutating func set(_ tag: UInt16, signedRationals numbers: [Double]) {
    let bytes = numbers.flatMap { number in
      LittleEndian.bytes(UInt64(UInt32(bitPattern: Int32((number * 10_000).rounded()))), 4)
        + LittleEndian.bytes(10_000, 4)
    }
    fields[tag] = Field(type: 10, count: numbers.count, bytes: bytes)
  }

  /// The length with all values, in bytes; even, as the next offset must be.
  var byteCount: Int {
    fields.values.reduce(2 + 12 * fields.count + 4) { $0 + ($1.bytes.count > 4 ? Self.even($1.bytes.count) : 0) }
  }

  /// The bytes for an offset in the file.
  func bytes(at offset: Int) -> [UInt8] {
    var entries = LittleEndian.bytes(UInt64(fields.count), 2)
    var values: [UInt8] = []
    let first = offset + 2 + 12 * fields.count + 4
    for (tag, field) in fields.sorted(by: { $0.key < $1.key }) {
      entries +=
        LittleEndian.bytes(UInt64(tag), 2) + LittleEndian.bytes(UInt64(field.type), 2)
        + LittleEndian.bytes(UInt64(field.count), 4)
      if field.bytes.count > 4 {
        entries += LittleEndian.bytes(UInt64(first + values.count), 4)
        values += field.bytes + BigEndian.zeros(Self.even(field.bytes.count) - field.bytes.count)
      } else {
        entries += field.bytes + BigEndian.zeros(4 - field.bytes.count)
      }
    }
    // No directory follows: further ones are named by tags.
    return entries + BigEndian.zeros(4) + values
  }

  static func even(_ count: Int) -> Int { count + count % 2 }
}
