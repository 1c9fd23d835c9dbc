// Calls that may never return, awaited for a limited time.

import Foundation

extension Blocking {
  /// Runs `body` on a new thread, and waits for it no longer than a time limit.
  ///
  /// For what hangs with a driver, a server or a network disk. A thread that is late is left to itself; what it returns in
  /// the end is dropped, on that thread. The cancellation of the task doesn't end the waiting.
  ///
  /// - Parameters:
  ///   - name: The thread's, for debuggers; at most 15 characters.
  ///   - niceness: Added to the thread's `nice` value, and to that of the threads that it starts; from 0 to 19.
  ///   - late: Thrown when the limit is over.
  ///   - wait: Returns after a time; throws when the task is canceled.
  /// - Throws: The error of `body`, or `late`.
  public static func run<Output: Sendable, Failure: Error>(
    onThread name: String, atMost limit: TimeSpan, niceness: Int32 = 0, late: Failure,
    wait: @escaping @Sendable (TimeSpan) async throws -> Void = {
      try await Task.sleep(nanoseconds: UInt64(max(0, $0.nanoseconds)))
    },
    _ body: @escaping @Sendable () throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    let outcome = OneShot<Output, Failure>()
    let thread = Thread {
      // 0 names the calling thread.
      if niceness != 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
      outcome.decide(Result { () throws(Failure) in try body() })
    }
    thread.name = name
    // Drivers of graphics cards compile programs here.
    thread.stackSize = 8 << 20
    thread.start()
    let timer = Task.detached {
      guard (try? await wait(limit)) != nil, !Task.isCancelled else { return }
      outcome.decide(.failure(late))
    }
    defer { timer.cancel() }
    return try await outcome.wait()
  }
}
