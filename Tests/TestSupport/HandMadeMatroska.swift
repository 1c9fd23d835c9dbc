// Matroska files made by hand.

import Foundation

/// A Matroska file of elements that a test names.
public enum HandMadeMatroska {
  /// An element with its content.
  public static func element(_ id: UInt32, _ content: [UInt8]) -> [UInt8] {
    bytes(id) + size(content.count) + content
  }

  /// An element that doesn't tell its size.
  public static func openEnded(_ id: UInt32, _ content: [UInt8]) -> [UInt8] {
    bytes(id) + [0x01] + [UInt8](repeating: 0xff, count: 7) + content
  }

  public static func number(_ id: UInt32, _ value: UInt64) -> [UInt8] {
    element(id, (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) })
  }

  public static func float(_ id: UInt32, _ value: Double) -> [UInt8] { number(id, value.bitPattern) }

  public static func text(_ id: UInt32, _ value: String) -> [UInt8] { element(id, Array(value.utf8)) }

  public static func header(_ type: String = "matroska") -> [UInt8] { element(0x1a45_dfa3, text(0x4282, type)) }

  /// A video track of a size, turned counterclockwise by some degrees for display.
  public static func picture(width: UInt64, height: UInt64, roll: Double = 0) -> [UInt8] {
    let projection = roll == 0 ? [] : element(0x7670, float(0x7675, roll))
    return element(0xae, number(0x83, 1) + element(0xe0, number(0xb0, width) + number(0xba, height) + projection))
  }

  public static let sound = element(0xae, number(0x83, 2))

  public static func tracks(_ entries: [UInt8]...) -> [UInt8] { element(0x1654_ae6b, entries.flatMap(\.self)) }

  public static func tag(_ name: String, _ value: String) -> [UInt8] {
    element(0x1254_c367, element(0x7373, element(0x67c8, text(0x45a3, name) + text(0x4487, value))))
  }

  /// The content of a cluster: its time and frames of one byte at offsets from it.
  public static func frames(from time: UInt64, at offsets: [UInt8]) -> [UInt8] {
    number(0xe7, time) + offsets.flatMap { element(0xa3, [0x81, 0, $0, 0x80, 0x55]) }
  }

  public static let cluster: UInt32 = 0x1f43_b675
  public static let segment: UInt32 = 0x1853_8067
  public static let information: UInt32 = 0x1549_a966

  private static func bytes(_ id: UInt32) -> [UInt8] {
    let all = (0..<4).map { UInt8(truncatingIfNeeded: id >> UInt32(24 - 8 * $0)) }
    return Array(all.drop { $0 == 0 })
  }

  private static func size(_ count: Int) -> [UInt8] {
    [0x08] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
  }
}
