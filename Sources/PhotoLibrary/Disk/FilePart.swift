// What a new file is put together from: bytes in memory, and stretches of files that are there.

import Foundation

/// A piece of a file that is to be written.
enum FilePart: Sendable {
  case bytes(Data)
  /// Copied inside the kernel, however long it is.
  case file(ReadableFile, Range<UInt64>)

  /// In bytes.
  var count: UInt64 {
    switch self {
    case .bytes(let data): UInt64(data.count)
    case .file(_, let range): range.upperBound - range.lowerBound
    }
  }
}

extension [FilePart] {
  /// In bytes.
  var byteCount: UInt64 { reduce(0) { $0 + $1.count } }
}
