// Work that blocks its thread, awaited by tasks.

import Dispatch
import Foundation

/// Threads beside Swift's own, of which there are as few as cores: a flush that takes a tenth of a second, or a picture
/// that is encoded for a second, must not hold up the rest of the program.
///
///     let asset = try await Blocking.run { () throws(PhotoLibraryError) in try index.asset(id: id) }
///
/// Each has a thread at once, whatever the others wait for. Dispatch's concurrent queues give as many as there are cores, to
/// Swift's own tasks among others, and one more for each second that all of them are blocked.
public enum Blocking {
  /// Starts `body` on another thread.
  public static func start(_ body: @escaping @Sendable () -> Void) {
    // Serial queues are run by threads beyond the number of cores.
    DispatchQueue(label: "photome.blocking", qos: .userInitiated).async(execute: body)
  }

  /// Runs `body` on another thread.
  ///
  /// - Throws: The error of `body`.
  public static func run<Output: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Output, Failure>, Never>) in
      start { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
    }
    return try result.get()
  }

  /// The same; sets `flag`, which `body` has to check now and then, when the task is canceled.
  ///
  /// - Throws: The error of `body`.
  public static func run<Output: Sendable, Failure: Error>(
    canceling flag: CancellationFlag, _ body: @escaping @Sendable () throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    let result = await withTaskCancellationHandler {
      do throws(Failure) {
        return Result<Output, Failure>.success(try await run(body))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      flag.set()
    }
    return try result.get()
  }

  /// Runs `body` on a new thread with low priority.
  ///
  /// - Parameter niceness: Added to the thread's `nice` value; from 0 to 19.
  /// - Throws: The error of `body`.
  public static func run<Output: Sendable, Failure: Error>(
    niceness: Int32, _ body: @escaping @Sendable () throws(Failure) -> Output
  ) async throws(Failure) -> Output {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Output, Failure>, Never>) in
      let thread = Thread {
        // 0 names the calling thread.
        _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness)
        continuation.resume(returning: Result { () throws(Failure) in try body() })
      }
      thread.name = "background"
      thread.start()
    }
    return try result.get()
  }
}
