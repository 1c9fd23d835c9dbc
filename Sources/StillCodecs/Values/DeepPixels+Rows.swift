// Pixels of 16 bits a channel between the codecs' orders and the program's own.

import CameraCore
import PhotoEffects

extension DeepPixels {
  /// A picture that a decoder fills in, as rows of four numbers without gaps: red, green, blue and opacity. What is
  /// transparent becomes white.
  ///
  /// - Parameters:
  ///   - bits: Of the decoder's numbers, 9 to 16.
  ///   - fill: Writes all pixels.
  static func opaque(
    _ size: PixelSize, _ opacity: Opacity, bits: Int = 16,
    fill: (UnsafeMutablePointer<Pixel>) throws(StillCodecError) -> Void
  ) throws(StillCodecError) -> DeepPixels {
    var failure: StillCodecError?
    let image = DeepPixels(size) { pixels in
      do throws(StillCodecError) { try fill(pixels) } catch { failure = error }
      if failure == nil { turn(pixels, count: size.area, opacity, bits: bits) }
    }
    if let failure { throw failure }
    return image
  }

  private static func turn(_ pixels: UnsafeMutablePointer<Pixel>, count: Int, _ opacity: Opacity, bits: Int) {
    // The highest bits are repeated below the lowest: white becomes white.
    let (up, down) = (UInt16(16 - bits), UInt16(max(0, 2 * bits - 16)))
    for index in 0..<count {
      var pixel = pixels[index]
      if bits < 16 { pixel = pixel &<< up | pixel &>> down }
      if opacity != .none, pixel.w != .max {
        let wide = SIMD4<UInt64>(truncatingIfNeeded: pixel)
        let colors = opacity == .straight ? wide &* wide.w : wide &* 65_535
        let sum = (colors &+ 65_535 &* (65_535 - wide.w) &+ 32_767) / 65_535
        pixel = Pixel(clamping: sum)
      }
      pixel.w = 0
      pixels[index] = pixel
    }
  }

  /// Red, green and blue, two bytes each in the machine's order, without gaps.
  var rgb: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size.area * 6) { target, count in
      withPixels { pixels in
        target.withMemoryRebound(to: UInt16.self) { target in
          for index in 0..<size.area {
            let pixel = pixels[index]
            (target[3 * index], target[3 * index + 1], target[3 * index + 2]) = (pixel.x, pixel.y, pixel.z)
          }
        }
      }
      count = size.area * 6
    }
  }
}
