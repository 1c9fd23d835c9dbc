// The mirror effect: one half of the picture and its reflection.

/// Mirrors the left part onto the right: right of the axis `a`, the pixel at `x` is that at `2a − 1 − x`.
///
/// The intensity moves the axis from the right edge (0) to the middle (1). Pixels are moved whole.
public struct MirrorEffect: PixelEffect {
  public var movesPixels: Bool { true }

  public init() {}

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    let intensity = min(max(intensity, 0), 1)
    // Twice the axis: the middle one of an odd number of columns is its own mirror image.
    let twice = Int((Double(view.width) * (2 - intensity)).rounded())
    RowBands.run(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
      for y in rows {
        let row = view.row(y)
        for x in min((twice + 1) / 2, view.width)..<view.width { row[x] = row[twice - 1 - x] }
      }
    }
  }
}
