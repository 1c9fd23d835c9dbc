// The comic effect: ink lines over flat colors, with dots in the shadows.

/// The picture as a comic.
///
/// From a `LineDrawing`, at full size: luma is reduced to a few tones with soft steps (Winnemöller, Olsen, Gooch: “Real-Time
/// Video Abstraction”, 2006, section 3.2), dots on a screen at 45° fill the shadows, and ink lines go over them.
///
/// Every threshold is a slope, never a step, so that a little noise changes the result only a little.
/// A pixel's fourth byte is kept.
public struct ComicEffect: PixelEffect {
  public init() {}

  private static let style = LineDrawing.Style(
    windowSigma: 4, flatContrast: 0.06, lineSigma: 1.1, softEdges: 0.38, saturation: 1.35)
  /// The distance between dots, in pattern units.
  private static let dotPitch: Float = 4.8
  /// Dots appear below this luma.
  private static let dotsBelow: Float = 0.42
  /// The share of the tone that a dot removes.
  private static let dotStrength: Float = 0.45
  /// The number of luma levels.
  private static let tones: Float = 6
  /// The difference between the blurs at which ink starts, and its gain from there.
  private static let faintestInk: Float = 0.008
  private static let inkGain: Float = 75

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    LineDrawing.withCanvas(
      for: view, style: Self.style, context: context, scratch: scratch, columnPlanes: 1, rowPlanes: 4
    ) { canvas in
      let (drawing, enlargement) = (canvas.drawing, canvas.enlargement)
      let screen = DotScreen(pitch: Self.dotPitch * canvas.unit, columns: canvas.columns, width: view.width)
      let (columns, sharpness) = (screen.columns, screen.sharpness)
      canvas.forEachBand { range, memory in
        let (luma, blue, red, lines, scratch) = (memory[0], memory[1], memory[2], memory[3], memory.scratch)
        for y in range {
          enlargement.row(y, of: drawing.luma, to: luma, scratch: scratch)
          // Enlarged colors change slowly from row to row, and serve for two rows.
          let colorRow = enlargement.factor == 1 ? y : y & ~1
          if colorRow == y || y == range.lowerBound {
            enlargement.row(colorRow, of: drawing.blue, to: blue, scratch: scratch)
            enlargement.row(colorRow, of: drawing.red, to: red, scratch: scratch)
          }
          enlargement.row(y, of: drawing.lines, to: lines, scratch: scratch)
          let wave = screen.row(y)
          view.paint(row: y, share: Float(intensity)) { x, _ in
            let tone = Self.tone(luma[x], line: lines[x], screen: columns[x] * wave, sharpness: sharpness) * 255
            return PackedColor(luma: tone, blue: tone * blue[x], red: tone * red[x], weights: LineDrawing.weights)
          }
        }
      }
    }
  }

  /// The printed tone for a luma: a flat level, dots in the shadows, and ink over both.
  @inline(__always)
  private static func tone(_ luma: Float, line: Float, screen: Float, sharpness: Float) -> Float {
    // Steps halfway between levels: flat, but for a slope of a fifth of a level. Adding 1.5·2²³ rounds.
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
