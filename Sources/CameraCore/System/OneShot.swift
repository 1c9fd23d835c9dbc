// A result that is decided once and can be waited for.

import Synchronization

/// A result that is decided by whichever event comes first: a frame, an error, a time limit or a cancellation.
///
///     let opened = OneShot<Void, CameraError>()
///     opened.decide(.success(()))                                  // on any thread
///     try await opened.wait(atMost: limit, late: .notRunning)      // returns at once if it is decided already
///
/// Any number of tasks may wait; all of them get the same result. A condition that comes and goes, as “nothing is
/// pending”, is something else.
public final class OneShot<Success: Sendable, Failure: Error>: Sendable {
  private typealias Waiter = CheckedContinuation<Result<Success, Failure>, Never>

  private enum State {
    case open([Waiter])
    case decided(Result<Success, Failure>)
  }

  private let state = Mutex(State.open([]))

  public init() {}

  /// The decision; `nil` before it. Any thread.
  public var result: Result<Success, Failure>? {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get {
      state.withLock { state in
        if case .decided(let result) = state { result } else { nil }
      }
    }
  }

  /// Decides; only the first call counts. Any thread.
  ///
  /// - Returns: Whether this call decided.
  @discardableResult
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  public func decide(_ result: Result<Success, Failure>) -> Bool {
    let waiters = state.withLock { state -> [Waiter]? in
      guard case .open(let waiters) = state else { return nil }
      state = .decided(result)
      return waiters
    }
    for waiter in waiters ?? [] { waiter.resume(returning: result) }
    return waiters != nil
  }

  /// Waits for the decision.
  ///
  /// - Parameter cancelled: The decision, for everyone, if the waiting task is canceled.
  /// - Throws: The failure that was decided.
  public func wait(orWhenCancelled cancelled: Failure) async throws(Failure) -> Success {
    let result = await withTaskCancellationHandler {
      await decision()
    } onCancel: {
      decide(.failure(cancelled))
    }
    return try result.get()
  }

  /// Waits for the decision, also when the waiting task is canceled.
  ///
  /// - Throws: The failure that was decided.
  public func wait() async throws(Failure) -> Success { try await decision().get() }

  private func decision() async -> Result<Success, Failure> {
    await withCheckedContinuation { resume($0) }
  }

  /// Resumes a continuation with the decision, now or later.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func resume(_ waiter: Waiter) {
    let decided = state.withLock { state -> Result<Success, Failure>? in
      switch state {
      case .decided(let result):
        return result
      case .open(let waiters):
        state = .open(waiters + [waiter])
        return nil
      }
    }
    if let decided { waiter.resume(returning: decided) }
  }
}

extension OneShot where Failure == CameraError {
  /// Waits for the decision; `late` is the decision if there is none within the limit, and `CameraError.notRunning` if the
  /// waiting task is canceled.
  ///
  /// - Throws: The failure that was decided.
  public func wait(atMost limit: TimeSpan, late: CameraError) async throws(CameraError) -> Success {
    let timer = Task.detached {
      try? await Task.sleep(nanoseconds: UInt64(max(0, limit.nanoseconds)))
      if !Task.isCancelled { self.decide(.failure(late)) }
    }
    defer { timer.cancel() }
    return try await wait(orWhenCancelled: .notRunning)
  }
}
