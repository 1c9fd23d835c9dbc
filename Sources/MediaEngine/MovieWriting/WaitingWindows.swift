// The live photos whose windows are complete, up to the end of the writing of their movies.

import CameraCore
import Localization
import Synchronization

/// Holds the frames of live photos until they are encoded. Whoever watches over the memory of all frames leaves out some of
/// them here, or gives a movie up.
final class WaitingWindows: Sendable {
  /// Names a window among those that wait.
  struct Ticket: Hashable, Comparable, Sendable {
    fileprivate var number: UInt64

    static func < (left: Ticket, right: Ticket) -> Bool { left.number < right.number }
  }

  private struct State {
    var waiting: [Ticket: LiveWindow] = [:]
    var written: [Ticket: MovieFrames] = [:]
    var lastNumber: UInt64 = 0
  }

  private let state = Mutex(State())

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  /// Holds a window until `remove`, which must follow.
  @inline(never)
  func add(_ window: LiveWindow) -> Ticket {
    state.withLock { state in
      state.lastNumber += 1
      let ticket = Ticket(number: state.lastNumber)
      state.waiting[ticket] = window
      return ticket
    }
  }

  /// A window, which is held no longer; `nil` when it was removed before.
  @inline(never)
  func take(_ ticket: Ticket) -> LiveWindow? { state.withLock { $0.waiting.removeValue(forKey: ticket) } }

  /// Refuses a window that was given up: it need not wait for its turn to be written.
  ///
  /// - Throws: `CameraError.movieFailed`.
  @inline(never)
  func check(_ ticket: Ticket) throws(CameraError) {
    guard state.withLock({ $0.waiting[ticket]?.isGivenUp ?? true }) else { return }
    throw Self.givenUp
  }

  private static var givenUp: CameraError {
    CameraError.movieFailed(message: localized("too many others are waiting to be saved"))
  }

  /// The frames of a window, whose writing begins, and the window without them.
  ///
  /// - Throws: `CameraError.movieFailed` when there are none.
  @inline(never)
  func begin(_ ticket: Ticket) throws(CameraError) -> (frames: MovieFrames, window: LiveWindow) {
    let result = state.withLock { state -> Result<(frames: MovieFrames, window: LiveWindow), CameraError> in
      guard var window = state.waiting.removeValue(forKey: ticket), !window.isGivenUp else {
        return .failure(Self.givenUp)
      }
      guard let frames = MovieFrames(window) else {
        return .failure(.movieFailed(message: localized("the camera was disconnected too early")))
      }
      state.written[ticket] = frames
      window.frames = []
      return .success((frames, window))
    }
    return try result.get()
  }

  @inline(never)
  func remove(_ ticket: Ticket) {
    state.withLock { state in
      state.waiting[ticket] = nil
      state.written[ticket] = nil
    }
  }

  /// The number of frames in all windows that wait. For tests.
  var frameCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.frames.count } } }

  // MARK: Memory

  /// The times of the frames of each window, also of those that are being written, and that of its still.
  var contents: [(times: [MonotonicTime], still: MonotonicTime)] {
    state.withLock { state in
      state.waiting.values.map { ($0.frames.map(\.time), $0.still.time) }
        + state.written.values.map { ($0.heldTimes, $0.still) }
    }
  }

  /// Leaves out the frames of these times, and notes the shortfall.
  func leaveOut(_ times: Set<MonotonicTime>) {
    state.withLock { state in
      for ticket in Array(state.waiting.keys) { state.waiting[ticket]?.leaveOut(times) }
      for frames in state.written.values { frames.leaveOut(times) }
    }
  }

  /// Gives up the movie of the newest window that waits.
  ///
  /// - Returns: Whether there was one.
  func giveUpNewest() -> Bool {
    state.withLock { state in
      guard let ticket = state.waiting.filter({ !$0.value.isGivenUp }).keys.max() else { return false }
      state.waiting[ticket]?.giveUp()
      return true
    }
  }
}
