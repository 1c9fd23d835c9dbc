// A writer of numbers and boxes, for the seeds.

import Foundation

/// Bytes with numbers of either byte order.
struct ByteWriter {
  var bytes: [UInt8] = []
  var isBigEndian = true

  static func number(_ value: Int, _ count: Int, bigEndian: Bool = true) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return bigEndian ? bytes.reversed() : bytes
  }

  mutating func add(_ value: Int, _ count: Int) { bytes += Self.number(value, count, bigEndian: isBigEndian) }

  /// A box of an MP4.
  static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = parts.flatMap(\.self)
    return number(body.count + 8, 4) + Array(type.utf8) + body
  }

  /// The same with a length of 64 bits.
  static func longBox(_ type: String, _ body: [UInt8]) -> [UInt8] {
    number(1, 4) + Array(type.utf8) + number(body.count + 16, 8) + body
  }

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
