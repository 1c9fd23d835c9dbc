// What a frame processor knows of the picture that it works on.

import CameraCore

/// One picture of an edit: the still, or a frame of the movie.
public struct FrameContext: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    case still
    case movieFrame
  }

  public var kind: Kind
  /// When a movie's frame is shown, in seconds from the movie's start; of the still, when the movie shows the same moment.
  public var time: Double
  /// The size at which the picture is saved, in pixels. A preview is smaller; radii and patterns are measured against this
  /// size, so that both look the same.
  public var fullSize: PixelSize
  /// How many times coarser patterns are drawn than in the saved picture; see `FrameProcessor.thumbnailContext`.
  public var patternScale = 1.0

  public init(kind: Kind, time: Double, fullSize: PixelSize) {
    self.kind = kind
    self.time = time
    self.fullSize = fullSize
  }
}
