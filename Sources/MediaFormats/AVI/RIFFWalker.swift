// The walk over the chunks of an AVI file.

/// A chunk of RIFF: a code of four letters, a size and a content.
struct RIFFChunk: Hashable, Sendable {
  /// That of the chunk; of a list, that of the list.
  var code: MP4Type
  /// Whether it is a list of chunks: `LIST`, or `RIFF` itself.
  var isList: Bool
  /// With its head, without the byte that fills it up to an even size.
  var range: Range<UInt64>
  /// Without its head and, of a list, its code.
  var content: Range<UInt64>
}

/// Walks the chunks that follow each other in a range of a file (Microsoft's “AVI RIFF File Reference”).
///
/// Untrusted input: every size is checked against the range, the number of chunks is limited, and every step moves forward
/// by at least eight bytes.
struct RIFFWalker {
  /// The reason why a walk ended before the end.
  enum Damage: Hashable, Sendable {
    /// The chunk is longer than what holds it. Its ranges end there.
    case cutShort(RIFFChunk)
    /// There are more chunks than the limit.
    case tooMany(at: UInt64)
  }

  /// The reader, also for the contents of chunks.
  var bytes: ByteWindow
  /// The reason why the walk ended; `nil` at the end of the range.
  private(set) var damage: Damage?
  private var offset: UInt64
  private let end: UInt64
  private var chunksLeft: Int

  /// - Parameter limit: The most chunks that are read.
  init(_ bytes: ByteWindow, in range: Range<UInt64>, limit: Int) {
    self.bytes = bytes
    (offset, end, chunksLeft) = (range.lowerBound, range.upperBound, limit)
  }

  /// The next chunk; `nil` at the end, which is also where less than a chunk's head is left.
  ///
  /// - Throws: `FormatError.read`.
  mutating func next() throws(FormatError) -> RIFFChunk? {
    guard damage == nil, offset < end, end - offset >= 8 else { return nil }
    guard chunksLeft > 0 else {
      damage = .tooMany(at: offset)
      return nil
    }
    chunksLeft -= 1
    guard var code = try bytes.number(at: offset, bytes: 4), let length = try bytes.littleEndian(at: offset + 4) else {
      return nil
    }
    let isList = [MP4Type("RIFF"), MP4Type("LIST")].contains(MP4Type(code: UInt32(code)))
    let wholeEnd = offset + 8 + length
    let chunkEnd = min(wholeEnd, end)
    var start = offset + 8
    if isList, length >= 4, end - start >= 4, let inner = try bytes.number(at: start, bytes: 4) {
      (code, start) = (inner, start + 4)
    }
    let chunk = RIFFChunk(
      code: MP4Type(code: UInt32(code)), isList: isList, range: offset..<chunkEnd, content: start..<max(start, chunkEnd)
    )
    guard wholeEnd <= end else {
      damage = .cutShort(chunk)
      return nil
    }
    // Chunks begin at even offsets.
    offset = wholeEnd + (length & 1)
    return chunk
  }

  /// A text up to its first zero or line end, of at most 256 bytes.
  mutating func text(_ chunk: RIFFChunk) throws(FormatError) -> String {
    let found = try bytes.bytes(at: chunk.content.lowerBound, count: min(chunk.content.count, 256))
    return String(decoding: found.prefix { $0 >= 0x20 }, as: UTF8.self)
  }
}

extension ByteWindow {
  /// The little-endian number of four bytes at an offset; `nil` past the end.
  ///
  /// - Throws: `FormatError.read`.
  mutating func littleEndian(at offset: UInt64) throws(FormatError) -> UInt64? {
    try number(at: offset, bytes: 4).map { UInt64(UInt32(truncatingIfNeeded: $0).byteSwapped) }
  }
}
