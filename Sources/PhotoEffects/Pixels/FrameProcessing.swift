// What a renderer of stills and movies asks of whoever changes the pictures.

import CameraCore

/// Changes one picture after the other: the still of a live photo and each frame of its movie, with the frame's time and
/// kind.
///
/// A processor is called from several threads at once, each with a scratch of its own, and in no particular order. One
/// that throws ends the whole edit, with nothing changed.
public protocol FrameProcessing: Sendable {
  /// The size of the result for a picture of a size, in pixels; the same for every frame.
  func outputSize(for source: PixelSize) -> PixelSize

  /// Renders one picture.
  ///
  /// - Parameters:
  ///   - source: Is not changed.
  ///   - target: Of the size `outputSize(for:)` of the source's; other memory than the source.
  ///   - context: Which picture it is, and the size at which the result is saved.
  ///   - scratch: Memory for this thread.
  func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) throws
}
