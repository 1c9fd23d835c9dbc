// The live photos that wait until their movies can be written, within a budget of memory.

import CameraCore
import Synchronization

/// Holds the frames of live photos while they wait. When all frames together exceed the budget, those that wait lose every
/// other frame.
final class WaitingWindows: Sendable {
  /// Names a window among those that wait.
  struct Ticket: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  private struct State {
    var windows: [Ticket: LiveWindow] = [:]
    var lastNumber: UInt64 = 0
  }

  private let state = Mutex(State())
  private let budget: FrameBudget

  init(budget: FrameBudget) { self.budget = budget }

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  /// Holds a window. `takeFrames` or `remove` must follow.
  @inline(never)
  func add(_ window: LiveWindow) -> Ticket {
    state.withLock { state in
      state.lastNumber += 1
      let ticket = Ticket(number: state.lastNumber)
      state.windows[ticket] = window
      // Once for each new window: what is dropped here may still be in the ring for a moment.
      if budget.isExceeded() { Self.thin(&state.windows) }
      return ticket
    }
  }

  /// The frames of a window, which waits no longer; `nil` if there are none.
  ///
  /// - Parameter shortfalls: Gets what has become of them.
  @inline(never)
  func takeFrames(_ ticket: Ticket, shortfalls: inout [CaptureShortfall]) -> MovieFrames? {
    guard let window = state.withLock({ $0.windows.removeValue(forKey: ticket) }) else { return nil }
    shortfalls = window.shortfalls
    return MovieFrames(window)
  }

  @inline(never)
  func remove(_ ticket: Ticket) {
    state.withLock { _ = $0.windows.removeValue(forKey: ticket) }
  }

  /// The number of frames in all windows that wait. For tests.
  var frameCount: Int { state.withLock { $0.windows.values.reduce(0) { $0 + $1.frames.count } } }

  private static func thin(_ windows: inout [Ticket: LiveWindow]) {
    let dropped = WindowThinning.dropped(
      from: windows.values.map { ($0.frames.map(\.time), $0.still.time) })
    guard !dropped.isEmpty else { return }
    for ticket in Array(windows.keys) {
      let before = windows[ticket]?.frames.count
      windows[ticket]?.frames.removeAll { dropped.contains($0.time) }
      guard before != windows[ticket]?.frames.count else { continue }
      if windows[ticket]?.shortfalls.contains(.fewerFrames) == false {
        windows[ticket]?.shortfalls.append(.fewerFrames)
      }
    }
  }
}
