// The bytes of a movie that lies somewhere inside of a file.

import EngineInterface
import Foundation
import PhotoEffects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A stretch of an open file. Nothing but what is asked for is in memory.
final class MovieStretch: Sendable {
  /// The file's name, for messages.
  let name: String
  let count: UInt64
  private let file: Int32
  private let start: UInt64

  /// - Throws: `EditError.unreadableMovie` when it can't be read or the range reaches past its end.
  init(_ source: MovieSource) throws(EditError) {
    name = source.url.lastPathComponent
    (start, count) = (source.byteRange.lowerBound, source.byteRange.upperBound - source.byteRange.lowerBound)
    let file = open(source.url.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw .unreadableMovie(file: name, reason: errno == ENOENT ? "it is gone" : String(cString: strerror(errno)))
    }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_size >= 0, source.byteRange.upperBound <= UInt64(facts.st_size) else {
      close(file)
      throw .unreadableMovie(file: name, reason: "it is cut short")
    }
    self.file = file
  }

  /// The whole of a file.
  convenience init(whole url: URL) throws(EditError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? UInt64) ?? 0
    try self.init(MovieSource(url: url, byteRange: 0..<size))
  }

  deinit { close(file) }

  /// - Throws: `EditError.unreadableMovie` when the stretch ends before.
  func bytes(at offset: UInt64, count wanted: Int) throws(EditError) -> [UInt8] {
    guard wanted >= 0, offset <= count, UInt64(wanted) <= count - offset else {
      throw .unreadableMovie(file: name, reason: "it is cut short")
    }
    var problem: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while filled < wanted, problem == nil {
        let read = pread(file, buffer.baseAddress! + filled, wanted - filled, off_t(start + offset) + off_t(filled))
        if read < 0, errno == EINTR { continue }
        if read <= 0 { problem = read < 0 ? errno : ENODATA } else { filled += read }
      }
    }
    if let problem { throw .unreadableMovie(file: name, reason: String(cString: strerror(problem))) }
    return bytes
  }
}
