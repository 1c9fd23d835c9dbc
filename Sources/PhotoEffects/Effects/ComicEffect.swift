// A printed comic: ink lines over flat colours, with dots in the shadows.

/// The picture as a comic.
///
/// From a `LineDrawing`, at full size: luma is reduced to a few tones with soft steps (Winnemöller, Olsen, Gooch: “Real-Time
/// Video Abstraction”, 2006, section 3.2), dots on a screen at 45° fill the shadows, and ink lines go over them.
///
/// Every threshold is a slope, never a step: noise that moves a value a little moves the result a little.
/// A pixel's fourth byte is kept.
public struct ComicEffect: PixelEffect {
  public init() {}

  private static let style = LineDrawing.Style(
    windowSigma: 4, flatContrast: 0.06, lineSigma: 1.1, softEdges: 0.38, saturation: 1.35)
  /// From dot to dot, in pattern units.
  private static let dotPitch: Float = 4.8
  /// Dots are printed below this luma.
  private static let dotsBelow: Float = 0.42
  /// What a dot takes away from the tone.
  private static let dotStrength: Float = 0.45
  /// How many steps luma is reduced to.
  private static let tones: Float = 6
  /// The difference between the blurs where ink begins, and how fast it gets black from there.
  private static let faintestInk: Float = 0.008
  private static let inkGain: Float = 75

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let layout = LineDrawing.Layout(
      Self.style, for: view, unit: context.patternUnit(in: view), threads: scratch.threadCount)
    let enlargement = Enlargement(factor: layout.reduction.factor)
    let wide = layout.width * enlargement.factor
    let rowCount = 4 * wide + enlargement.scratchCount(width: layout.width)
    let count = layout.scratchCount + view.width + layout.threads * rowCount
    scratch.withFloats("drawing", count: count) { block in
      var arena = PlaneArena(block, count: count)
      let drawing = LineDrawing(of: view, layout: layout, arena: &arena)
      let screen = DotScreen(
        pitch: Self.dotPitch * layout.unit, columns: arena.numbers(view.width), width: view.width)
      let rows = arena.numbers(layout.threads * rowCount)
      RowBands.run(rows: view.height, threads: layout.threads) { range, band in
        let luma = rows + band * rowCount
        let (blue, red, lines, memory) = (luma + wide, luma + 2 * wide, luma + 3 * wide, luma + 4 * wide)
        let (columns, sharpness) = (screen.columns, screen.sharpness)
        for y in range {
          enlargement.row(y, of: drawing.luma, to: luma, scratch: memory)
          // Colours change slowly from row to row when they are enlarged, and serve for two.
          let colorRow = enlargement.factor == 1 ? y : y & ~1
          if colorRow == y || y == range.lowerBound {
            enlargement.row(colorRow, of: drawing.blue, to: blue, scratch: memory)
            enlargement.row(colorRow, of: drawing.red, to: red, scratch: memory)
          }
          enlargement.row(y, of: drawing.lines, to: lines, scratch: memory)
          let wave = screen.row(y)
          view.paint(row: y, share: Float(intensity)) { x, _ in
            let tone = Self.tone(luma[x], line: lines[x], screen: columns[x] * wave, sharpness: sharpness) * 255
            return PackedColor(luma: tone, blue: tone * blue[x], red: tone * red[x], weights: LineDrawing.weights)
          }
        }
      }
    }
  }

  /// What is printed for a luma: a flat tone, dots in the shadows, and ink over them.
  @inline(__always)
  private static func tone(_ luma: Float, line: Float, screen: Float, sharpness: Float) -> Float {
    // Steps half a tone away from each tone: flat, but for a slope of a fifth of a tone. Adding 1.5·2²³ rounds.
    let scaled = luma * tones
    let step = (scaled + 12_582_912) - 12_582_912
    let flat = step - 0.5 + ((scaled - step) * 5 + 0.5).limited(to: 1)
    // Dots that grow as it gets darker.
    let size = (dotsBelow - luma) * 3.2 - 1
    let dot = ((screen + size) * sharpness + 0.5).limited(to: 1)
    let ink = ((line - faintestInk) * inkGain).limited(to: 1)
    return (flat * (1.12 / tones) + 0.03) * (1 - dotStrength * dot) * (1 - ink)
  }
}
