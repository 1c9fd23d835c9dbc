// The pictures that a person waits for: what can be done later gives way to them.

import Dispatch
import Synchronization

/// The number of visible pictures that were requested and aren't there yet, of all image managers of the program.
///
/// A folder that is seen for the first time takes all processors until it is known. Its first page would come last.
public final class AwaitedPictures: Sendable {
  public static let shared = AwaitedPictures()

  private struct State {
    var count = 0
    var waiters: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var count: Int { state.withLock { $0.count } }

  /// The number of those who give way to them.
  public var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// One more is waited for, until `end`.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  public func begin() { state.withLock { $0.count += 1 } }

  /// One of them is there, or nobody wants it anymore.
  @inline(never)
  public func end() {
    let waiters = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return [DispatchSemaphore]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  /// Returns when there are none, or after some time. Blocks.
  public func waitForNone(atMost limit: DispatchTimeInterval) {
    let waiter = state.withLock { state -> DispatchSemaphore? in
      guard state.count > 0 else { return nil }
      let waiter = DispatchSemaphore(value: 0)
      state.waiters.append(waiter)
      return waiter
    }
    guard let waiter, waiter.wait(timeout: .now() + limit) == .timedOut else { return }
    state.withLock { state in state.waiters.removeAll { $0 === waiter } }
  }
}
