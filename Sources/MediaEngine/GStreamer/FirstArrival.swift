// A wait that ends once: with the first frame, with an error, or with the time limit.

import CameraCore
import Synchronization

/// The beginning of a stream: whoever opened it waits here, and whichever comes first decides.
final class FirstArrival: Sendable {
  private enum State {
    case open(CheckedContinuation<Result<Void, CameraError>, Never>?)
    case decided(Result<Void, CameraError>)
  }

  private let state = Mutex(State.open(nil))

  /// Decides; only the first call counts. Any thread.
  ///
  /// - Returns: Whether this call decided.
  @discardableResult
  func decide(_ result: Result<Void, CameraError>) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Result<Void, CameraError>, Never>?) in
      guard case .open(let waiter) = state else { return (false, nil) }
      state = .decided(result)
      return (true, waiter)
    }
    waiter?.resume(returning: result)
    return isFirst
  }

  /// Waits for the decision; when there is none within the limit, `late` is it. One caller at a time.
  func wait(atMost limit: TimeSpan, late: CameraError) async throws(CameraError) {
    let timer = Task.detached {
      try? await Task.sleep(nanoseconds: UInt64(max(0, limit.nanoseconds)))
      if !Task.isCancelled { self.decide(.failure(late)) }
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let decided = state.withLock { state -> Result<Void, CameraError>? in
          if case .decided(let result) = state { return result }
          state = .open(continuation)
          return nil
        }
        if let decided { continuation.resume(returning: decided) }
      }
    } onCancel: {
      decide(.failure(.notRunning))
    }
    try result.get()
  }
}
