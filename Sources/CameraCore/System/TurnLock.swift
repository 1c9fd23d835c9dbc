// A lock that may be given up while it is waited for.

import Foundation

/// A lock for long work that one thread does at a time. Whoever waits for it can be told to give up.
///
///     guard turn.lock(unless: isCancelled) else { return nil }
///     defer { turn.unlock() }
public final class TurnLock: @unchecked Sendable {
  // Sendable: everything is used under the condition's lock.

  private let condition = NSCondition()
  private var isTaken = false

  /// How often a waiting thread looks at its flag, in seconds.
  private static let interval = 0.02

  public init() {}

  /// Waits for the lock. Blocks.
  ///
  /// - Parameter isCancelled: Ends the waiting soon after it is set; `nil` to wait in any case.
  /// - Returns: `false` without the lock, when the flag is set.
  public func lock(unless isCancelled: CancellationFlag? = nil) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while isTaken, isCancelled?.isSet != true {
      if isCancelled == nil {
        condition.wait()
      } else {
        _ = condition.wait(until: Date(timeIntervalSinceNow: Self.interval))
      }
    }
    guard isCancelled?.isSet != true else {
      // It may have been woken in place of another one.
      condition.signal()
      return false
    }
    isTaken = true
    return true
  }

  public func unlock() {
    condition.lock()
    isTaken = false
    condition.signal()
    condition.unlock()
  }
}
