// A byte source in memory.

import Foundation

/// Bytes in memory as a source.
public final class DataSource: ByteSource {
  public let name: String
  private let data: Data

  public var count: UInt64 { UInt64(data.count) }

  /// - Parameter name: For messages.
  public init(_ data: Data, name: String) { (self.data, self.name) = (data, name) }

  public func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
    guard offset < UInt64(data.count) else { return 0 }
    let start = data.startIndex + Int(offset)
    let end = min(data.endIndex, start + buffer.count)
    return data[start..<end].copyBytes(to: buffer)
  }
}

extension [BytePiece<DataSource>] {
  /// All bytes, in memory.
  ///
  /// - Throws: `FormatError.read`.
  public func joined() throws(FormatError) -> Data {
    var data = Data(capacity: Int(reduce(0) { $0 + $1.count }))
    for piece in self {
      switch piece {
      case .bytes(let bytes): data.append(bytes)
      case .file(let source, let range): data.append(try source.data(at: range.lowerBound, count: range.count))
      }
    }
    return data
  }
}
