// A silkscreen print in a few loud colours.

/// Pop art after the silkscreens of the 1960s: luma picks one of five flat inks, dots on a screen at 45° lead from each to the
/// next, and lines in the darkest ink hold it together. A pixel's fourth byte is kept.
public struct PopArtEffect: PixelEffect {
  public init() {}

  private static let style = LineDrawing.Style(
    windowSigma: 5, flatContrast: 0.1, lineSigma: 1.3, softEdges: 0.35, saturation: nil)
  /// From dot to dot, in pattern units.
  private static let dotPitch: Float = 6
  /// From the shadows to the lights, as `0xRRGGBB`.
  private static let inks: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x1b1250, 0xd4145a, 0xff7a1a, 0xffd91f, 0xfff6c8
  )
  /// The lumas at which one ink gives way to the next.
  private static let limits: (Float, Float, Float, Float) = (0.2, 0.4, 0.6, 0.8)
  /// How far into its neighbours an ink reaches with dots, as a difference of luma.
  private static let dotReach: Float = 0.045

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let layout = LineDrawing.Layout(
      Self.style, for: view, unit: context.patternUnit(in: view), threads: scratch.threadCount)
    let enlargement = Enlargement(factor: layout.reduction.factor)
    let wide = layout.width * enlargement.factor
    let rowCount = 2 * wide + enlargement.scratchCount(width: layout.width)
    let count = layout.scratchCount + view.width + layout.threads * rowCount
    scratch.withFloats("drawing", count: count) { block in
      var arena = PlaneArena(block, count: count)
      let drawing = LineDrawing(of: view, layout: layout, arena: &arena)
      let screen = DotScreen(
        pitch: Self.dotPitch * layout.unit, columns: arena.numbers(view.width), width: view.width)
      let rows = arena.numbers(layout.threads * rowCount)
      let inks = (
        PackedColor(Self.inks.0), PackedColor(Self.inks.1), PackedColor(Self.inks.2), PackedColor(Self.inks.3),
        PackedColor(Self.inks.4)
      )
      let limits = Self.limits
      RowBands.run(rows: view.height, threads: layout.threads) { range, band in
        let luma = rows + band * rowCount
        let (lines, columns) = (luma + wide, screen.columns)
        for y in range {
          enlargement.row(y, of: drawing.luma, to: luma, scratch: luma + 2 * wide)
          enlargement.row(y, of: drawing.lines, to: lines, scratch: luma + 2 * wide)
          let wave = screen.row(y) * Self.dotReach
          view.paint(row: y, share: Float(intensity)) { x, _ in
            let value = luma[x] + columns[x] * wave
            var color = inks.0.mixed(with: inks.1, share: ((value - limits.0) * 50 + 0.5).limited(to: 1))
            color = color.mixed(with: inks.2, share: ((value - limits.1) * 50 + 0.5).limited(to: 1))
            color = color.mixed(with: inks.3, share: ((value - limits.2) * 50 + 0.5).limited(to: 1))
            color = color.mixed(with: inks.4, share: ((value - limits.3) * 50 + 0.5).limited(to: 1))
            return color.mixed(with: inks.0, share: ((lines[x] - 0.008) * 50).softStep)
          }
        }
      }
    }
  }
}
