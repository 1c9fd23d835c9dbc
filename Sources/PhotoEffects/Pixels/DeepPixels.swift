// Pictures with 16 bits a channel.

import CameraCore

/// A picture with 16 bits a channel, for files that have more than 8: what sliders stretch apart has values in between.
///
/// Red, green, blue and an unused number a pixel, in the machine's byte order, rows without gaps. Values of files with fewer
/// bits fill the range from 0 to 65,535.
public struct DeepPixels: Sendable {
  public var size: PixelSize
  public var block: FrameBlock

  public typealias Pixel = SIMD4<UInt16>

  /// A picture that is filled in.
  ///
  /// - Parameter fill: Writes all pixels.
  public init(_ size: PixelSize, fill: (UnsafeMutablePointer<Pixel>) throws -> Void) rethrows {
    self.size = size
    block = try FrameBlock(count: size.area * MemoryLayout<Pixel>.stride) { memory in
      guard let pixels = memory.bindMemory(to: Pixel.self).baseAddress else { return }
      try fill(pixels)
    }
  }

  public init(size: PixelSize, block: FrameBlock) { (self.size, self.block) = (size, block) }

  /// The pixels, row by row.
  public func withPixels<R>(_ body: (UnsafePointer<Pixel>) throws -> R) rethrows -> R {
    try block.withUnsafeBytes { bytes in
      // The block is never empty: a picture has pixels.
      try body(bytes.baseAddress!.assumingMemoryBound(to: Pixel.self))
    }
  }

  /// The same with 8 bits a channel, rounded.
  public var narrowed: DecodedImage {
    let block = FrameBlock(count: size.area * 4) { memory in
      withPixels { source in
        let target = memory.bindMemory(to: UInt32.self)
        for index in target.indices {
          // 257 steps of 16 bits are one of 8.
          let wide = SIMD4<UInt32>(truncatingIfNeeded: source[index])
          let pixel = (wide &* 255 &+ 32_767) / 65_535
          target[index] = pixel.x << 16 | pixel.y << 8 | pixel.z
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  /// A picture of 8 bits with 16.
  public init(widening image: DecodedImage) {
    self.init(image.size) { target in
      image.block.withUnsafeBytes { bytes in
        for y in 0..<image.size.height {
          for x in 0..<image.size.width {
            let at = y * image.stride + 4 * x
            let pixel = SIMD4<UInt16>(UInt16(bytes[at + 2]), UInt16(bytes[at + 1]), UInt16(bytes[at]), 0)
            target[y * image.size.width + x] = pixel &* 257
          }
        }
      }
    }
  }

  /// The picture turned and flipped by EXIF's orientation, 1…8; others leave it as it is.
  public func upright(orientation: Int) -> DeepPixels {
    guard (2...8).contains(orientation) else { return self }
    let result = orientation >= 5 ? PixelSize(width: size.height, height: size.width) : size
    let (lastColumn, lastRow) = (size.width - 1, size.height - 1)
    return withPixels { source in
      DeepPixels(result) { target in
        for y in 0..<result.height {
          for x in 0..<result.width {
            let (column, row) =
              switch orientation {
              case 2: (lastColumn - x, y)
              case 3: (lastColumn - x, lastRow - y)
              case 4: (x, lastRow - y)
              case 5: (y, x)
              case 6: (y, lastRow - x)
              case 7: (lastColumn - y, lastRow - x)
              default: (lastColumn - y, x)
              }
            target[y * result.width + x] = source[row * size.width + column]
          }
        }
      }
    }
  }
}
