// The position of a recorded movie, written into its finished file.

import CameraCore
import Foundation
import MediaFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes where a movie was recorded; see `MoviePosition`.
enum RecordedPosition {
  /// Adds a position to a finished movie. Where that fails, the file stays a movie without one.
  ///
  /// - Parameter position: In the form of ISO 6709.
  /// - Returns: Whether it is there.
  static func write(_ position: String, to path: String) -> Bool {
    let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0,
      let source = try? MovieStretch(URL(fileURLWithPath: path), range: 0..<UInt64(status.st_size)),
      let plan = try? MoviePosition(position, in: source), lseek(file, 0, SEEK_END) == status.st_size
    else { return false }
    guard MovieOutput.write(plan.tail, to: file) == nil, fsync(file) == 0 else {
      ftruncate(file, status.st_size)
      return false
    }
    for patch in plan.patches {
      let count = patch.bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(patch.offset)) }
      guard count == patch.bytes.count else { return false }
    }
    return true
  }
}
