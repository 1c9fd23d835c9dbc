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
    PatchedMovie.change(path) { file, _, source in
      guard let hidden = try? MP4HiddenIndex(source) else { return false }
      return PatchedMovie.write(hidden.patches.map { ($0.offset, $0.bytes) }, to: file) && fsync(file) == 0
    }
  }
}
