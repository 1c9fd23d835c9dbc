// A named pipe, by which an element hangs in its change of state until the test lets it go.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Opening a pipe blocks until somebody has opened its other end: `filesrc` and `filesink` then hang as elements do whose
/// driver or server doesn't answer.
final class NamedPipe: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("photome-pipe-\(UUID().uuidString)").path

  init() throws {
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { unlink(path) }

  /// Lets go of those that wait to read: they find the end.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func releaseReaders() -> Bool {
    let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// Lets go of those that wait to write, and reads what they write until the condition holds.
  ///
  /// - Returns: Whether it held in the end.
  func releaseWriters(until condition: @Sendable () async -> Bool) async -> Bool {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(descriptor) }
    return await eventually {
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      _ = read(descriptor, &bytes, bytes.count)
      return await condition()
    }
  }
}
