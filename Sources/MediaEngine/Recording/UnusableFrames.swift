// Frames that can't become part of a recording, one after the other.

import CameraCore
import Localization

/// Notices that no frame could be used for some seconds: a camera that has changed its size, or a cable that damages every
/// picture. A recording without a new frame for so long ends.
struct UnusableFrames {
  /// The time without a frame that could be used.
  static let patience = TimeSpan.seconds(5)

  /// The first refused frame since one that was used.
  private var since: MonotonicTime?

  /// A frame was used.
  mutating func used() { since = nil }

  /// A frame was refused.
  ///
  /// - Returns: Whether all of them were, for too long.
  mutating func refused(at time: MonotonicTime) -> Bool {
    let start = since ?? time
    since = start
    return time - start >= Self.patience
  }

  /// The reason of an end: frames of another size.
  static func reason(_ size: PixelSize, insteadOf wanted: PixelSize) -> String {
    localized(
      "the camera sends pictures with \(size.localized) pixels instead of \(wanted.localized); record again",
      comment: "A reason; the sizes are like 1280 × 720")
  }

  /// The reason of an end: frames that can't be decoded.
  static var damaged: String {
    localized(
      "the camera’s pictures were damaged for \(patience.seconds) second; check its cable",
      plural: "the camera’s pictures were damaged for \(patience.seconds) seconds; check its cable",
      count: patience.seconds.countOfPlural())
  }
}
