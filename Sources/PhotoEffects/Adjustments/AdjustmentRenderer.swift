// The rendering of adjustments: light and color in one pass, sharpness, the vignette.

import CameraCore

/// The tables of an edit's adjustments, computed once for all frames.
///
/// Light and color are one pass. The vignette comes last in an edit: it is part of that pass when no effect follows, and
/// `applyVignette` otherwise. (Before or after sharpening makes no difference to a smooth factor.)
struct AdjustmentRenderer: Sendable {
  private let tones: ToneTables?
  private let sharpness: UnsharpMask?
  private let vignette: ToneTables?

  /// - Parameter isLast: Whether no effect follows.
  init(_ adjustments: Adjustments, isLast: Bool) {
    var tones = adjustments
    tones.sharpness = 0
    var ending = Adjustments()
    if !isLast {
      tones.vignette = 0
      ending.vignette = adjustments.vignette
    }
    self.tones = tones.isNeutral ? nil : ToneTables(tones)
    sharpness = adjustments.sharpness > 0 ? UnsharpMask(sharpness: adjustments.sharpness) : nil
    vignette = ending.isNeutral ? nil : ToneTables(ending)
  }

  /// Light, color and sharpness.
  func apply(to view: PixelView, context: FrameContext, scratch: EffectScratch) {
    tones?.apply(to: view, threads: scratch.threadCount)
    sharpness?.apply(to: view, context: context, scratch: scratch)
  }

  /// The vignette, if `apply` didn't include it.
  func applyVignette(to view: PixelView, scratch: EffectScratch) {
    vignette?.apply(to: view, threads: scratch.threadCount)
  }
}
