// The size that a camera's frames have, whatever its mode or a damaged header says.

/// Accepts the frames of one size: the mode's, or another one that the camera sends consistently.
///
/// A frame of any other size costs that frame: a header that was damaged on the cable may claim 65,500 × 65,500 pixels,
/// and some cameras send single frames of another mode.
///
///     var rule = FrameSizeRule(mode: PixelSize(width: 640, height: 360), largestArea: 1 << 26)
///     rule.accepts(PixelSize(width: 65_500, height: 65_500))     // false, always
///     rule.accepts(PixelSize(width: 640, height: 352))           // true from the third in a row on
public struct FrameSizeRule: Sendable {
  /// The number of frames in a row after which another size is the camera's.
  public static let confirmations = 3

  /// The size of the frames that are accepted.
  public private(set) var size: PixelSize
  private let largestArea: Int
  /// Another size that the last frames had.
  private var candidate: (size: PixelSize, count: Int)?

  /// - Parameters:
  ///   - mode: The size that the camera was asked for.
  ///   - largestArea: Frames with more pixels are never accepted.
  public init(mode: PixelSize, largestArea: Int) {
    size = mode
    self.largestArea = largestArea
  }

  /// Whether a frame of this size is one of the camera's.
  public mutating func accepts(_ found: PixelSize) -> Bool {
    guard found.width > 0, found.height > 0, found.area <= largestArea else { return false }
    guard found != size else {
      candidate = nil
      return true
    }
    let earlier = candidate.map { $0.size == found ? $0.count : 0 } ?? 0
    guard earlier + 1 >= Self.confirmations else {
      candidate = (found, earlier + 1)
      return false
    }
    size = found
    candidate = nil
    return true
  }
}
