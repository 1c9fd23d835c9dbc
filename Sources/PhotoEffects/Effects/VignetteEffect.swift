// The vignette effect: darker corners.

/// Every color times `1 − s·S((r² − r₀²)/(1 − r₀²))`, where `r` is the distance from the middle in half diagonals and `S` the
/// soft step `3x² − 2x³`. A pixel's fourth byte is kept.
public struct VignetteEffect: PixelEffect {
  public init() {}

  /// The share of light that the corners lose.
  private static let strength: Float = 0.75
  /// Nothing gets darker up to this distance from the middle.
  private static let clearRadius: Float = 0.35

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let (width, height) = (view.width, view.height)
    // Measured between pixel centers, so that a picture of one pixel has no vignette.
    let (middleX, middleY) = (Float(width - 1) / 2, Float(height - 1) / 2)
    let diagonal = Float(width * width + height * height) / 4
    let clear = Self.clearRadius * Self.clearRadius
    let scale = 1 / (1 - clear)
    let share = Float(intensity)
    scratch.withFloats("vignette", count: width) { columns in
      for x in 0..<width {
        let distance = Float(x) - middleX
        columns[x] = (distance * distance / diagonal - clear) * scale
      }
      RowBands.run(rows: height, threads: scratch.threadCount) { rows, _ in
        for y in rows {
          let distance = Float(y) - middleY
          let row = distance * distance / diagonal * scale
          view.paint(row: y, share: share) { x, pixel in
            let left = 1 - Self.strength * (columns[x] + row).softStep
            let color = PackedColor(pixel)
            return PackedColor(blue: color.blue * left, green: color.green * left, red: color.red * left)
          }
        }
      }
    }
  }
}
