// A color histogram of any number of pictures, for choosing a palette.

import CameraCore

/// A histogram of colors with six bits for each of red, green and blue.
public struct ColorCount: Sendable {
  /// 64 steps for each channel.
  public static let steps = 1 << 18

  private var counts = [UInt32](repeating: 0, count: steps)

  public init() {}

  /// The bin of a color.
  public static func index(red: UInt8, green: UInt8, blue: UInt8) -> Int {
    Int(red >> 2) << 12 | Int(green >> 2) << 6 | Int(blue >> 2)
  }

  /// The color of a bin, as red, green and blue.
  public static func color(at index: Int) -> SIMD3<UInt8> {
    func full(_ bits: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits << 2 | bits >> 4) }
    return SIMD3(full(index >> 12 & 63), full(index >> 6 & 63), full(index & 63))
  }

  /// Adds the colors of a picture.
  public mutating func add(_ image: DecodedImage) {
    counts.withUnsafeMutableBufferPointer { counts in
      image.block.withUnsafeBytes { pixels in
        for y in 0..<image.size.height {
          for at in stride(from: y * image.stride, to: y * image.stride + image.size.width * 4, by: 4) {
            let place = Self.index(red: pixels[at + 2], green: pixels[at + 1], blue: pixels[at])
            counts[place] = counts[place] &+ 1
          }
        }
      }
    }
  }

  /// The colors that occur, with their counts, in bin order.
  public var colors: [(color: SIMD3<UInt8>, count: UInt32)] {
    counts.indices.lazy.filter { counts[$0] > 0 }.map { (Self.color(at: $0), counts[$0]) }
  }
}
