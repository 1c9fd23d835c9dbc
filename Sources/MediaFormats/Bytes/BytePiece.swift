// The pieces that a new file is put together from.

import Foundation

/// A piece of a file that is to be written: bytes in memory, or a stretch of a file that exists.
///
/// A copy of a movie with other metadata is a few kilobytes of new boxes and stretches of the old file, which the writer
/// copies inside the kernel, however long they are.
public enum BytePiece<Source: Sendable>: Sendable {
  case bytes(Data)
  case file(Source, Range<UInt64>)

  /// The number of bytes.
  public var count: UInt64 {
    switch self {
    case .bytes(let data): UInt64(data.count)
    case .file(_, let range): range.upperBound - range.lowerBound
    }
  }
}
