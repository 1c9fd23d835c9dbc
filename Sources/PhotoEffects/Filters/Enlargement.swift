// Bilinear enlargement of a small plane, a row at a time.

/// Bilinear interpolation by a whole factor `f`. The small plane's pixel `i` covers the pixels `f·i ..< f·(i + 1)`, so that the
/// pixel `x` is at `(x + ½)/f − ½` of the small plane.
struct Enlargement {
  let factor: Int

  /// The two rows of the small plane around the row `y`, and the weight of the second one.
  @inline(__always)
  func rows(at y: Int, height: Int) -> (upper: Int, lower: Int, share: Float) {
    let position = max(0, (Float(y) + 0.5) / Float(factor) - 0.5)
    let upper = min(Int(position), height - 1)
    return (upper, min(upper + 1, height - 1), position - Float(upper))
  }

  /// The memory that `row` needs, in numbers.
  func scratchCount(width: Int) -> Int { width + 2 }

  /// Writes the row `y` of the enlarged plane: `factor` times the plane's width.
  func row(
    _ y: Int, of plane: FloatPlane, to out: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    let width = plane.width
    let (upper, lower, share) = rows(at: y, height: plane.height)
    let (a, b) = (plane.row(upper), plane.row(lower))
    let middle = scratch + 1
    for x in 0..<width { middle[x] = a[x] + (b[x] - a[x]) * share }
    middle[-1] = middle[0]
    middle[width] = middle[width - 1]
    widen(middle, count: width, to: out)
  }

  /// Interpolates along a row that has a neighbor at both ends.
  private func widen(_ row: UnsafeMutablePointer<Float>, count: Int, to out: UnsafeMutablePointer<Float>) {
    let (before, after) = (row - 1, row + 1)
    switch factor {
    case 1: out.update(from: row, count: count)
    case 2:
      for x in 0..<count {
        let middle = row[x] * 0.75
        out[2 * x] = middle + before[x] * 0.25
        out[2 * x + 1] = middle + after[x] * 0.25
      }
    case 4:
      for x in 0..<count {
        let middle = row[x]
        let (left, right) = (before[x] - middle, after[x] - middle)
        out[4 * x] = middle + left * 0.375
        out[4 * x + 1] = middle + left * 0.125
        out[4 * x + 2] = middle + right * 0.125
        out[4 * x + 3] = middle + right * 0.375
      }
    default:
      for phase in 0..<factor {
        let position = (Float(phase) + 0.5) / Float(factor) - 0.5
        let neighbor = position < 0 ? before : after
        let share = abs(position)
        for x in 0..<count { out[factor * x + phase] = row[x] + (neighbor[x] - row[x]) * share }
      }
    }
  }
}
