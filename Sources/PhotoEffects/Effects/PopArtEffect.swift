// The pop art effect: a silkscreen print in a few bright colors.

/// Pop art after the silkscreens of the 1960s: luma picks one of five flat inks, halftone dots at 45° blend each into the
/// next, and lines in the darkest ink hold the picture together. A pixel's fourth byte is kept.
public struct PopArtEffect: PixelEffect {
  public init() {}

  private static let style = LineDrawing.Style(
    windowSigma: 5, flatContrast: 0.1, lineSigma: 1.3, softEdges: 0.35, saturation: nil)
  /// The distance between dots, in pattern units.
  private static let dotPitch: Float = 6
  /// From shadows to highlights, as `0xRRGGBB`.
  private static let inks: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x1b1250, 0xd4145a, 0xff7a1a, 0xffd91f, 0xfff6c8
  )
  /// The luma limits between inks.
  private static let limits: (Float, Float, Float, Float) = (0.2, 0.4, 0.6, 0.8)
  /// The reach of an ink's dots into its neighbors, as a difference of luma.
  private static let dotReach: Float = 0.045

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    LineDrawing.withCanvas(
      for: view, style: Self.style, context: context, scratch: scratch, columnPlanes: 1, rowPlanes: 2
    ) { canvas in
      let (drawing, enlargement) = (canvas.drawing, canvas.enlargement)
      let screen = DotScreen(pitch: Self.dotPitch * canvas.unit, columns: canvas.columns, width: view.width)
      let inks = (
        PackedColor(Self.inks.0), PackedColor(Self.inks.1), PackedColor(Self.inks.2), PackedColor(Self.inks.3),
        PackedColor(Self.inks.4)
      )
      let limits = Self.limits
      canvas.forEachBand { range, memory in
        let (luma, lines, columns) = (memory[0], memory[1], screen.columns)
        for y in range {
          enlargement.row(y, of: drawing.luma, to: luma, scratch: memory.scratch)
          enlargement.row(y, of: drawing.lines, to: lines, scratch: memory.scratch)
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
