// Cancellation of work that runs outside of a task.

import Synchronization

/// Tells work on another thread that its result is no longer wanted. Set once, from any thread.
public final class CancellationFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  public init() {}

  public var isSet: Bool { flag.load(ordering: .relaxed) }

  public func set() { flag.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError` once the flag is set.
  public func check() throws(CancellationError) {
    if isSet { throw CancellationError() }
  }
}
