// Applies a picture's adjustments to its pixels.

import CameraCore

/// The tables of some adjustments, made once for all frames of an edit.
///
/// Light and colour are one pass. The vignette belongs to the end of an edit: it is part of that pass when no effect comes
/// after it, and `applyVignette` otherwise. (Before or after sharpness is the same: a smooth factor goes through it.)
struct AdjustmentRenderer: Sendable {
  private let tones: ToneTables?
  private let sharpness: UnsharpMask?
  private let vignette: ToneTables?

  /// - Parameter isLast: Whether no effect comes afterwards.
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

  /// Light, colour and sharpness.
  func apply(to view: PixelView, context: FrameContext, scratch: EffectScratch) {
    tones?.apply(to: view, threads: scratch.threadCount)
    sharpness?.apply(to: view, context: context, scratch: scratch)
  }

  /// What is left of the vignette.
  func applyVignette(to view: PixelView, scratch: EffectScratch) {
    vignette?.apply(to: view, threads: scratch.threadCount)
  }
}
