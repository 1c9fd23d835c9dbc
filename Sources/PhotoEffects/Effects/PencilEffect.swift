// A drawing with a soft pencil on paper.

/// Graphite on paper: lines along the edges from a `LineDrawing`, strokes in two directions that get denser as the picture
/// gets darker, and a paper whose grain takes the graphite here more, there less. A pixel's fourth byte is kept.
public struct PencilEffect: PixelEffect {
  public init() {}

  private static let style = LineDrawing.Style(
    windowSigma: 2.5, flatContrast: 0.05, lineSigma: 0.9, softEdges: 0.25, saturation: nil)
  /// From stroke to stroke, in pattern units.
  private static let strokePitch: Float = 2.6
  /// From one grain of the paper to the next, in pattern units.
  private static let grainPitch: Float = 1.1
  private static let paper = PackedColor(0xf7f5ef)
  private static let graphite = PackedColor(0x2b2b30)

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let layout = LineDrawing.Layout(
      Self.style, for: view, unit: context.patternUnit(in: view), threads: scratch.threadCount)
    let enlargement = Enlargement(factor: layout.reduction.factor)
    let wide = layout.width * enlargement.factor
    let rowCount = 2 * wide + view.width + enlargement.scratchCount(width: layout.width)
    let count = layout.scratchCount + PencilStrokes.columnCount * view.width + layout.threads * rowCount
    let (paper, graphite) = (Self.paper, Self.graphite)
    scratch.withFloats("drawing", count: count) { block in
      var arena = PlaneArena(block, count: count)
      let drawing = LineDrawing(of: view, layout: layout, arena: &arena)
      let strokes = PencilStrokes(
        pitch: Self.strokePitch * layout.unit, columns: arena.numbers(PencilStrokes.columnCount * view.width),
        width: view.width)
      let grain = PaperGrain(pitch: Self.grainPitch * layout.unit)
      let rows = arena.numbers(layout.threads * rowCount)
      RowBands.run(rows: view.height, threads: layout.threads) { range, band in
        let luma = rows + band * rowCount
        let (lines, paperRow) = (luma + wide, luma + 2 * wide)
        for y in range {
          enlargement.row(y, of: drawing.luma, to: luma, scratch: paperRow + view.width)
          enlargement.row(y, of: drawing.lines, to: lines, scratch: paperRow + view.width)
          grain.write(row: y, to: paperRow, count: view.width)
          strokes.shade(row: y, luma: luma)
          view.paint(row: y, share: Float(intensity)) { x, _ in
            let line = ((lines[x] - 0.003) * 40).softStep
            let pressed = luma[x] + (1 - luma[x]) * line * 0.94
            // Neither white paper nor black graphite shows the grain; what is in between does.
            let left = pressed - (paperRow[x] - 0.4) * 2 * pressed * (1 - pressed)
            return paper.mixed(with: graphite, share: left.limited(to: 1))
          }
        }
      }
    }
  }
}
