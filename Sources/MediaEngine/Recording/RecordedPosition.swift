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
    PatchedMovie.change(path) { file, size, source in
      guard let plan = try? MoviePosition(position, in: source), lseek(file, 0, SEEK_END) == size else { return false }
      guard MovieOutput.write(plan.tail, to: file) == nil, fsync(file) == 0 else {
        ftruncate(file, size)
        return false
      }
      return PatchedMovie.write(plan.patches.map { ($0.offset, $0.bytes) }, to: file)
    }
  }
}
