// A byte source in memory, which counts and can fail its reads.

import Foundation
import MediaFormats
import Synchronization

/// Bytes in memory as a `ByteSource`.
final class MemorySource: ByteSource {
  let name = "memory"
  let count: UInt64
  private let bytes: [UInt8]
  /// The number of reads.
  let reads = Mutex(0)
  /// The error of every read from this offset on.
  private let failure: (offset: UInt64, code: Int32)?

  /// - Parameter count: A false length, as of a file that became shorter after it was opened.
  init(_ data: some Sequence<UInt8>, count: UInt64? = nil, failure: (offset: UInt64, code: Int32)? = nil) {
    bytes = Array(data)
    self.count = count ?? UInt64(bytes.count)
    self.failure = failure
  }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
    reads.withLock { $0 += 1 }
    if let failure, offset + UInt64(buffer.count) > failure.offset { throw ReadFailure(code: failure.code) }
    guard offset < UInt64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }
}
