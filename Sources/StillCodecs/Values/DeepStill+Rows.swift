// Pixels of 16 bits a channel between the codecs' orders and the program's own.

import CameraCore
import PhotoEffects

extension DeepStill {
  /// A picture that a decoder fills in, as rows of four numbers without gaps: red, green, blue and opacity. What is
  /// transparent becomes white.
  ///
  /// - Parameters:
  ///   - bits: Of the decoder's numbers, 9 to 16.
  ///   - fill: Writes all pixels.
  static func overWhite(
    _ size: PixelSize, _ opacity: Opacity, bits: Int = 16, colors: StillColors = StillColors(),
    fill: (UnsafeMutablePointer<DeepPixels.Pixel>) throws(StillCodecError) -> Void
  ) throws(StillCodecError) -> DeepStill {
    var failure: StillCodecError?
    var alpha: AlphaPlane?
    let image = DeepPixels(size) { pixels in
      do throws(StillCodecError) { try fill(pixels) } catch { failure = error }
      guard failure == nil else { return }
      if opacity != .none { alpha = plane(pixels, size, bits: bits) }
      turn(pixels, count: size.area, alpha == nil ? .none : opacity, bits: bits)
    }
    if let failure { throw failure }
    return DeepStill(pixels: image, alpha: alpha, colors: colors)
  }

  /// The opacity of pixels in 8 bits, rounded; `nil` when all are opaque, for which no memory is taken.
  private static func plane(
    _ pixels: UnsafeMutablePointer<DeepPixels.Pixel>, _ size: PixelSize, bits: Int
  ) -> AlphaPlane? {
    let white = UInt32(1) << UInt32(bits) - 1
    func byte(_ index: Int) -> UInt8 { UInt8(min(255, (UInt32(pixels[index].w) * 255 + white / 2) / white)) }
    guard (0..<size.area).contains(where: { byte($0) != 255 }) else { return nil }
    return AlphaPlane(
      size: size,
      block: FrameBlock(count: size.area) { target in for index in target.indices { target[index] = byte(index) } })
  }

  private static func turn(
    _ pixels: UnsafeMutablePointer<DeepPixels.Pixel>, count: Int, _ opacity: Opacity, bits: Int
  ) {
    // The highest bits are repeated below the lowest: white becomes white.
    let (up, down) = (UInt16(16 - bits), UInt16(max(0, 2 * bits - 16)))
    for index in 0..<count {
      var pixel = pixels[index]
      if bits < 16 { pixel = pixel &<< up | pixel &>> down }
      if opacity != .none, pixel.w != .max {
        // As much white as the plane of 8 bits says, so that exactly that can be taken out again.
        let alpha = (UInt64(pixel.w) * 255 + 32_767) / 65_535 * 257
        let wide = SIMD4<UInt64>(truncatingIfNeeded: pixel)
        let colors = opacity == .straight ? wide &* alpha : wide &* 65_535
        let sum = (colors &+ 65_535 &* (65_535 - alpha) &+ 32_767) / 65_535
        pixel = DeepPixels.Pixel(clamping: sum)
      }
      pixel.w = 0
      pixels[index] = pixel
    }
  }
}

extension DeepPixels {
  /// Red, green and blue, and opacity where there is some, two bytes each in the machine's order, without gaps.
  ///
  /// - Parameter alpha: Of its size; the colors are straight.
  func samples(_ alpha: AlphaPlane?) -> [UInt8] {
    let channels = alpha == nil ? 3 : 4
    return [UInt8](unsafeUninitializedCapacity: size.area * 2 * channels) { target, count in
      withPixels { pixels in
        target.withMemoryRebound(to: UInt16.self) { target in
          for index in 0..<size.area {
            let (pixel, to) = (pixels[index], channels * index)
            (target[to], target[to + 1], target[to + 2]) = (pixel.x, pixel.y, pixel.z)
          }
          alpha?.block.withUnsafeBytes { plane in
            for index in 0..<size.area { target[4 * index + 3] = UInt16(plane[index]) * 257 }
          }
        }
      }
      count = size.area * 2 * channels
    }
  }
}
