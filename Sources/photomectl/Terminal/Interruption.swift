// Orderly end of running work after SIGINT and SIGTERM.

import CameraCore
import Foundation
import Localization
import Synchronization

/// Cancels running work when a signal interrupts the program, and reports the signal by the exit status.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM]
  private static let received = Atomic<Int32>(0)

  /// The exit status after a signal as in shells, 128 plus its number; `nil` without one.
  static var exitStatus: Int32? {
    let number = received.load(ordering: .sequentiallyConsistent)
    return number == 0 ? nil : 128 + number
  }

  /// Runs work that the first signal cancels. The second one ends the program at once, which loses nothing: the next start
  /// cleans up.
  ///
  /// - Parameter body: Calls its argument once there is something to clean up; before that the first signal ends the program.
  static func endsInOrder<R: Sendable>(
    _ body: @escaping @Sendable (_ begin: @Sendable () -> Void) async throws -> R
  ) async throws -> R {
    let begun = OneShot<Void, Never>()
    let task = Task { try await body { begun.decide(.success(())) } }
    let sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler {
        let isFirst = received.compareExchange(
          expected: 0, desired: number, ordering: .sequentiallyConsistent
        ).exchanged
        if isFirst, begun.result != nil { return task.cancel() }
        TerminalLight.set(false)
        complain(
          isFirst
            ? localized("Interrupted before anything was done.")
            : localized("Interrupted again: unfinished work is abandoned."))
        _exit(128 + number)
      }
      source.resume()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    return try await task.value
  }
}
