// Gaussian blur of a plane.

import Foundation

/// A convolution with `exp(-x²/2σ²)`, cut off at 2.6 σ (99 % of its area) and normalized, first down the columns and then along the
/// rows. Border pixels are repeated beyond the border.
///
/// It costs some 11σ operations a pixel, so pictures are reduced before a wide blur.
struct GaussianBlur {
  /// The standard deviation in pixels.
  let sigma: Float
  /// The distance of the farthest neighbor, in pixels.
  let radius: Int

  init(sigma: Float) {
    self.sigma = max(0, sigma)
    radius = self.sigma < 0.15 ? 0 : Int((self.sigma * 2.6).rounded(.up))
  }

  /// The memory that `apply` needs, in numbers.
  func scratchCount(width: Int, threads: Int) -> Int { radius + 1 + threads * (width + 2 * radius) }

  /// Blurs `source` into `target`, another plane of the same size.
  func apply(
    from source: FloatPlane, to target: FloatPlane, scratch: UnsafeMutablePointer<Float>, threads: Int = 1
  ) {
    let (width, radius) = (source.width, radius)
    let weights = scratch
    writeWeights(to: weights)
    RowBands.run(rows: source.height, threads: threads) { rows, band in
      let padded = scratch + (radius + 1) + band * (width + 2 * radius)
      let column = padded + radius
      for y in rows {
        Self.sum(
          into: column, count: width, radius: radius, weights: weights, middle: source.row(y),
          before: { source.nearestRow(y - $0) }, after: { source.nearestRow(y + $0) })
        for x in 0..<radius {
          padded[x] = column[0]
          column[width + x] = column[width - 1]
        }
        Self.sum(
          into: target.row(y), count: width, radius: radius, weights: weights, middle: column,
          before: { column - $0 }, after: { column + $0 })
      }
    }
  }

  /// The weight of the pixel itself, then those of its neighbors.
  private func writeWeights(to weights: UnsafeMutablePointer<Float>) {
    weights[0] = 1
    var sum: Float = 1
    for distance in 0..<radius {
      let x = Float(distance + 1) / sigma
      weights[distance + 1] = exp(-x * x / 2)
      sum += 2 * weights[distance + 1]
    }
    for index in 0...radius { weights[index] /= sum }
  }

  /// `out[x] = w₀·middle[x] + Σ wₖ·(before(k)[x] + after(k)[x])`, two neighbors at a time to save loads and stores.
  @inline(__always)
  private static func sum(
    into out: UnsafeMutablePointer<Float>, count: Int, radius: Int, weights: UnsafeMutablePointer<Float>,
    middle: UnsafeMutablePointer<Float>, before: (Int) -> UnsafeMutablePointer<Float>,
    after: (Int) -> UnsafeMutablePointer<Float>
  ) {
    let own = weights[0]
    guard radius > 0 else {
      for x in 0..<count { out[x] = middle[x] }
      return
    }
    let (first, a, b) = (weights[1], before(1), after(1))
    for x in 0..<count { out[x] = own * middle[x] + first * (a[x] + b[x]) }
    var k = 2
    while k < radius {
      let (near, far) = (weights[k], weights[k + 1])
      let (a, b, c, d) = (before(k), after(k), before(k + 1), after(k + 1))
      for x in 0..<count { out[x] += near * (a[x] + b[x]) + far * (c[x] + d[x]) }
      k += 2
    }
    if k == radius {
      let (last, a, b) = (weights[k], before(k), after(k))
      for x in 0..<count { out[x] += last * (a[x] + b[x]) }
    }
  }
}
