// The age up to which a frame may become the picture of a press.

/// Tells a camera that has stopped sending from a slow one, by the frames that have come.
///
/// A camera that stalls leaves its last frame on the screen. Whoever presses then wants the present moment, and not the
/// same old frame with each press.
public struct FrameFreshness: Sendable {
  /// The age up to which any frame is fresh, however fast the camera is.
  public var floor: TimeSpan
  /// The number of frame times for which a slow camera's frame is fresh.
  static let frameTimes: Int64 = 3

  /// The time from one frame to the next by the camera's mode.
  private let nominal: TimeSpan
  private var newest: MonotonicTime?
  /// The last two distances of frames: in the dark, cameras send fewer frames than their mode says. One long distance
  /// alone is a pause.
  private var distances: [TimeSpan] = []

  public init(rate: FrameRate, floor: TimeSpan) {
    self.floor = floor
    nominal = .seconds(1 / max(0.1, rate.framesPerSecond))
  }

  /// A frame has come.
  public mutating func received(at time: MonotonicTime) {
    if let newest { distances = distances.suffix(1) + [time - newest] }
    newest = time
  }

  /// The age up to which a frame is fresh.
  public var limit: TimeSpan {
    let usual = distances.count == 2 ? distances.min() ?? nominal : nominal
    return max(floor, TimeSpan(nanoseconds: Self.frameTimes * max(nominal, usual).nanoseconds))
  }

  /// Whether a frame may be the picture of a press at this instant.
  public func isFresh(_ frame: MonotonicTime, at pressed: MonotonicTime) -> Bool { pressed - frame <= limit }
}
