// A PNG parser that is independent of the program's.

import Foundation

/// The chunks of a PNG by its specification: length, type, content, checksum.
struct PNGFile {
  var types: [String] = []
  /// The content of IHDR.
  var header: [UInt8]?
  var texts: [String: String] = [:]

  /// - Returns: `nil` when a length doesn't fit, or a checksum is wrong.
  init?(_ data: Data) {
    let bytes = [UInt8](data)
    guard bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
    var at = 8
    while at < bytes.count {
      guard at + 12 <= bytes.count else { return nil }
      let length = Int(Self.number(bytes[at..<at + 4]))
      guard at + 12 + length <= bytes.count else { return nil }
      let content = bytes[at + 8..<at + 8 + length]
      guard Self.checkSum(bytes[at + 4..<at + 8 + length]) == Self.number(bytes[at + 8 + length..<at + 12 + length])
      else { return nil }
      let type = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
      types.append(type)
      if type == "IHDR" { header = Array(content) }
      if type == "tEXt", let zero = content.firstIndex(of: 0) {
        texts[String(decoding: content[..<zero], as: UTF8.self)] =
          String(decoding: content[(zero + 1)...], as: UTF8.self)
      }
      at += 12 + length
    }
  }

  /// Claims to have 2,000,000,000 × 2,000,000,000 pixels.
  static let bomb: Data = {
    let side: [UInt8] = [0x77, 0x35, 0x94, 0x00]
    let header = Array("IHDR".utf8) + side + side + [8, 2, 0, 0, 0]
    let sum = checkSum(header[...])
    let sumBytes = (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32($0))) }
    return Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + header + sumBytes)
  }()

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

  /// CRC-32, bit by bit.
  static func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = 0xffff_ffff
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
