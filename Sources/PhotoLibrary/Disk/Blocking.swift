// Blocking work on threads of its own, and the flag that cancels it.

import Dispatch
import Synchronization

/// Threads beside Swift's own, of which there are as few as cores: a flush that takes a tenth of a second must not stop
/// the rest of the program.
enum Blocking {
  private static let queue = DispatchQueue(label: "photome.library.disk", qos: .userInitiated, attributes: .concurrent)

  static func run<R: Sendable>(
    _ body: @escaping @Sendable () throws(PhotoLibraryError) -> R
  ) async throws(PhotoLibraryError) -> R {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { () throws(PhotoLibraryError) in try body() }) }
    }
    return try result.get()
  }

  /// The same; sets `flag`, which `body` has to check now and then, when the task is canceled.
  static func run<R: Sendable>(
    canceling flag: CancellationFlag, _ body: @escaping @Sendable () throws(PhotoLibraryError) -> R
  ) async throws(PhotoLibraryError) -> R {
    let result = await withTaskCancellationHandler {
      do throws(PhotoLibraryError) {
        return Result<R, PhotoLibraryError>.success(try await run(body))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      flag.set()
    }
    return try result.get()
  }
}

/// Tells work on another thread that its result is no longer wanted. Set once, from any thread.
final class CancellationFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError` once the flag is set.
  func check() throws(CancellationError) {
    if isSet { throw CancellationError() }
  }
}
