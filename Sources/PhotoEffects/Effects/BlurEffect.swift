// A soft-focus effect.

/// A Gaussian blur of up to 12 thousandths of the picture's long side: the intensity is its width. See `ColorBlur`.
/// A pixel's fourth byte is kept.
public struct BlurEffect: PixelEffect {
  public init() {}

  /// The standard deviation of the full look, in pattern units.
  private static let sigma: Float = 12

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let sigma = context.patternUnit(in: view) * Self.sigma * Float(min(1, intensity))
    let blur = ColorBlur(sigma: sigma, for: view, threads: scratch.threadCount)
    let count = blur.scratchCount
    scratch.withFloats("blur", count: count) { block in
      var arena = PlaneArena(block, count: count)
      blur.rows(of: view, arena: &arena) { _, _, _, _ in
      } use: { y, luma, blue, red in
        view.paint(row: y, share: 1) { x, _ in
          PackedColor(luma: luma[x] * 255, blue: blue[x] * 255, red: red[x] * 255, weights: .video)
        }
      }
    }
  }
}
