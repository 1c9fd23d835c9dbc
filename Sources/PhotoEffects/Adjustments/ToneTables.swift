// The fast form of the adjustments' formulas: one pass over the pixels.

/// `ToneFormulas` for 8-bit channels, in single precision.
///
/// For each value of each channel a vector of four holds its contributions to blue, green, red and the brightness: curves and
/// matrix take two vector additions a pixel. Shadows and highlights are a look-up by brightness, the vignette is computed
/// eight pixels at a time; the product is rounded once.
struct ToneTables: Sendable {
  /// The contributions of blue, green and red: three times 256 vectors, in 8-bit steps; the fourth in steps of `gains`.
  private let sums: [SIMD4<Float>]
  /// The factor of shadows and highlights for brightnesses 0…`brightest`; empty when it is always 1.
  private let gains: [Float]
  /// The share of light that the vignette takes from the corners; 0 for no vignette.
  private let depth: Float

  private static let gainSteps = 4096
  private static let brightest = 2.0

  init(_ adjustments: Adjustments) {
    let formulas = ToneFormulas(adjustments)
    let matrix = formulas.saturation
    sums = [2, 1, 0].flatMap { input in
      (0..<256).map { value in
        let curved = formulas.curve(Double(value) / 255, channel: input)
        return SIMD4(
          Float(255 * curved * matrix[2][input]), Float(255 * curved * matrix[1][input]),
          Float(255 * curved * matrix[0][input]),
          Float(curved * ColorTransform.luma709[input] * Double(Self.gainSteps) / Self.brightest))
      }
    }
    let isPlain = adjustments.shadows == 0 && adjustments.highlights == 0
    gains =
      isPlain
      ? []
      : (0...Self.gainSteps).map {
        Float(formulas.gain(brightness: Double($0) * Self.brightest / Double(Self.gainSteps)))
      }
    depth = Float(ToneFormulas.vignetteDepth(adjustments.vignette))
  }

  /// Changes a picture in place.
  func apply(to view: PixelView, threads: Int) {
    sums.withUnsafeBufferPointer { sums in
      gains.withUnsafeBufferPointer { gains in
        let table = sums.baseAddress!
        RowBands.run(rows: view.height, width: view.width, threads: threads) { rows in
          // Four loops, so that none branches for each pixel.
          switch (gains.isEmpty, depth == 0) {
          case (true, true):
            for y in rows { Self.change(view.row(y), view.width, table) { color, _ in color } }
          case (false, true):
            for y in rows {
              Self.change(view.row(y), view.width, table) { color, _ in color * Self.gain(gains, color) }
            }
          case (true, false):
            withFactors(view, rows) { row, factors in
              Self.change(row, view.width, table) { color, x in color * factors[x] }
            }
          case (false, false):
            withFactors(view, rows) { row, factors in
              Self.change(row, view.width, table) { color, x in color * (Self.gain(gains, color) * factors[x]) }
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private static func gain(_ gains: UnsafeBufferPointer<Float>, _ color: SIMD4<Float>) -> Float {
    let last = Float(gainSteps)
    return gains[Pixel.nearest(color.w > last ? last : color.w)]
  }

  /// - Parameter factored: The color with its brightness, and the column.
  @inline(__always)
  private static func change(
    _ row: UnsafeMutablePointer<UInt32>, _ width: Int, _ blue: UnsafePointer<SIMD4<Float>>,
    _ factored: (SIMD4<Float>, Int) -> SIMD4<Float>
  ) {
    let green = blue + 256
    let red = blue + 512
    for x in 0..<width {
      let pixel = row[x]
      let sum = blue[Int(pixel & 255)] + green[Int(pixel &>> 8 & 255)] + red[Int(pixel &>> 16 & 255)]
      row[x] = Pixel.packed(factored(sum, x)) | Pixel.unused
    }
  }

  /// Calls `body` for each row with the vignette's factors of its pixels.
  @inline(__always)
  private func withFactors(
    _ view: PixelView, _ rows: Range<Int>, _ body: (UnsafeMutablePointer<UInt32>, UnsafePointer<Float>) -> Void
  ) {
    let width = Float(view.width)
    let height = Float(view.height)
    let perSquare = 4 / (width * width + height * height)
    let blocks = (view.width + 7) / 8
    withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: blocks) { factors in
      for y in rows {
        let dy = Float(y) - (height - 1) / 2
        var dx = SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7) - (width - 1) / 2
        for block in 0..<blocks {
          let square = (dx * dx + dy * dy) * perSquare
          factors[block] = 1 - depth * square * square * (3 - 2 * square)
          dx += 8
        }
        body(view.row(y), UnsafeRawPointer(factors.baseAddress!).assumingMemoryBound(to: Float.self))
      }
    }
  }
}
