// Effects that set a person apart by light and color.

import CameraCore

/// The background darkened to a quarter, and the person a little brighter, as under a studio's lamp. A pixel's fourth byte
/// is kept.
public struct StudioEffect: PixelEffect {
  public init() {}

  /// The share of the background's values that is lost.
  private static let shade: Float = 0.75
  /// The weight of the person's own light on top of it (“screen”: 1 − (1 − a)(1 − b)).
  private static let lamp: Float = 0.12

  public var needsMatte: Bool { true }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0, let matte = context.matte, matte.presence > 0 else { return }
    let share = Float(min(1, intensity) * min(1, matte.presence))
    view.blend(matte, [Float](repeating: share, count: 256), threads: scratch.threadCount) { color, person in
      let lit = color + color * (255 - color) * (Self.lamp / 255)
      let shaded = color * (1 - Self.shade)
      return shaded + (lit - shaded) * person
    }
  }
}

/// The person alone, before black. A pixel's fourth byte is kept.
///
/// At soft edges the color of the person is estimated, so that nothing of the old background stays in hair: see
/// `ForegroundColors`.
public struct StageEffect: PixelEffect {
  public init() {}

  public var needsMatte: Bool { true }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0, let matte = context.matte, matte.presence > 0 else { return }
    let share = Float(min(1, intensity) * min(1, matte.presence))
    let foreground = ForegroundColors(for: view, context: context, threads: scratch.threadCount)
    foreground.blend(into: view, matte, share: share, scratch: scratch) { _, _, color, person in color * person }
  }
}

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
