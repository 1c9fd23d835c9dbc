// The picture of an edit that is being rendered: still or frame, its time and full size.

import CameraCore

/// One picture of an edit: the still, or a frame of the movie.
public struct FrameContext: Sendable, Equatable {
  /// Still or frame.
  public enum Kind: String, Sendable, Hashable {
    case still
    case movieFrame
  }

  public var kind: Kind
  /// The frame's presentation time in seconds from the movie's start; for the still, the movie's time of the same moment.
  public var time: Double
  /// The size of the saved picture, in pixels. A preview is smaller; radii and patterns are measured against this size, so
  /// that both look the same.
  public var fullSize: PixelSize
  /// The factor by which patterns are coarser than in the saved picture; see `FrameProcessor.thumbnailContext`.
  public var patternScale = 1.0
  /// Where people are: a processor gets the matte of the picture that it is given, with a still's corrections and before
  /// geometry, at any size; an effect that of the picture which it changes, at its size. `nil` where nobody asks for it.
  public var matte: Matte?

  public init(kind: Kind, time: Double, fullSize: PixelSize) {
    self.kind = kind
    self.time = time
    self.fullSize = fullSize
  }
}

extension FrameContext {
  /// A thousandth of the full picture's long side, in pixels of `view`: 1.92 for a 1920×1080 picture at full size, 0.64 for
  /// its preview of 640×360; times `patternScale`.
  ///
  /// A full size of another shape than the view's is taken as it is, but not so far that radii get larger than the view.
  func patternUnit(in view: PixelView) -> Float {
    let longSide = Float(max(1, fullSize.width, fullSize.height))
    let unit = longSide / 1000 * Float(view.width) / Float(max(1, fullSize.width)) * Float(patternScale)
    return min(unit, Float(max(view.width, view.height)) / 50)
  }
}
