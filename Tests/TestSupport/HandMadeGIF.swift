// GIF files made by hand.

import Foundation

/// A GIF whose pixels are stored without being compressed: codes of eight bits, with a clear code before they would grow.
public struct HandMadeGIF: Sendable {
  public struct Frame: Sendable {
    /// Of the upper left corner.
    public var x = 0
    public var y = 0
    public var width: Int
    public var height: Int
    /// Numbers of colors, up to 127, row by row.
    public var pixels: [UInt8]
    /// In hundredths of a second.
    public var delay = 0
    /// 1 keeps the frame, 2 clears it, 3 brings back what was before it.
    public var disposal = 0
    /// The number of the transparent color.
    public var transparent: UInt8?
    public var isInterlaced = false

    public init(width: Int, height: Int, pixels: [UInt8]) {
      (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Of one color.
    public init(width: Int, height: Int, color: UInt8) {
      self.init(width: width, height: height, pixels: [UInt8](repeating: color, count: width * height))
    }
  }

  public var width: Int
  public var height: Int
  public var frames: [Frame]
  /// Repetitions; 0 for without end, `nil` for none.
  public var loops: Int?
  /// Extensions before the first frame.
  public var extensions: [UInt8] = []
  public var version = "GIF89a"

  public init(width: Int, height: Int, frames: [Frame]) {
    (self.width, self.height, self.frames) = (width, height, frames)
  }

  /// Color `n` is the gray of twice its number.
  public static func gray(_ color: UInt8) -> UInt8 { color * 2 }

  public var data: Data {
    func half(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
    var bytes = Array(version.utf8) + half(width) + half(height) + [0xf6, 0, 0]
    for color in 0..<128 { bytes += [UInt8](repeating: UInt8(color * 2), count: 3) }
    if let loops { bytes += [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + half(loops) + [0] }
    bytes += extensions
    for frame in frames {
      let flags = UInt8(frame.disposal << 2) | (frame.transparent == nil ? 0 : 1)
      bytes += [0x21, 0xf9, 4, flags] + half(frame.delay) + [frame.transparent ?? 0, 0]
      bytes += [0x2c] + half(frame.x) + half(frame.y) + half(frame.width) + half(frame.height)
      bytes += [frame.isInterlaced ? 0x40 : 0, 7]
      var codes: [UInt8] = []
      for (index, pixel) in frame.pixels.enumerated() {
        if index % 100 == 0 { codes.append(128) }
        codes.append(pixel)
      }
      codes.append(129)
      for start in stride(from: 0, to: codes.count, by: 255) {
        let piece = codes[start..<min(codes.count, start + 255)]
        bytes += [UInt8(piece.count)] + piece
      }
      bytes.append(0)
    }
    return Data(bytes + [0x3b])
  }
}
