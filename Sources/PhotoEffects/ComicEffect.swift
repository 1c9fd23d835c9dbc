// A printed comic: ink lines over flat colours, with dots in the shadows.

import CameraCore

/// The picture as a comic.
///
/// 1. The picture is made small (960 pixels wide or so), which takes half of the noise away.
/// 2. The guided filter flattens luma and colour between the edges.
/// 3. Ink is drawn where the difference of two blurs of the flattened luma says that an edge's dark side is: XDoG, see
///    `ComicInk`.
/// 4. At full size the luma is reduced to a few tones with soft steps (Winnemöller, Olsen, Gooch: “Real-Time Video
///    Abstraction”, 2006, section 3.2), dots on a screen at 45° fill the shadows, and the ink goes over it: see `ComicPrint`.
///
/// Every threshold is a slope, never a step: noise that moves a value a little moves the result a little.
/// A pixel's fourth byte is kept.
public struct ComicEffect: PixelEffect {
  public init() {}

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let layout = ComicLayout(view: view, unit: context.patternUnit(in: view), threads: scratch.threadCount)
    scratch.withFloats("comic", count: layout.scratchCount) { block in
      var arena = PlaneArena(block, count: layout.scratchCount)
      let drawing = ComicDrawing(of: view, layout: layout, arena: &arena)
      ComicPrint(layout: layout, intensity: Float(min(1, intensity)), arena: &arena).print(drawing, on: view)
    }
  }
}
