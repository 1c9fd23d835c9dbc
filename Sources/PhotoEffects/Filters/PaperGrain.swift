// The grain of drawing paper.

/// Value noise: a hash of each point of a square grid, interpolated linearly. The grain is fixed, the same for every frame of
/// a movie.
struct PaperGrain {
  /// The grid's spacing, in pixels.
  let pitch: Float

  /// Writes the heights of a row, 0 to 1. A grid finer than the pixels fades to its mean.
  func write(row y: Int, to out: UnsafeMutablePointer<Float>, count: Int) {
    let contrast = (pitch - 0.3).limited(to: 1)
    let scale = 1 / max(pitch, 0.3)
    let vertical = (Float(y) + 0.5) * scale
    let row = Int32(vertical)
    let lower = vertical - Float(row)
    var column = Int32(-1)
    var (left, right): (Float, Float) = (0, 0)
    for x in 0..<count {
      let position = (Float(x) + 0.5) * scale
      let cell = Int32(position)
      if cell != column {
        left = cell == column + 1 && column >= 0 ? right : Self.height(cell, row, lower)
        right = Self.height(cell + 1, row, lower)
        column = cell
      }
      let value = left + (right - left) * (position - Float(cell))
      out[x] = 0.5 + (value - 0.5) * contrast
    }
  }

  private static func height(_ column: Int32, _ row: Int32, _ share: Float) -> Float {
    let (upper, lower) = (hash(column, row), hash(column, row + 1))
    return upper + (lower - upper) * share
  }

  /// A number from 0 to 1 for a grid point: the finalizer of MurmurHash3.
  private static func hash(_ column: Int32, _ row: Int32) -> Float {
    var bits = UInt32(bitPattern: column) &* 0x9e37_79b1 ^ UInt32(bitPattern: row) &* 0x85eb_ca77
    bits = (bits ^ (bits >> 16)) &* 0x85eb_ca6b
    bits = (bits ^ (bits >> 13)) &* 0xc2b2_ae35
    return Float(Int32(bitPattern: (bits ^ (bits >> 16)) >> 8)) / 16_777_216
  }
}
