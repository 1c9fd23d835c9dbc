// A small window on the bytes of a file.

/// Reads numbers and short texts anywhere in a source, a few kilobytes at a time.
///
/// A read outside the window moves it there; parsers that walk forward read each kilobyte once.
public struct ByteWindow: Sendable {
  /// In bytes: a page, and more than the head of any box or segment.
  private static let length = 4096

  private let source: any ByteSource
  private var start: UInt64 = 0
  private var buffer: [UInt8] = []

  public init(_ source: any ByteSource) { self.source = source }

  /// The bytes from an offset on; fewer at the end of the source.
  ///
  /// - Throws: `FormatError.read`.
  public mutating func bytes(at offset: UInt64, count: Int) throws(FormatError) -> ArraySlice<UInt8> {
    let from = try move(to: offset, count: count)
    return buffer[from..<min(buffer.count, from + count)]
  }

  /// The byte at an offset; `nil` past the end.
  ///
  /// - Throws: `FormatError.read`.
  public mutating func byte(at offset: UInt64) throws(FormatError) -> UInt8? {
    let from = try move(to: offset, count: 1)
    return from < buffer.count ? buffer[from] : nil
  }

  /// Whether the bytes at an offset are a text.
  ///
  /// - Throws: `FormatError.read`.
  public mutating func begins(with text: StaticString, at offset: UInt64) throws(FormatError) -> Bool {
    let found = try bytes(at: offset, count: text.utf8CodeUnitCount)
    return text.withUTF8Buffer { found.elementsEqual($0) }
  }

  /// The big-endian number at an offset; `nil` past the end.
  ///
  /// - Parameter count: At most 8.
  /// - Throws: `FormatError.read`.
  public mutating func number(at offset: UInt64, bytes count: Int) throws(FormatError) -> UInt64? {
    let from = try move(to: offset, count: count)
    guard count <= buffer.count - from else { return nil }
    var number: UInt64 = 0
    for index in from..<from + count { number = number << 8 | UInt64(buffer[index]) }
    return number
  }

  /// Moves the window where it doesn't hold these bytes.
  ///
  /// - Returns: The index of the first in the buffer; the end of the buffer when the source ends before it.
  private mutating func move(to offset: UInt64, count: Int) throws(FormatError) -> Int {
    // Without a sum: an offset may be any number.
    if offset < start || offset - start > UInt64(buffer.count) || count > buffer.count - Int(offset - start) {
      buffer = try source.prefix(at: offset, count: max(count, Self.length))
      start = offset
    }
    return Int(offset - start)
  }
}
