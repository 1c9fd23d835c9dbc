// The color pop effect: color for people alone.

import CameraCore

/// The background in gray (luma of ITU-R BT.601), and the person in color. A pixel's fourth byte is kept.
public struct ColorPopEffect: PixelEffect {
  public init() {}

  public var needsMatte: Bool { true }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0, let matte = context.matte, matte.presence > 0 else { return }
    let share = Float(min(1, intensity) * min(1, matte.presence))
    let weights = SIMD4(LumaWeights.video.blue, LumaWeights.video.green, LumaWeights.video.red, 0)
    let shares = (0..<256).map { Float(255 - $0) / 255 * share }
    view.blend(matte, shares, threads: scratch.threadCount) { color, _ in
      SIMD4(repeating: (color * weights).sum())
    }
  }
}
