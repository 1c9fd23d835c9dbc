// Runs work that waits for the disk where it holds up nobody.

import Dispatch

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
}
