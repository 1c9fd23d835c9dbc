// The studio effect: a dark background.

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
