// A stretch of a byte source as a source of its own.

/// Some bytes of a source, such as a JPEG inside of a raw file. Offsets count from the first of them.
public final class SourceStretch: ByteSource {
  private let source: any ByteSource
  private let range: Range<UInt64>

  public var name: String { source.name }
  public var count: UInt64 { UInt64(range.count) }

  /// - Parameter range: What is beyond the end of the source is left out.
  public init(_ source: any ByteSource, range: Range<UInt64>) {
    (self.source, self.range) = (source, range.clamped(to: 0..<source.count))
  }

  public func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
    guard offset < count else { return 0 }
    let length = Int(min(UInt64(buffer.count), count - offset))
    return try source.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), from: range.lowerBound + offset)
  }
}
