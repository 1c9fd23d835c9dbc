// The file of an assembled movie.

import EngineInterface
import Foundation
import MediaFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension MP4Assembly {
  /// Bytes that are copied at a time.
  private static var step: UInt64 { 1 << 20 }

  /// Writes the file; an existing name is an error. Nothing is left behind when it fails.
  ///
  /// - Parameter isCancelled: Asked before each chunk.
  /// - Throws: An `EditError`, or `CancellationError`.
  func write(to url: URL, isCancelled: () -> Bool) throws {
    let pieces: [BytePiece<any ByteSource>]
    do throws(FormatError) { pieces = try self.pieces() } catch { throw EditError.encoding(reason: error.reason) }
    let file = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Self.failure(errno, url) }
    do {
      for piece in pieces {
        if isCancelled() { throw CancellationError() }
        switch piece {
        case .bytes(let data): try Self.write([UInt8](data), to: file, url)
        case .file(let source, let range): try Self.copy(range, of: source, to: file, url)
        }
      }
    } catch {
      close(file)
      unlink(url.path)
      throw error
    }
    // Some file systems report a full disk only now.
    guard close(file) == 0 else {
      let code = errno
      unlink(url.path)
      throw Self.failure(code, url)
    }
  }

  private static func copy(
    _ range: Range<UInt64>, of source: any ByteSource, to file: Int32, _ url: URL
  ) throws(EditError) {
    var position = range.lowerBound
    while position < range.upperBound {
      let count = Int(min(step, range.upperBound - position))
      let bytes: [UInt8]
      do throws(FormatError) { bytes = try source.bytes(at: position, count: count) } catch {
        throw .unreadableMovie(file: source.name, reason: error.reason)
      }
      try write(bytes, to: file, url)
      position += UInt64(count)
    }
  }

  private static func write(_ bytes: [UInt8], to file: Int32, _ url: URL) throws(EditError) {
    if let problem = MovieOutput.write(bytes, to: file) { throw failure(problem, url) }
  }

  private static func failure(_ code: Int32, _ url: URL) -> EditError {
    .writing(reason: MovieOutput.words(code, url.deletingLastPathComponent()))
  }
}
