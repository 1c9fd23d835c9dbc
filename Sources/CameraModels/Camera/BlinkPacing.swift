// The pace of the viewfinder's blinks: quick presses must not black out the picture.

import CameraCore

/// Decides which exposures the viewfinder blinks for.
///
/// A blink hides the picture for some 100 ms. One for each of twelve shots a second would leave nothing to aim at, and
/// paint the window twice as often while the machine is busy with the shots.
struct BlinkPacing {
  /// The least time from one blink to the next.
  static let interval = TimeSpan.milliseconds(500)

  private var last: MonotonicTime?

  /// A photo was exposed that was pressed for at this time.
  ///
  /// - Returns: Whether to blink.
  mutating func exposed(at time: MonotonicTime) -> Bool {
    if let last, time >= last, time - last < Self.interval { return false }
    last = time
    return true
  }
}
