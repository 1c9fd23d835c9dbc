// The choice of frames that are left out when too many live photos wait for their movies.

/// Lowers the frame rate of live photos, so that their memory stays within its budget.
///
/// Overlapping live photos share frames, and a shared frame frees no memory before all of them have let it go: so the
/// frames of all are counted off together.
public enum WindowThinning {
  /// A live photo with fewer frames loses none: that is 8 a second in 3 seconds.
  public static let leastCount = 24

  /// The times from one frame to the next that are tried one after the other when memory is short. In the last step, a live
  /// photo of 3 seconds has some 12 frames.
  public static let spacings: [TimeSpan] = [
    .seconds(1.0 / 30), .seconds(1.0 / 15), .seconds(1.0 / 8), .seconds(1.0 / 4),
  ]

  /// The times of the frames to leave out so that the others are at least so far apart, but never a still, nor the first or
  /// the last of a window.
  ///
  /// - Parameter windows: The times of each window's frames, in order, and that of its still.
  /// - Complexity: O(n log n) in the number of all frames.
  public static func dropped(
    from windows: [(times: [MonotonicTime], still: MonotonicTime)], spacing: TimeSpan
  ) -> Set<MonotonicTime> {
    var needed: Set<MonotonicTime> = []
    var all: Set<MonotonicTime> = []
    for window in windows {
      all.formUnion(window.times)
      needed.insert(window.still)
      if let first = window.times.first, let last = window.times.last { needed.formUnion([first, last]) }
    }
    // Cameras are a little early at times.
    let least = TimeSpan(nanoseconds: spacing.nanoseconds / 10 * 9)
    var dropped: Set<MonotonicTime> = []
    var last: MonotonicTime?
    for time in all.sorted() {
      if let last, time - last < least, !needed.contains(time) {
        dropped.insert(time)
      } else {
        last = time
      }
    }
    return dropped
  }

  /// The times of the frames to leave out: every other one, but never a still, nor the first or the last of a window.
  ///
  /// - Parameter windows: The times of each window's frames, in order, and that of its still.
  public static func dropped(
    from windows: [(times: [MonotonicTime], still: MonotonicTime)]
  ) -> Set<MonotonicTime> {
    var needed: Set<MonotonicTime> = []
    var others: Set<MonotonicTime> = []
    for window in windows {
      needed.insert(window.still)
      if let first = window.times.first, let last = window.times.last { needed.formUnion([first, last]) }
      if window.times.count < leastCount {
        needed.formUnion(window.times)
      } else {
        others.formUnion(window.times)
      }
    }
    let inOrder = others.subtracting(needed).sorted()
    return Set(stride(from: 0, to: inOrder.count, by: 2).map { inOrder[$0] })
  }
}
