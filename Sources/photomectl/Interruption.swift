// What SIGINT and SIGTERM do to work that is under way.

import Foundation
import Synchronization

/// Lets work end in good order when somebody interrupts it, and tells by the exit status that somebody did.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM]
  private static let received = Atomic<Int32>(0)

  /// What shells give for a program that a signal ended, 128 and its number; `nil` when there was none.
  static var exitStatus: Int32? {
    let number = received.load(ordering: .sequentiallyConsistent)
    return number == 0 ? nil : 128 + number
  }

  /// Does something that the first signal cancels. The second ends the program at once: also that loses nothing, it leaves
  /// the clearing up to the next start.
  ///
  /// - Parameter body: Calls its argument when there is something to be put in order; before that the first signal ends the
  ///   program.
  static func endsInOrder<R: Sendable>(
    _ body: @escaping @Sendable (_ begin: @Sendable () -> Void) async throws -> R
  ) async throws -> R {
    let mark = Mark()
    let task = Task { try await body { mark.hasBegun.store(true, ordering: .sequentiallyConsistent) } }
    let sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler {
        let isFirst = received.compareExchange(
          expected: 0, desired: number, ordering: .sequentiallyConsistent
        ).exchanged
        if isFirst, mark.hasBegun.load(ordering: .sequentiallyConsistent) { return task.cancel() }
        complain(
          isFirst ? "Interrupted before anything was done." : "Interrupted again: what is under way is given up.")
        _exit(128 + number)
      }
      source.resume()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    return try await task.value
  }

  private final class Mark: Sendable {
    let hasBegun = Atomic<Bool>(false)
  }
}
