// PNG files with made-up pixels, for tests of formats.

import Foundation

/// A PNG file chunk by chunk.
public enum HandMadePNG {
  public static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  /// A chunk with its checksum, computed bit by bit.
  public static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    var sum = UInt32.max
    for byte in body {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    return HandMadeMovie.words(UInt64(content.count)) + body + HandMadeMovie.words(UInt64(~sum))
  }

  /// A file with two chunks of compressed pixels, which are none.
  ///
  /// - Parameters:
  ///   - front: Chunks before the pixels.
  ///   - back: Chunks behind them.
  public static func data(
    width: Int = 64, height: Int = 48, front: [[UInt8]] = [], back: [[UInt8]] = []
  ) -> Data {
    let head = HandMadeMovie.words(UInt64(width), UInt64(height)) + [8, 2, 0, 0, 0]
    var bytes = signature + chunk("IHDR", head) + front.flatMap { $0 }
    bytes += chunk("IDAT", [UInt8](repeating: 7, count: 40)) + chunk("IDAT", [UInt8](repeating: 9, count: 20))
    bytes += back.flatMap { $0 } + chunk("IEND", [])
    return Data(bytes)
  }

  /// A chunk with an XMP packet.
  public static func xmp(_ packet: [UInt8]) -> [UInt8] {
    chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + packet)
  }
}
