// Mattes of a movie's frames, which are rendered in parallel.

import CameraCore
import Foundation

/// Finds mattes in the order of the frames, on whichever thread has the next one.
///
/// A tracker follows people from frame to frame. Frames are taken in order, so the ones before that a thread waits for are
/// being worked on by others.
final class MatteSequence: @unchecked Sendable {
  // Sendable: `next` and `hasFailed` are touched under `condition` only, and the tracker by the thread whose turn it is.

  private let condition = NSCondition()
  private let tracker: any MatteTracker
  private var next = 0
  private var hasFailed = false

  init(_ tracker: any MatteTracker) { self.tracker = tracker }

  /// Waits for a frame's turn, and finds its matte.
  ///
  /// - Parameters:
  ///   - number: Of the frame, counted from 0.
  ///   - time: As for a `MatteTracker`.
  /// - Throws: What the tracker throws; `CancellationError` after a failure of another frame.
  func matte(of number: Int, _ picture: LentPixels, time: Double) throws -> Matte {
    try condition.withLock {
      while next != number, !hasFailed { condition.wait() }
      if hasFailed { throw CancellationError() }
    }
    defer {
      condition.withLock {
        next += 1
        condition.broadcast()
      }
    }
    return try tracker.matte(of: picture, time: time)
  }

  /// A frame will have no turn: nobody waits for it any more.
  func fail() {
    condition.withLock {
      hasFailed = true
      condition.broadcast()
    }
  }
}
