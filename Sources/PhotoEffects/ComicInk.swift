// Draws a comic's ink lines out from single marks: along the edges, never across.

/// Line integral along the edges, after the flow-based difference of Gaussians (Kang, Lee, Chui: “Coherent Line Drawing”,
/// 2007; Kyprianidis, Döllner: “Image Abstraction by Structure Adaptive Filtering”, 2008).
///
/// The direction of the edges comes from the smoothed structure tensor of a small luma plane: the eigenvector of its smaller
/// eigenvalue. Its length is the coherence `(λ₁ − λ₂) / (λ₁ + λ₂)`: where edges go all ways, nothing is drawn out.
struct ComicInk {
  /// From the drawing to the small planes.
  let factor: Int
  /// The window of the structure tensor, in pixels of the small planes.
  let window: GaussianBlur
  /// From one of the samples along the edge to the next, in pixels of the drawing.
  let step: Float
  /// What is fainter than this is no line and is not drawn out either.
  let faintest: Float

  /// How many numbers of memory `directions` needs.
  func scratchCount(width: Int, height: Int) -> Int {
    5 * width * height + window.scratchCount(width: width, threads: 1)
  }

  /// Finds the direction of the edges in a small luma plane.
  func directions(in luma: FloatPlane, arena: inout PlaneArena) -> (x: FloatPlane, y: FloatPlane) {
    let (width, height) = (luma.width, luma.height)
    let x = arena.plane(width: width, height: height)
    let y = arena.plane(width: width, height: height)
    let xx = arena.plane(width: width, height: height)
    let xy = arena.plane(width: width, height: height)
    let yy = arena.plane(width: width, height: height)
    let scratch = arena.numbers(window.scratchCount(width: width, threads: 1))
    for row in 0..<height {
      let (above, own, below) = (luma.nearestRow(row - 1), luma.row(row), luma.nearestRow(row + 1))
      let (outXX, outXY, outYY) = (xx.row(row), xy.row(row), yy.row(row))
      for column in 0..<width {
        let (left, right) = (max(column - 1, 0), min(column + 1, width - 1))
        let dx = 2 * (own[right] - own[left]) + above[right] - above[left] + below[right] - below[left]
        let dy = 2 * (below[column] - above[column]) + below[left] - above[left] + below[right] - above[right]
        outXX[column] = dx * dx
        outXY[column] = dx * dy
        outYY[column] = dy * dy
      }
    }
    window.apply(from: xx, to: x, scratch: scratch)
    window.apply(from: yy, to: y, scratch: scratch)
    window.apply(from: xy, to: xx, scratch: scratch)
    let (across, down, mixed) = (x.values, y.values, xx.values)
    for i in 0..<width * height {
      let (e, f, g) = (across[i], mixed[i], down[i])
      let spread = ((e - g) * (e - g) + 4 * f * f).squareRoot()
      let large = (e + g + spread) / 2
      var (tangentX, tangentY) = e >= g ? (-f, large - g) : (large - e, -f)
      let length = (tangentX * tangentX + tangentY * tangentY).squareRoot()
      // The constant stands for the noise of a camera, which has a direction of its own anywhere.
      let scale = spread / (e + g + 0.002) / max(length, 1e-20)
      tangentX *= scale
      tangentY *= scale
      across[i] = tangentX
      down[i] = tangentY
    }
    return (x, y)
  }

  /// Writes the mean of `marks` along the edge through each pixel.
  func draw(
    _ marks: FloatPlane, along directions: (x: FloatPlane, y: FloatPlane), to lines: FloatPlane, threads: Int
  ) {
    let (width, height) = (marks.width, marks.height)
    let (right, bottom) = (Float(width) - 1.001, Float(height) - 1.001)
    let faintest = faintest
    // Binomial weights of the samples 1, 2 and 3 steps away; the one in the middle has 20.
    let weights: (Float, Float, Float) = (15 / 64, 6 / 64, 1 / 64)
    RowBands.run(rows: height, threads: threads) { rows, _ in
      for y in rows {
        let (own, out) = (marks.row(y), lines.row(y))
        guard y > 0, y < height - 1, width > 2 else {
          out.update(from: own, count: width)
          continue
        }
        let (stepsX, stepsY) = (directions.x.row(y / factor), directions.y.row(y / factor))
        @inline(__always) func sample(_ x: Float, _ y: Float) -> Float {
          let (x, y) = (min(max(x, 0), right), min(max(y, 0), bottom))
          let (column, row) = (Int(Int32(x)), Int(Int32(y)))
          let (shareX, shareY) = (x - Float(column), y - Float(row))
          let values = marks.values + row * width + column
          let upper = values[0] + (values[1] - values[0]) * shareX
          let lower = values[width] + (values[width + 1] - values[width]) * shareX
          return upper + (lower - upper) * shareY
        }
        for x in 0..<width {
          let value = own[x]
          guard value > faintest else {
            out[x] = value
            continue
          }
          let (dx, dy) = (stepsX[x / factor] * step, stepsY[x / factor] * step)
          let (px, py) = (Float(x), Float(y))
          let near = sample(px + dx, py + dy) + sample(px - dx, py - dy)
          let middle = sample(px + 2 * dx, py + 2 * dy) + sample(px - 2 * dx, py - 2 * dy)
          let far = sample(px + 3 * dx, py + 3 * dy) + sample(px - 3 * dx, py - 3 * dy)
          out[x] = value * (20 / 64) + near * weights.0 + middle * weights.1 + far * weights.2
        }
      }
    }
  }
}
