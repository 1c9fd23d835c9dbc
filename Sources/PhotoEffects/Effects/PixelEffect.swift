// The interface of all effects.

import CameraCore

/// A deterministic look: the same pixels, context and intensity always give the same result.
public protocol PixelEffect: Sendable {
  /// Changes a picture in place.
  ///
  /// - Parameters:
  ///   - intensity: 0 changes no pixel, 1 is the full look.
  ///   - context: The picture; radii and patterns are measured against its full size. A matte in it has the view's size.
  ///   - scratch: Memory for this thread.
  func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch)

  /// Whether it moves pixels, and leaves their colors as they are: what is transparent moves with them.
  var movesPixels: Bool { get }

  /// Whether it tells people from the background: without a matte in the context it changes nothing.
  var needsMatte: Bool { get }
}

extension PixelEffect {
  public var movesPixels: Bool { false }
  public var needsMatte: Bool { false }
}
