// Smoothing of lines along the edges of a picture, never across.

/// Line integral along the edges, after the flow-based difference of Gaussians (Kang, Lee, Chui: “Coherent Line Drawing”,
/// 2007; Kyprianidis, Döllner: “Image Abstraction by Structure Adaptive Filtering”, 2008).
///
/// The direction of the edges comes from the smoothed structure tensor of a small luma plane: the eigenvector of its smaller
/// eigenvalue. Its length is the coherence `(λ₁ − λ₂) / (λ₁ + λ₂)`: where edges go all ways, nothing is drawn out.
struct EdgeFlow {
  /// The reduction from the drawing to the small planes.
  let factor: Int
  /// The window of the structure tensor, in pixels of the small planes.
  let window: GaussianBlur
  /// The distance between samples along the edge, in pixels of the drawing.
  let step: Float
  /// Fainter marks are no lines and aren't smoothed.
  let faintest: Float
  /// Stronger marks are black whatever their neighbors are.
  let blackest: Float

  /// The memory that `directions` needs, in numbers.
  func scratchCount(width: Int, height: Int) -> Int {
    5 * width * height + window.scratchCount(width: width, threads: 1)
  }

  /// The direction of the edges in a small luma plane.
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
      // The constant suppresses camera noise, which has a random direction everywhere.
      let scale = spread / (e + g + 0.002) / max(length, 1e-20)
      tangentX *= scale
      tangentY *= scale
      across[i] = tangentX
      down[i] = tangentY
    }
    return (x, y)
  }

  /// Writes the mean of `marks` along the edge through each pixel: seven samples with binomial weights.
  ///
  /// All pixels under one pixel of the small planes share a direction, and so their offsets and weights. Marks nearer to the
  /// border than the samples reach are copied.
  func draw(
    _ marks: FloatPlane, along directions: (x: FloatPlane, y: FloatPlane), to lines: FloatPlane, threads: Int
  ) {
    let (width, height, factor) = (marks.width, marks.height, factor)
    let reach = Int(3 * step) + 2
    RowBands.run(rows: height, threads: threads) { rows, _ in
      lines.row(rows.lowerBound).update(from: marks.row(rows.lowerBound), count: rows.count * width)
      let inner = rows.clamped(to: min(reach, height)..<max(min(reach, height), height - reach))
      var top = inner.lowerBound
      while top < inner.upperBound {
        // The rows of one row of squares.
        let square = top / factor
        let bottom = min((square + 1) * factor, inner.upperBound)
        let (stepsX, stepsY) = (directions.x.row(square), directions.y.row(square))
        var x = (reach + factor - 1) / factor * factor
        while x + factor + reach < width {
          if (top..<bottom).contains(where: { isWorthDrawing(marks.row($0) + x) }) {
            let samples = Samples(dx: stepsX[x / factor] * step, dy: stepsY[x / factor] * step, rowLength: width)
            for y in top..<bottom {
              let (own, out) = (marks.row(y) + x, lines.row(y) + x)
              guard isWorthDrawing(own) else { continue }
              if factor == 4 {
                samples.mean(around: own, to: out)
              } else {
                for i in 0..<factor { out[i] = samples.mean(around: own + i) }
              }
            }
          }
          x += factor
        }
        top = bottom
      }
    }
  }

  /// Whether any mark of a square's row is between faintest and blackest.
  @inline(__always)
  private func isWorthDrawing(_ marks: UnsafePointer<Float>) -> Bool {
    var (least, most) = (marks[0], marks[0])
    for i in 1..<factor {
      least = marks[i] < least ? marks[i] : least
      most = marks[i] > most ? marks[i] : most
    }
    return most > faintest && least < blackest
  }

  /// The samples along one direction: their offsets from a pixel, and the weights of the four pixels around each.
  private struct Samples {
    typealias Sample = (offset: Int, weights: SIMD4<Float>)
    let samples: (Sample, Sample, Sample, Sample, Sample, Sample)
    let rowLength: Int

    @inline(__always)
    init(dx: Float, dy: Float, rowLength: Int) {
      @inline(__always) func sample(_ steps: Float, _ weight: Float) -> Sample {
        let (x, y) = (dx * steps, dy * steps)
        // Rounded down: the samples are never that far away.
        let (column, row) = (Int32(x + 64) - 64, Int32(y + 64) - 64)
        let (shareX, shareY) = (x - Float(column), y - Float(row))
        let (upper, lower) = ((1 - shareY) * weight, shareY * weight)
        return (
          Int(row) * rowLength + Int(column),
          SIMD4(upper * (1 - shareX), upper * shareX, lower * (1 - shareX), lower * shareX)
        )
      }
      samples = (
        sample(1, 15 / 64), sample(-1, 15 / 64), sample(2, 6 / 64), sample(-2, 6 / 64), sample(3, 1 / 64),
        sample(-3, 1 / 64)
      )
      self.rowLength = rowLength
    }

    /// The weighted mean around one pixel.
    @inline(__always)
    func mean(around pixel: UnsafePointer<Float>) -> Float {
      @inline(__always) func value(_ sample: Sample) -> Float {
        let (values, weights) = (pixel + sample.offset, sample.weights)
        return values[0] * weights[0] + values[1] * weights[1] + values[rowLength] * weights[2]
          + values[rowLength + 1] * weights[3]
      }
      return pixel[0] * (20 / 64) + value(samples.0) + value(samples.1) + value(samples.2) + value(samples.3)
        + value(samples.4) + value(samples.5)
    }

    /// The weighted means around four pixels beside each other.
    @inline(__always)
    func mean(around pixels: UnsafePointer<Float>, to out: UnsafeMutablePointer<Float>) {
      @inline(__always) func four(_ values: UnsafePointer<Float>) -> SIMD4<Float> {
        UnsafeRawPointer(values).loadUnaligned(as: SIMD4<Float>.self)
      }
      @inline(__always) func value(_ sample: Sample) -> SIMD4<Float> {
        let (values, weights) = (pixels + sample.offset, sample.weights)
        return four(values) * weights[0] + four(values + 1) * weights[1] + four(values + rowLength) * weights[2]
          + four(values + rowLength + 1) * weights[3]
      }
      let sum =
        four(pixels) * (20 / 64) + value(samples.0) + value(samples.1) + value(samples.2) + value(samples.3)
        + value(samples.4) + value(samples.5)
      UnsafeMutableRawPointer(out).storeBytes(of: sum, as: SIMD4<Float>.self)
    }
  }
}
