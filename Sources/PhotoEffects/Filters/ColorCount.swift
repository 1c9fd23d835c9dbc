// How often which colours are in pictures, for whoever chooses a palette for them.

import CameraCore

/// The colours of any number of pictures, in the memory of one: six bits of each of red, green and blue.
public struct ColorCount: Sendable {
  /// 64 steps of each of three.
  public static let steps = 1 << 18

  private var counts = [UInt32](repeating: 0, count: steps)

  public init() {}

  /// Where a colour is counted.
  public static func index(red: UInt8, green: UInt8, blue: UInt8) -> Int {
    Int(red >> 2) << 12 | Int(green >> 2) << 6 | Int(blue >> 2)
  }

  /// The colour, as red, green and blue, that stands for all that are counted at a place.
  public static func color(at index: Int) -> SIMD3<UInt8> {
    func full(_ bits: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits << 2 | bits >> 4) }
    return SIMD3(full(index >> 12 & 63), full(index >> 6 & 63), full(index & 63))
  }

  /// Counts the colours of one more picture.
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

  /// Each colour that was met, and how often, in the order of the colours.
  public var colors: [(color: SIMD3<UInt8>, count: UInt32)] {
    counts.indices.lazy.filter { counts[$0] > 0 }.map { (Self.color(at: $0), counts[$0]) }
  }
}
