// The brightness of a frame.

/// How bright a camera's picture is.
public struct FrameBrightness: Sendable, Equatable {
  /// When the camera took the frame.
  public var time: MonotonicTime
  /// The mean of its luma, 0 (black) to 1 (white): Y′ of BT.601, gamma-encoded as the camera delivers it.
  public var level: Double

  public init(time: MonotonicTime, level: Double) { (self.time, self.level) = (time, level) }
}
