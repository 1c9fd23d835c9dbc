// Mattes of a movie's frames, which are rendered in parallel.

import CameraCore
import Foundation

/// Finds mattes in the order of the frames, on whichever thread has the next one.
///
/// A tracker follows people from frame to frame. Frames are taken in order, so the ones before that a thread waits for are
/// being worked on by others.
final class MatteSequence: @unchecked Sendable {
  // Sendable: `next` and `failure` are touched under `condition` only, and the tracker by the thread whose turn it is.

  private let condition = NSCondition()
  private let tracker: any MatteTracker
  private var next = 0
  private var failure: (any Error)?

  init(_ tracker: any MatteTracker) { self.tracker = tracker }

  /// Waits for a frame's turn, and finds its matte.
  ///
  /// - Parameters:
  ///   - number: Of the frame, counted from 0.
  ///   - time: As for a `MatteTracker`.
  /// - Throws: What the tracker throws, or what `fail` was given for another frame.
  func matte(of number: Int, _ picture: LentPixels, time: Double) throws -> Matte {
    try condition.withLock {
      while next != number, failure == nil { condition.wait() }
      if let failure { throw failure }
    }
    let result = Result { try tracker.matte(of: picture, time: time) }
    condition.withLock {
      next += 1
      if case .failure(let error) = result { failure = failure ?? error }
      condition.broadcast()
    }
    return try result.get()
  }

  /// A frame will have no turn: nobody waits for it any more. The first error counts.
  func fail(_ error: any Error) {
    condition.withLock {
      failure = failure ?? error
      condition.broadcast()
    }
  }
}
