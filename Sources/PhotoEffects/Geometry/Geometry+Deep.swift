// Rendering of turns, flips, straightening and crops of pictures with 16 bits a channel.

import CameraCore
import Foundation

extension Geometry {
  /// The same as for 8 bits, in single precision.
  func render(_ source: DeepPixels, threads: Int) -> DeepPixels {
    if isNeutral { return source }
    let size = outputSize(for: source.size)
    let placement = placement(for: source.size, isEven: false)
    return source.withPixels { pixels in
      DeepPixels(size) { target in
        // Proof: each band writes rows of its own, and all have ended when `run` returns.
        nonisolated(unsafe) let (pixels, target) = (pixels, target)
        RowBands.run(rows: size.height, width: size.width, threads: threads) { rows in
          for y in rows {
            for x in 0..<size.width {
              let place = placement(Double(x), Double(y))
              target[y * size.width + x] =
                straighten == 0
                ? pixels[Int(place.y) * source.size.width + Int(place.x)]
                : Self.interpolated(pixels, source.size, at: place)
            }
          }
        }
      }
    }
  }

  /// By the Catmull-Rom cubic, edges repeated.
  private static func interpolated(
    _ pixels: UnsafePointer<DeepPixels.Pixel>, _ size: PixelSize, at place: SIMD2<Double>
  ) -> DeepPixels.Pixel {
    let (left, top) = (Int(place.x.rounded(.down)), Int(place.y.rounded(.down)))
    let across = weights(Float(place.x - Double(left)))
    let down = weights(Float(place.y - Double(top)))
    var sum = SIMD4<Float>.zero
    for row in 0..<4 {
      let from = min(max(top + row - 1, 0), size.height - 1) * size.width
      var line = SIMD4<Float>.zero
      for column in 0..<4 {
        line += SIMD4<Float>(pixels[from + min(max(left + column - 1, 0), size.width - 1)]) * across[column]
      }
      sum += line * down[row]
    }
    return DeepPixels.Pixel(
      sum.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 65_535)), rounding: .toNearestOrEven)
  }

  private static func weights(_ t: Float) -> SIMD4<Float> {
    SIMD4(
      ((2 - t) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2, ((4 - 3 * t) * t + 1) * t / 2, (t - 1) * t * t / 2)
  }
}
