// Even selection of a camera's frames at a lower rate.

import CameraCore

/// Takes so many frames a second out of a stream, as evenly as its frames allow.
struct PreviewPace: Sendable {
  /// From one frame that is taken to the next.
  private let interval: TimeSpan
  /// When the next frame is due.
  private var due: MonotonicTime?

  /// - Parameter rate: The most frames a second, above 0.
  init(rate: Double) { interval = .seconds(1 / max(0.1, rate)) }

  /// Whether the frame at this time is one of those.
  mutating func takes(_ time: MonotonicTime) -> Bool {
    // Cameras' clocks jitter by some milliseconds.
    let tolerance = TimeSpan(nanoseconds: interval.nanoseconds / 10)
    // A time further back is another clock's: a camera that was opened anew.
    if let due, time < due - tolerance, due - time <= interval { return false }
    // Counted from when it was due, so that the rate is right on average; but a pause isn't made up for.
    due = due.map { max($0, time - interval) + interval } ?? time + interval
    return true
  }
}
