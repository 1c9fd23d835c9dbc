// The first of several errors that end the same work.

import Synchronization

/// Remembers the error that came first.
final class FirstFailure: Sendable {
  private let stored = Mutex<(any Error)?>(nil)

  /// Keeps an error, unless there is one.
  func note(_ error: any Error) { stored.withLock { $0 = $0 ?? error } }

  var error: (any Error)? { stored.withLock { $0 } }
}
