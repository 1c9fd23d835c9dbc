// The alpha of pictures with transparent parts.

import CameraCore

/// How opaque each pixel of a picture is: one byte from 0, transparent, to 255, row by row without gaps.
///
/// Pictures are decoded over white, and the plane is beside them. Scaling and moving both alike keeps the colors of edges, as
/// with premultiplied alpha; `straight` then gives the colors themselves, which effects and encoders take. There is no plane
/// of a picture that is opaque everywhere.
public struct AlphaPlane: Sendable {
  public let size: PixelSize
  /// `size.area` bytes.
  public let block: FrameBlock

  private static let opaque: UInt8 = 255

  /// - Parameter block: `size.area` bytes.
  /// - Returns: `nil` when all of them are opaque.
  public init?(size: PixelSize, block: FrameBlock) {
    precondition(block.count == size.area, "An alpha plane has one byte a pixel.")
    guard block.withUnsafeBytes({ bytes in bytes.contains { $0 != Self.opaque } }) else { return nil }
    (self.size, self.block) = (size, block)
  }

  /// The plane of a picture that was turned, scaled or cropped.
  ///
  /// - Parameter change: Does to a gray picture what was done to the picture.
  /// - Returns: `nil` when nothing transparent is left.
  public func changed<Failure: Error>(
    _ change: (DecodedImage) throws(Failure) -> DecodedImage
  ) throws(Failure) -> AlphaPlane? {
    let (size, block) = try GrayPlane.changed(block, size, change)
    return AlphaPlane(size: size, block: block)
  }

  // MARK: Colors

  /// The colors of a picture that was put over white; what is transparent stays white.
  ///
  /// - Parameter image: Of this size.
  public func straight(_ image: DecodedImage) -> DecodedImage {
    // c = (o - 255 * (1 - a)) / a, with 255 a instead of a.
    merged(image) { value, alpha in
      let light = Int(value) - (255 - alpha)
      return alpha == 0 ? 255 : UInt8(max(0, min(255, (light * 255 + alpha / 2) / alpha)))
    }
  }

  /// The same with 16 bits a channel.
  public func straight(_ pixels: DeepPixels) -> DeepPixels {
    precondition(pixels.size == size, "An alpha plane is of its picture’s size.")
    return pixels.withPixels { source in
      DeepPixels(size) { target in
        block.withUnsafeBytes { plane in
          for index in 0..<size.area {
            let alpha = Int64(plane[index]) * 257
            guard alpha > 0 else {
              target[index] = DeepPixels.Pixel(.max, .max, .max, 0)
              continue
            }
            let light = SIMD4<Int64>(truncatingIfNeeded: source[index]) &- (65_535 - alpha)
            var pixel = DeepPixels.Pixel(clamping: (light &* 65_535 &+ alpha / 2) / alpha)
            pixel.w = 0
            target[index] = pixel
          }
        }
      }
    }
  }

  /// A picture over white.
  ///
  /// - Parameter image: Its own colors, of this size.
  public func overWhite(_ image: DecodedImage) -> DecodedImage {
    merged(image) { value, alpha in UInt8((Int(value) * alpha + 255 * (255 - alpha) + 127) / 255) }
  }

  /// Changes the values of the pixels that aren't opaque.
  private func merged(_ image: DecodedImage, _ change: (UInt8, Int) -> UInt8) -> DecodedImage {
    precondition(image.size == size, "An alpha plane is of its picture’s size.")
    let result = FrameBlock(count: size.area * 4) { target in
      image.block.withUnsafeBytes { source in
        block.withUnsafeBytes { plane in
          for y in 0..<size.height {
            for x in 0..<size.width {
              let (from, to) = (y * image.stride + 4 * x, (y * size.width + x) * 4)
              let alpha = plane[y * size.width + x]
              for channel in 0..<3 {
                let value = source[from + channel]
                target[to + channel] = alpha == Self.opaque ? value : change(value, Int(alpha))
              }
              target[to + 3] = 0
            }
          }
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: result)
  }
}
