// Memory that two processes share, as a file without a name.

import Foundation
import LinuxShim

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The descriptor of shared memory. It is read and written with system calls and never mapped by the side that must not trust
/// the other: memory that the other side cuts off would end the program.
final class SharedMemory: Sendable {
  let descriptor: Int32

  /// - Returns: `nil` when the system has no more of them.
  init?(_ name: String) {
    descriptor = linux_memory_file(name)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Replaces the content.
  ///
  /// - Returns: `false` without memory.
  func write(_ data: Data) -> Bool {
    ftruncate(descriptor, 0) == 0 && data.withUnsafeBytes { Self.write($0, to: descriptor, at: 0) }
  }

  /// Gives the memory back.
  func clear() { _ = ftruncate(descriptor, 0) }

  /// Fills a buffer with the bytes from an offset on.
  ///
  /// - Returns: `false` when there are fewer.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    var done = 0
    while done < target.count {
      let count = pread(descriptor, target.baseAddress.map { $0 + done }, target.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}
