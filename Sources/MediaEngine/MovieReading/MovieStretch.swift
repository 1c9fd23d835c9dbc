// The bytes of a movie anywhere in a file.

import EngineInterface
import Foundation
import MediaFormats
import PhotoEffects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A stretch of an open file, such as the tail of a live photo. Only the bytes that are asked for are in memory.
///
/// The file stays readable when it is renamed or removed meanwhile.
final class MovieStretch: ByteSource {
  /// The file's name, for messages.
  let name: String
  let count: UInt64
  private let file: Int32
  private let start: UInt64

  /// - Throws: `EditError.unreadableMovie` when it can't be opened or the range reaches past its end.
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
  ///
  /// - Throws: `EditError.unreadableMovie` when it can't be opened.
  convenience init(whole url: URL) throws(EditError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? UInt64) ?? 0
    try self.init(MovieSource(url: url, byteRange: 0..<size))
  }

  deinit { close(file) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
    guard let base = buffer.baseAddress, offset < count else { return 0 }
    let wanted = Int(min(UInt64(buffer.count), count - offset))
    var filled = 0
    while filled < wanted {
      let read = pread(file, base + filled, wanted - filled, off_t(start + offset) + off_t(filled))
      if read < 0, errno == EINTR { continue }
      if read < 0 { throw ReadFailure(code: errno) }
      // The file became shorter.
      if read == 0 { break }
      filled += read
    }
    return filled
  }
}

extension MP4Index {
  /// - Throws: `EditError.unreadableMovie` for what is not an MP4, or a damaged one.
  init(_ stretch: MovieStretch) throws(EditError) {
    do throws(FormatError) { try self.init(stretch as any ByteSource) } catch {
      throw .unreadableMovie(file: stretch.name, reason: error.reason)
    }
  }
}
