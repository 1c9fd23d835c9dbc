// The state machine of the code in view: when to look, and when it has left.

import CameraCore

/// Decides which code is in view; looks at nothing itself.
struct CodeSight {
  /// The least time from the end of one look to the next.
  static let interval = TimeSpan.milliseconds(300)
  /// The number of looks in a row without a code after which it has left: one alone may be a blurred frame.
  static let patience = 4
  /// The time after which a code has left when nothing is looked at anymore: nothing is shown, or the computer can't keep up.
  /// Longer than from one look to the next when it hardly does.
  static let memory = TimeSpan.milliseconds(2500)

  /// The text of the code in view.
  private(set) var code: String?
  private var misses = 0
  private var lastLook: MonotonicTime?

  /// Whether it is time for a look.
  func isDue(at time: MonotonicTime) -> Bool { lastLook.map { time - $0 >= Self.interval } ?? true }

  /// Takes the result of a look.
  ///
  /// - Parameter found: The text of the code in the frame; `nil` without one.
  /// - Returns: Whether `code` has changed.
  mutating func looked(at found: String?, time: MonotonicTime) -> Bool {
    lastLook = time
    misses = found == nil ? misses + 1 : 0
    guard found != code, found != nil || misses >= Self.patience else { return false }
    code = found
    return true
  }

  /// Some time has passed, perhaps without looks.
  ///
  /// - Returns: Whether `code` has changed: nobody knows whether it is still there.
  mutating func waited(until time: MonotonicTime) -> Bool {
    guard code != nil, let lastLook, time - lastLook >= Self.memory else { return false }
    code = nil
    return true
  }
}
