// Sharpening of pictures with 16 bits a channel.

import CameraCore

extension UnsharpMask {
  /// ITU-R BT.601, as for 8 bits.
  private static let luma = SIMD4<Float>(77, 150, 29, 0) / 256
  private static let white: Float = 65_535
  /// A step of 8 bits.
  private static let step: Float = 257

  /// The same as for 8 bits, in single precision.
  func apply(to pixels: UnsafeMutablePointer<DeepPixels.Pixel>, _ size: PixelSize, fullSize: PixelSize, threads: Int) {
    let weights = Self.weights(sigma: Self.sigma(size: size, fullSize: fullSize)).map { Float($0) / 256 }
    let amount = Float(sharpness * Self.strength)
    guard amount > 0, weights.count > 1 else { return }
    let (width, height) = (size.width, size.height)
    let brightness = [Float](unsafeUninitializedCapacity: size.area) { plane, count in
      // Proof: each band writes rows of its own, and all have ended when `run` returns.
      nonisolated(unsafe) let (plane, pixels) = (plane, pixels)
      RowBands.run(rows: height, width: width, threads: threads) { rows in
        for at in rows.lowerBound * width..<rows.upperBound * width {
          plane[at] = (SIMD4<Float>(pixels[at]) * Self.luma).sum()
        }
      }
      count = size.area
    }
    let core = Float(Self.core) * Self.step
    brightness.withUnsafeBufferPointer { plane in
      // Proof: each band writes rows of its own, and all have ended when `run` returns.
      nonisolated(unsafe) let pixels = pixels
      RowBands.run(rows: height, width: width, threads: threads) { rows in
        var sums = [Float](repeating: 0, count: width)
        for y in rows {
          for x in 0..<width { sums[x] = plane[y * width + x] * weights[0] }
          for distance in 1..<weights.count {
            let (above, below) = (max(y - distance, 0) * width, min(y + distance, height - 1) * width)
            for x in 0..<width { sums[x] += (plane[above + x] + plane[below + x]) * weights[distance] }
          }
          for x in 0..<width {
            var blurred = sums[x] * weights[0]
            for distance in 1..<weights.count {
              blurred += (sums[max(x - distance, 0)] + sums[min(x + distance, width - 1)]) * weights[distance]
            }
            let difference = plane[y * width + x] - blurred
            let cored = max(difference - core, 0) + min(difference + core, 0)
            let color = SIMD4<Float>(pixels[y * width + x]) + amount * cored
            pixels[y * width + x] = DeepPixels.Pixel(
              color.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: Self.white)), rounding: .toNearestOrEven)
          }
        }
      }
    }
  }
}
