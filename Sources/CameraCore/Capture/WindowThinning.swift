// The choice of frames that are left out when too many live photos wait for their movies.

/// Halves the frame rate of live photos that wait, so that their memory stays within its budget.
///
/// Overlapping live photos share frames, and a shared frame frees no memory before all of them have let it go: so the
/// frames of all are counted off together.
public enum WindowThinning {
  /// A live photo with fewer frames loses none: that is 8 a second in 3 seconds.
  public static let leastCount = 24

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
