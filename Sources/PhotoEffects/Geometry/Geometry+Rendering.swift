// Rendering of turns, flips, straightening and crops.

import CameraCore
import Foundation

extension Geometry {
  /// Renders a picture into another.
  ///
  /// Turns, flips and crops move pixels whole. Straightening interpolates with the Catmull-Rom cubic (R. G. Keys, “Cubic
  /// Convolution Interpolation for Digital Image Processing”, 1981, with a = −½), edges repeated.
  ///
  /// - Parameters:
  ///   - target: Of the size `outputSize(for:isEven:)`, not overlapping the source.
  ///   - isEven: As in `outputSize(for:isEven:)`.
  /// - Throws: `RecipeError.wrongTargetSize`.
  public func render(_ source: PixelView, into target: PixelView, isEven: Bool = false, scratch: EffectScratch) throws {
    let size = outputSize(for: source.size, isEven: isEven)
    guard target.size == size else {
      throw RecipeError.wrongTargetSize(given: target.size.description, needed: size.description)
    }
    let placement = placement(for: source.size, isEven: isEven)
    if straighten == 0 {
      Self.move(source, into: target, placement, threads: scratch.threadCount)
    } else {
      Self.interpolate(source, into: target, placement, threads: scratch.threadCount)
    }
  }

  private static func move(_ source: PixelView, into target: PixelView, _ placement: Placement, threads: Int) {
    func offset(_ place: SIMD2<Double>) -> Int { Int(place.y) * source.stride + Int(place.x) }
    let origin = offset(placement.origin)
    let right = offset(placement.right)
    let down = offset(placement.down)
    // A turn reads columns: in tiles, so that cache lines are used for several rows.
    let tile = 64
    RowBands.run(rows: target.height, width: target.width, threads: threads) { rows in
      if right == 1 {
        for y in rows { target.row(y).update(from: source.pixels + (origin + y * down), count: target.width) }
        return
      }
      if right == -1 {
        for y in rows {
          let row = target.row(y)
          let from = source.pixels + (origin + y * down)
          for x in 0..<target.width { row[x] = from[-x] }
        }
        return
      }
      for top in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: tile) {
        for left in Swift.stride(from: 0, to: target.width, by: tile) {
          for y in top..<min(top + tile, rows.upperBound) {
            let row = target.row(y)
            let from = source.pixels + (origin + y * down)
            for x in left..<min(left + tile, target.width) { row[x] = from[x * right] }
          }
        }
      }
    }
  }

  private static func interpolate(_ source: PixelView, into target: PixelView, _ placement: Placement, threads: Int) {
    // In 2⁻²⁰ pixels: over 8000 pixels the rounding of the steps adds up to less than a hundredth of a pixel.
    let one = Double(1 << 20)
    let rightX = Int((placement.right.x * one).rounded())
    let rightY = Int((placement.right.y * one).rounded())
    CubicKernel.withWeights { kernel in
      RowBands.run(rows: target.height, width: target.width, threads: threads) { rows in
        for y in rows {
          let row = target.row(y)
          let start = placement(0, Double(y))
          // Half a step of the kernel's fraction is added for rounding.
          var placeX = Int((start.x * one).rounded()) + 1 << 12
          var placeY = Int((start.y * one).rounded()) + 1 << 12
          for x in 0..<target.width {
            row[x] = kernel.sample(
              source, x: placeX &>> 20, y: placeY &>> 20, fx: placeX &>> 13 & 127, fy: placeY &>> 13 & 127)
            placeX &+= rightX
            placeY &+= rightY
          }
        }
      }
    }
  }
}
