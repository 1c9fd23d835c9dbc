// Recordings whose end was interrupted while their index was being written, mended.

import CameraCore
import Foundation
import MediaFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Makes a movie in fragments again of a file that has neither an index of all samples nor, since the muxer began to write
/// that, one of its fragments; see `MP4HiddenIndex`.
enum InterruptedIndex {
  /// Mends a file in place, if it has to be. Where that fails the file stays as it is, and is tried again.
  ///
  /// - Returns: Whether it was mended.
  @discardableResult
  static func mend(_ path: String) -> Bool {
    let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0,
      let source = try? MovieStretch(URL(fileURLWithPath: path), range: 0..<UInt64(status.st_size)),
      let hidden = try? MP4HiddenIndex(source)
    else { return false }
    for patch in hidden.patches {
      let count = patch.bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(patch.offset)) }
      guard count == patch.bytes.count else { return false }
    }
    return fsync(file) == 0
  }
}
