// The pencil effect: graphite on paper.

/// Graphite on paper: lines from a `LineDrawing`, hatching in two directions that gets denser in darker areas, and the
/// paper's grain. A pixel's fourth byte is kept.
public struct PencilEffect: PixelEffect {
  public init() {}

  private static let style = LineDrawing.Style(
    windowSigma: 2.5, flatContrast: 0.05, lineSigma: 0.9, softEdges: 0.25, saturation: nil)
  /// The distance between strokes, in pattern units.
  private static let strokePitch: Float = 2.6
  /// The distance between grains of the paper, in pattern units.
  private static let grainPitch: Float = 1.1
  private static let paper = PackedColor(0xf7f5ef)
  private static let graphite = PackedColor(0x2b2b30)

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let (paper, graphite) = (Self.paper, Self.graphite)
    LineDrawing.withCanvas(
      for: view, style: Self.style, context: context, scratch: scratch, columnPlanes: PencilStrokes.columnCount,
      rowPlanes: 3
    ) { canvas in
      let (drawing, enlargement) = (canvas.drawing, canvas.enlargement)
      let strokes = PencilStrokes(
        pitch: Self.strokePitch * canvas.unit, columns: canvas.columns, width: view.width)
      let grain = PaperGrain(pitch: Self.grainPitch * canvas.unit)
      canvas.forEachBand { range, memory in
        let (luma, lines, paperRow) = (memory[0], memory[1], memory[2])
        for y in range {
          enlargement.row(y, of: drawing.luma, to: luma, scratch: memory.scratch)
          enlargement.row(y, of: drawing.lines, to: lines, scratch: memory.scratch)
          grain.write(row: y, to: paperRow, count: view.width)
          strokes.shade(row: y, luma: luma)
          view.paint(row: y, share: Float(intensity)) { x, _ in
            let line = ((lines[x] - 0.003) * 40).softStep
            let pressed = luma[x] + (1 - luma[x]) * line * 0.94
            // Grain shows in the midtones, not on white paper or black graphite.
            let left = pressed - (paperRow[x] - 0.4) * 2 * pressed * (1 - pressed)
            return paper.mixed(with: graphite, share: left.limited(to: 1))
          }
        }
      }
    }
  }
}
