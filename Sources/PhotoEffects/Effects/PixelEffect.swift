// What every effect is to the rest of the program.

import CameraCore

/// A look that a picture can be given: the same pixels, context and intensity give the same result, always.
public protocol PixelEffect: Sendable {
  /// Changes a picture in place.
  ///
  /// - Parameters:
  ///   - intensity: 0 leaves every pixel as it is, 1 is the full look.
  ///   - context: Which picture it is; radii and patterns are measured against its full size.
  ///   - scratch: Memory for this thread.
  func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch)
}
