// Changes of a few bytes within a movie's file.

import Foundation
import MediaFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Opens recorded movies to change them in place.
enum PatchedMovie {
  /// Opens a file that isn't empty and is no link.
  ///
  /// - Parameter body: Gets the file, its size in bytes, and its contents; returns whether it has changed them.
  /// - Returns: Whether the file was changed.
  static func change(_ path: String, _ body: (Int32, off_t, MovieStretch) -> Bool) -> Bool {
    let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0,
      let source = try? MovieStretch(URL(fileURLWithPath: path), range: 0..<UInt64(status.st_size))
    else { return false }
    return body(file, status.st_size, source)
  }

  /// Writes bytes over those of the file.
  ///
  /// - Returns: Whether all of them were written.
  static func write(_ patches: [(offset: UInt64, bytes: [UInt8])], to file: Int32) -> Bool {
    patches.allSatisfy { patch in
      patch.bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(patch.offset)) } == patch.bytes.count
    }
  }
}
