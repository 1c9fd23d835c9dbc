// The stage effect: no background.

import CameraCore

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
