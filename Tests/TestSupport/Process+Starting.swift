// The start of a test's child, one at a time.

import Foundation
import Synchronization

private let starting = Mutex(())

extension Process {
  /// Starts the child while no other one is started.
  ///
  /// Foundation hears of a child's end by a socket that it makes before the start, and that it closes in children only
  /// afterwards: a child that starts meanwhile would hold it open, and hide the other's end with its own life.
  public func runAlone() throws { try starting.withLock { _ in try run() } }
}
