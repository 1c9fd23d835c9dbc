// One half of the picture, and its mirror image.

/// Mirrors the left part onto the right: right of the axis `a`, the pixel at `x` is that at `2a − 1 − x`.
///
/// The intensity moves the axis from the right edge (0: nothing is mirrored) to the middle (1: both halves are alike).
/// Pixels are moved whole.
public struct MirrorEffect: PixelEffect {
  public init() {}

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    let intensity = min(max(intensity, 0), 1)
    // Rounded up, so that what is mirrored is never wider than what it is taken from.
    let axis = Int((Double(view.width) * (1 - intensity / 2)).rounded(.up))
    RowBands.forEach(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
      for y in rows {
        let row = view.row(y)
        for x in axis..<max(axis, view.width) { row[x] = row[2 * axis - 1 - x] }
      }
    }
  }
}
