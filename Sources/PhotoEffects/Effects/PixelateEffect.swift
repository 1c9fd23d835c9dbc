// The pixelate effect: large squares of one color each.

/// Each square gets its mean color. Sides are a sixtieth of the picture's long side, counted from the top left corner and
/// rounded to whole pixels.
/// A pixel's fourth byte is kept.
public struct PixelateEffect: PixelEffect {
  public init() {}

  /// The side of a square, in pattern units.
  private static let side: Float = 1000 / 60

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let side = max(1, context.patternUnit(in: view) * Self.side)
    func edge(_ index: Int, _ limit: Int) -> Int { min(limit, Int((Float(index) * side).rounded())) }
    let rows = Int((Float(view.height) / side).rounded(.up)) + 1
    RowBands.run(rows: rows, threads: scratch.threadCount) { range, _ in
      for row in range {
        let vertical = edge(row, view.height)..<edge(row + 1, view.height)
        var (column, left) = (0, 0)
        while left < view.width, !vertical.isEmpty {
          let right = max(edge(column + 1, view.width), left + 1)
          Self.fill(view, left..<right, vertical, share: Float(intensity))
          (column, left) = (column + 1, right)
        }
      }
    }
  }

  private static func fill(_ view: PixelView, _ columns: Range<Int>, _ rows: Range<Int>, share: Float) {
    // 64 bits: two sums of a square of any size fit into one word.
    var (blueAndRed, green): (UInt64, UInt64) = (0, 0)
    for y in rows {
      let pixels = view.row(y)
      for x in columns {
        let pixel = UInt64(pixels[x])
        blueAndRed &+= (pixel & 0xff) | ((pixel & 0xff_0000) << 16)
        green &+= (pixel >> 8) & 0xff
      }
    }
    let scale = 1 / Float(columns.count * rows.count)
    let mean = PackedColor(
      blue: Float(blueAndRed & 0xffff_ffff) * scale, green: Float(green) * scale, red: Float(blueAndRed >> 32) * scale)
    let part = PixelView(
      pixels: view.row(rows.lowerBound) + columns.lowerBound, width: columns.count, height: rows.count,
      stride: max(view.stride, columns.count))
    for y in 0..<part.height { part.paint(row: y, share: share) { _, _ in mean } }
  }
}
