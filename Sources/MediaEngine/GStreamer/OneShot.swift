// A result that is decided once and can be waited for.

import CameraCore
import Synchronization

/// A result that is decided by whichever event comes first: a frame, an error, a time limit or a cancellation.
///
///     let opened = OneShot<Void, CameraError>()
///     opened.decide(.success(()))                                  // on any thread
///     try await opened.wait(atMost: limit, late: .notRunning)      // returns at once if it is decided already
final class OneShot<Success: Sendable, Failure: Error>: Sendable {
  private enum State {
    case open(CheckedContinuation<Result<Success, Failure>, Never>?)
    case decided(Result<Success, Failure>)
  }

  private let state = Mutex(State.open(nil))

  /// The decision; `nil` before it. Any thread.
  var result: Result<Success, Failure>? {
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
  func decide(_ result: Result<Success, Failure>) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Result<Success, Failure>, Never>?) in
      guard case .open(let waiter) = state else { return (false, nil) }
      state = .decided(result)
      return (true, waiter)
    }
    waiter?.resume(returning: result)
    return isFirst
  }

  /// Waits for the decision. One caller at a time.
  ///
  /// - Parameter cancelled: The decision if the waiting task is canceled.
  /// - Throws: The failure that was decided.
  func wait(orWhenCancelled cancelled: Failure) async throws(Failure) -> Success {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        resume(continuation)
      }
    } onCancel: {
      decide(.failure(cancelled))
    }
    return try result.get()
  }

  /// Resumes a continuation with the decision, now or later.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func resume(_ continuation: CheckedContinuation<Result<Success, Failure>, Never>) {
    let decided = state.withLock { state -> Result<Success, Failure>? in
      if case .decided(let result) = state { return result }
      state = .open(continuation)
      return nil
    }
    if let decided { continuation.resume(returning: decided) }
  }
}

extension OneShot where Failure == CameraError {
  /// Waits for the decision; `late` is the decision if there is none within the limit, and `CameraError.notRunning` if the
  /// waiting task is canceled. One caller at a time.
  ///
  /// - Throws: The failure that was decided.
  func wait(atMost limit: TimeSpan, late: CameraError) async throws(CameraError) -> Success {
    let timer = Task.detached {
      try? await Task.sleep(nanoseconds: UInt64(max(0, limit.nanoseconds)))
      if !Task.isCancelled { self.decide(.failure(late)) }
    }
    defer { timer.cancel() }
    return try await wait(orWhenCancelled: .notRunning)
  }
}
