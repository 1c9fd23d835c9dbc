// The bytes of a movie anywhere in a file.

import EngineInterface
import Foundation
import Localization
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

  /// - Parameter range: Of the movie in the file.
  /// - Throws: `FormatError.read` when the file can't be opened, `refused` when the range reaches past its end.
  init(_ url: URL, range: Range<UInt64>) throws(FormatError) {
    name = url.lastPathComponent
    (start, count) = (range.lowerBound, range.upperBound - range.lowerBound)
    let file = open(url.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .read(ReadFailure(code: errno)) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_size >= 0, range.upperBound <= UInt64(facts.st_size) else {
      close(file)
      throw .refused(reason: localized("the file is incomplete"))
    }
    self.file = file
  }

  /// - Throws: `EditError.unreadableMovie` when it can't be opened or the range reaches past its end.
  convenience init(_ source: MovieSource) throws(EditError) {
    do throws(FormatError) { try self.init(source.url, range: source.byteRange) } catch {
      throw .unreadableMovie(file: source.url.lastPathComponent, reason: error.reason)
    }
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
