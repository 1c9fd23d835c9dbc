// The fast form of `ColorTransform`: table look-ups and two additions a pixel.

/// A `ColorTransform` for 8-bit channels.
///
/// For each value of each channel a 64-bit word holds what it adds to the three sums of the matrix, in fields of 21 bits;
/// so two additions do all nine products. Each field's upper 12 bits are then an index into the curve after the matrix.
/// A field's range is fitted to the smallest and largest sum that can occur, so nothing ever runs over into its neighbor,
/// and the index is finer than an eighth of a step of an 8-bit channel for every range up to two.
struct ColorTables: Sendable {
  /// The contributions of blue, green and red: three times 256 words.
  private let sums: [UInt64]
  /// The curves after the matrix for blue, green and red: three times 4096 values.
  private let curves: [UInt8]

  private static let indexBits = 12
  private static let fractionBits = 8
  private static let fieldBits = 21
  private static let entries = 1 << indexBits

  init(_ transform: ColorTransform) {
    var sums = [UInt64](repeating: 0, count: 3 * 256)
    var curves = [UInt8](repeating: 0, count: 3 * Self.entries)
    // Headroom for the rounding of three additions.
    let top = Double(Self.entries << Self.fractionBits) - 4
    for field in 0..<3 {
      // Pixels hold blue first, matrices red first.
      let out = 2 - field
      let parts = (0..<3).map { place in
        let input = 2 - place
        return (0..<256).map { transform.matrix[out][input] * transform.before[input](Double($0) / 255) }
      }
      let lows = parts.map { $0.min() ?? 0 }
      let range = zip(parts, lows).reduce(0) { $0 + ($1.0.max() ?? 0) - $1.1 }
      let scale = range > 0 ? top / range : 0
      for place in 0..<3 {
        for value in 0..<256 {
          let part = UInt64(((parts[place][value] - lows[place]) * scale).rounded())
          sums[place * 256 + value] |= part << UInt64(field * Self.fieldBits)
        }
      }
      let low = lows.reduce(0, +)
      for index in 0..<Self.entries {
        let middle = (Double(index) + 0.5) * Double(1 << Self.fractionBits)
        let sum = scale > 0 ? low + min(middle, top) / scale : low
        curves[field * Self.entries + index] = UInt8((min(max(transform.after[out](sum), 0), 1) * 255).rounded())
      }
    }
    self.sums = sums
    self.curves = curves
  }

  /// Changes a picture in place, blended with the original.
  ///
  /// - Parameter intensity: 0 changes nothing; 1 is the full change. In steps of 1/256.
  func apply(to view: PixelView, intensity: Double, threads: Int) {
    let weight = UInt16((min(max(intensity, 0), 1) * 256).rounded())
    guard weight > 0 else { return }
    sums.withUnsafeBufferPointer { sums in
      curves.withUnsafeBufferPointer { curves in
        RowBands.run(rows: view.height, width: view.width, threads: threads) { rows in
          guard weight < 256 else {
            for y in rows {
              Self.change(view.row(y), into: view.row(y), view.width, sums.baseAddress!, curves.baseAddress!)
            }
            return
          }
          // The new row is computed beside the old one and blended afterwards: that loop vectorizes, this one
          // doesn't.
          withUnsafeTemporaryAllocation(of: UInt32.self, capacity: view.width) { new in
            let new = new.baseAddress!
            for y in rows {
              Self.change(view.row(y), into: new, view.width, sums.baseAddress!, curves.baseAddress!)
              Pixel.mix(new, into: view.row(y), count: view.width, weight: weight)
            }
          }
        }
      }
    }
  }

  private static func change(
    _ row: UnsafePointer<UInt32>, into out: UnsafeMutablePointer<UInt32>, _ width: Int, _ sums: UnsafePointer<UInt64>,
    _ curves: UnsafePointer<UInt8>
  ) {
    let green = sums + 256
    let red = sums + 512
    let greenCurve = curves + entries
    let redCurve = curves + 2 * entries
    for x in 0..<width {
      let old = row[x]
      let sum = sums[Int(old & 255)] &+ green[Int(old &>> 8 & 255)] &+ red[Int(old &>> 16 & 255)]
      out[x] =
        UInt32(curves[Int(truncatingIfNeeded: sum &>> 8 & 4095)])
        | UInt32(greenCurve[Int(truncatingIfNeeded: sum &>> 29 & 4095)]) &<< 8
        | UInt32(redCurve[Int(truncatingIfNeeded: sum &>> 50 & 4095)]) &<< 16 | Pixel.unused
    }
  }
}
