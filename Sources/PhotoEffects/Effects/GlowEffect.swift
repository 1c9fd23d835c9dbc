// The glow effect: highlights bleed into their surroundings.

/// Bloom: highlights above middle gray are blurred widely and blended by “screen”, `1 − (1 − a)(1 − b)`, so that nothing
/// clips. A pixel's fourth byte is kept.
public struct GlowEffect: PixelEffect {
  public init() {}

  /// The standard deviation of the light, in pattern units.
  private static let sigma: Float = 14
  /// The gain of the added light.
  private static let strength: Float = 0.75
  /// The luma at which glow starts, and its gain from there.
  private static let darkest: Float = 0.4
  private static let gain: Float = 2

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let blur = ColorBlur(
      sigma: context.patternUnit(in: view) * Self.sigma, for: view, threads: scratch.threadCount)
    let count = blur.scratchCount
    let share = Float(intensity)
    scratch.withFloats("blur", count: count) { block in
      var arena = PlaneArena(block, count: count)
      blur.rows(of: view, arena: &arena) { luma, blue, red, count in
        for i in 0..<count {
          let light = ((luma[i] - Self.darkest) * Self.gain).softStep * Self.strength
          luma[i] *= light
          blue[i] *= light
          red[i] *= light
        }
      } use: { y, luma, blue, red in
        view.paint(row: y, share: share) { x, pixel in
          let (own, light) = (
            PackedColor(pixel),
            PackedColor(luma: luma[x] * 255, blue: blue[x] * 255, red: red[x] * 255, weights: .video)
          )
          return PackedColor(
            blue: own.blue + light.blue * (1 - own.blue / 255), green: own.green + light.green * (1 - own.green / 255),
            red: own.red + light.red * (1 - own.red / 255))
        }
      }
    }
  }
}
