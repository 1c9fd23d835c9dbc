// The progress and the end of reading a file: on a slow disk, a share for example, a read may take long.

import CameraCore
import Foundation
import MediaFormats
import Synchronization

/// Follows the reading of a file, from any thread, and ends it between two pieces.
final class ReadMonitor: Sendable {
  private struct State {
    var readerCount = 0
    /// In bytes.
    var total: UInt64 = 0
    var done: UInt64 = 0
    var told = 0.0
    var takePlace: (@Sendable () -> Void)?
  }

  /// Ends the reading: the read that is in progress is the last.
  let isCancelled: CancellationFlag
  private let progress: (@Sendable (Double) -> Void)?
  private let state = Mutex(State())

  /// In bytes: small enough for a slow network, and large enough to cost nothing on a fast disk.
  static let piece = 256 << 10

  /// - Parameter progress: Called with the part that was read, 0…1, ascending, on the reading thread.
  init(isCancelled: CancellationFlag = CancellationFlag(), progress: (@Sendable (Double) -> Void)? = nil) {
    (self.isCancelled, self.progress) = (isCancelled, progress)
  }

  /// Reads on another thread.
  ///
  /// - Throws: `cancelled` as soon as the task is canceled: a read that is in progress ends by itself then, and its result is
  ///   dropped.
  static func run<Success: Sendable>(
    progress: (@Sendable (Double) -> Void)? = nil,
    _ body: @escaping @Sendable (ReadMonitor) throws(PhotoLibraryError) -> Success
  ) async throws(PhotoLibraryError) -> Success {
    let monitor = ReadMonitor(progress: progress)
    let outcome = OneShot<Success, PhotoLibraryError>()
    Blocking.start { outcome.decide(Result { () throws(PhotoLibraryError) in try body(monitor) }) }
    do throws(PhotoLibraryError) { return try await outcome.wait(orWhenCancelled: .cancelled) } catch {
      // What goes on reading has nobody to read for.
      monitor.isCancelled.set()
      throw error
    }
  }

  /// Whether a thread waits for the disk at this moment.
  var isReading: Bool { state.withLock { $0.readerCount > 0 } }

  /// What is read from now on is this many bytes in all.
  func expect(_ count: UInt64) { state.withLock { ($0.total, $0.done) = (count, 0) } }

  /// Names who gives places to work that follows the reading.
  ///
  /// - Parameter takePlace: Returns when there is one, or when nobody wants the result.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func onReturn(_ takePlace: @escaping @Sendable () -> Void) { state.withLock { $0.takePlace = takePlace } }

  /// What was waited for is read, and long work follows: waits for a place for it, if the reader has lost its own meanwhile.
  /// Blocks.
  func takePlace() {
    let takePlace = state.withLock { $0.takePlace }
    takePlace?()
  }

  /// Nothing more has to be read.
  func finish() {
    let isTold = state.withLock { state in
      defer { state.told = 1 }
      return state.told < 1
    }
    if isTold { progress?(1) }
  }

  /// Somebody else reads, until `endReading`.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func beginReading() { state.withLock { $0.readerCount += 1 } }

  @inline(never)
  func endReading() { state.withLock { $0.readerCount -= 1 } }

  /// Waits for the disk.
  ///
  /// - Parameter read: Returns the number of bytes, or less than 0 with `errno`.
  /// - Throws: `ECANCELED`, without reading.
  func follow(_ read: () -> Int) throws(ReadFailure) -> Int {
    if isCancelled.isSet { throw ReadFailure(code: ECANCELED) }
    state.withLock { $0.readerCount += 1 }
    let count = read()
    let code = errno
    let told = state.withLock { state -> Double? in
      state.readerCount -= 1
      state.done += UInt64(max(0, count))
      guard state.total > 0 else { return nil }
      let now = min(1, Double(state.done) / Double(state.total))
      guard now > state.told else { return nil }
      state.told = now
      return now
    }
    if let told { progress?(told) }
    errno = code
    return count
  }
}
