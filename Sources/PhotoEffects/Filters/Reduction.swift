// Planes of luma and color from a picture, and smaller planes from larger ones.

/// Means over squares of `factor × factor` pixels; at the right and bottom border, over partial squares.
struct Reduction {
  let factor: Int

  /// The number of squares along a side of `length` pixels.
  func count(_ length: Int) -> Int { (length + factor - 1) / factor }

  /// Writes the luma `Y`, the weighted mean of red, green and blue, of the squares, 0 to 1, and the differences `B − Y` and
  /// `R − Y`.
  func lumaAndColor(
    of view: PixelView, weights: LumaWeights, luma: FloatPlane, blue: FloatPlane, red: FloatPlane, threads: Int = 1
  ) {
    RowBands.run(rows: luma.height, threads: threads) { rows, _ in
      for y in rows {
        let (luma, blue, red) = (luma.row(y), blue.row(y), red.row(y))
        let top = y * factor
        let tall = min(factor, view.height - top)
        if factor == 1 {
          let pixels = view.row(top)
          for x in 0..<view.width {
            let pixel = pixels[x]
            weights.write(
              blue: pixel & 0xff, green: (pixel >> 8) & 0xff, red: (pixel >> 16) & 0xff, scale: 1 / 255, to: luma, blue,
              red, at: x)
          }
        } else if factor == 2, tall == 2 {
          reducePairs(view, weights, top: top, luma, blue, red)
        } else {
          reduceAny(view, weights, top: top, tall: tall, from: 0, luma, blue, red)
        }
      }
    }
  }

  /// The memory that `means` needs, in numbers.
  func scratchCount(width: Int) -> Int { count(width) * factor }

  /// Writes the means of `source`'s squares.
  func means(of source: FloatPlane, to target: FloatPlane, scratch: UnsafeMutablePointer<Float>) {
    let width = source.width
    let whole = width / factor
    for y in 0..<target.height {
      let top = y * factor
      let tall = min(factor, source.height - top)
      var columns = source.row(top)
      if tall == 4 {
        let (a, b, c, d) = (source.row(top), source.row(top + 1), source.row(top + 2), source.row(top + 3))
        for x in 0..<width { scratch[x] = (a[x] + b[x]) + (c[x] + d[x]) }
        columns = scratch
      } else if tall > 1 {
        scratch.update(from: columns, count: width)
        for row in top + 1..<top + tall {
          let values = source.row(row)
          for x in 0..<width { scratch[x] += values[x] }
        }
        columns = scratch
      }
      let out = target.row(y)
      let scale = 1 / Float(tall * factor)
      switch factor {
      case 1: for x in 0..<whole { out[x] = columns[x] * scale }
      case 2: for x in 0..<whole { out[x] = (columns[2 * x] + columns[2 * x + 1]) * scale }
      case 4:
        for x in 0..<whole {
          out[x] = ((columns[4 * x] + columns[4 * x + 1]) + (columns[4 * x + 2] + columns[4 * x + 3])) * scale
        }
      default:
        for x in 0..<whole {
          var sum: Float = 0
          for column in x * factor..<(x + 1) * factor { sum += columns[column] }
          out[x] = sum * scale
        }
      }
      if whole < target.width {
        var sum: Float = 0
        for column in whole * factor..<width { sum += columns[column] }
        out[whole] = sum / Float(tall * (width - whole * factor))
      }
    }
  }

  private func reducePairs(
    _ view: PixelView, _ weights: LumaWeights, top: Int, _ luma: UnsafeMutablePointer<Float>,
    _ blue: UnsafeMutablePointer<Float>,
    _ red: UnsafeMutablePointer<Float>
  ) {
    let (upper, lower) = (view.row(top), view.row(top + 1))
    let whole = view.width / 2
    let mask: UInt32 = 0x00ff_00ff
    for x in 0..<whole {
      let (a, b, c, d) = (upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1])
      let blueAndRed = (a & mask) &+ (b & mask) &+ (c & mask) &+ (d & mask)
      let green = ((a >> 8) & 0xff) &+ ((b >> 8) & 0xff) &+ ((c >> 8) & 0xff) &+ ((d >> 8) & 0xff)
      weights.write(
        blue: blueAndRed & 0xffff, green: green, red: blueAndRed >> 16, scale: 1 / 1020, to: luma, blue, red, at: x)
    }
    if whole < count(view.width) { reduceAny(view, weights, top: top, tall: 2, from: whole, luma, blue, red) }
  }

  private func reduceAny(
    _ view: PixelView, _ weights: LumaWeights, top: Int, tall: Int, from first: Int,
    _ luma: UnsafeMutablePointer<Float>,
    _ blue: UnsafeMutablePointer<Float>, _ red: UnsafeMutablePointer<Float>
  ) {
    for x in first..<count(view.width) {
      let left = x * factor
      let wide = min(factor, view.width - left)
      var sums: (blue: UInt32, green: UInt32, red: UInt32) = (0, 0, 0)
      for y in top..<top + tall {
        let pixels = view.row(y) + left
        for column in 0..<wide {
          let pixel = pixels[column]
          sums.blue &+= pixel & 0xff
          sums.green &+= (pixel >> 8) & 0xff
          sums.red &+= (pixel >> 16) & 0xff
        }
      }
      weights.write(
        blue: sums.blue, green: sums.green, red: sums.red, scale: 1 / Float(255 * tall * wide), to: luma, blue, red,
        at: x)
    }
  }
}

extension LumaWeights {
  @inline(__always)
  fileprivate func write(
    blue: UInt32, green: UInt32, red: UInt32, scale: Float, to luma: UnsafeMutablePointer<Float>,
    _ blueDifference: UnsafeMutablePointer<Float>, _ redDifference: UnsafeMutablePointer<Float>, at x: Int
  ) {
    // Through Int32: SSE2 converts only signed integers to floating point.
    let b = Float(Int32(bitPattern: blue)) * scale
    let g = Float(Int32(bitPattern: green)) * scale
    let r = Float(Int32(bitPattern: red)) * scale
    let y = self.red * r + self.green * g + self.blue * b
    luma[x] = y
    blueDifference[x] = b - y
    redDifference[x] = r - y
  }
}
