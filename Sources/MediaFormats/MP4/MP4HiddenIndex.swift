// The index of a fragmented movie, hidden by a muxer that was interrupted while it wrote another one.

/// The way back to a movie in fragments.
///
/// GStreamer's `mp4mux` (`fragment-mode=first-moov-then-finalise`) ends a file in three steps: it renames the `moov` of
/// the first fragment to `hoov`, makes the first `mdat` as long as everything that was written, and writes an index of all
/// samples behind it. A kill or a full disk in between leaves a file without an index, although its fragments are whole:
///
///     ftyp, free, mdat [samples, hoov, free, mdat, moof, …], moov or a part of it
///
/// Giving the first `mdat` its length again (it ends where the hidden box begins) and that box its name makes it what it
/// was. The steps may have reached the disk in any order, or only some of them.
///
///     if let hidden = try MP4HiddenIndex(file) { for patch in hidden.patches { … } }
///
/// Untrusted input: every length is checked, and the search has a limit.
public struct MP4HiddenIndex: Hashable, Sendable {
  /// Bytes to be overwritten.
  public struct Patch: Hashable, Sendable {
    public var offset: UInt64
    public var bytes: [UInt8]
  }

  /// What has to be written, in this order. A movie with only some of it written has a hidden index still.
  public private(set) var patches: [Patch] = []

  /// In bytes. The first fragment is a quarter of a second long.
  static let searchLimit: UInt64 = 256 << 20
  private static let largestBoxCount = 8_000_000

  /// Looks for the hidden index.
  ///
  /// - Returns: `nil` when the movie has an index, or no hidden one is found.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: Self.largestBoxCount)
    var media: (start: UInt64, content: Range<UInt64>)?
    while let box = try walker.next() {
      switch box.type {
      case "moov":
        return nil
      case "hoov":
        // Only its name is missing.
        patches.append(Self.name(at: box.range.lowerBound))
        return
      case "mdat" where media == nil:
        // The first one gets its length with its fragment's description: before that nothing is hidden.
        if box.isOpenEnded { return nil }
        media = (box.range.lowerBound, box.content)
      default: break
      }
    }
    if media == nil, case .cutShort(let offset)? = walker.damage {
      media = try Self.tornMedia(at: offset, &walker.bytes, source.count)
    }
    guard let media, let index = try Self.index(in: media.content, source) else { return nil }
    let isLong = media.content.lowerBound - media.start == 16
    let length = index - media.start
    guard isLong || length <= UInt64(UInt32.max) else { return nil }
    patches = [
      Patch(offset: media.start + (isLong ? 8 : 0), bytes: Self.bytes(length, count: isLong ? 8 : 4)),
      Self.name(at: index),
    ]
  }

  private static func name(at box: UInt64) -> Patch { Patch(offset: box + 4, bytes: Array("moov".utf8)) }

  private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// The first `mdat`, of which the end is missing.
  private static func tornMedia(
    at offset: UInt64, _ window: inout ByteWindow, _ end: UInt64
  ) throws(FormatError) -> (start: UInt64, content: Range<UInt64>)? {
    guard try window.begins(with: "mdat", at: offset + 4) else { return nil }
    let head: UInt64 = try window.number(at: offset, bytes: 4) == 1 ? 16 : 8
    guard end - offset > head else { return nil }
    return (offset, offset + head..<end)
  }

  /// The offset of the description among the samples.
  private static func index(in range: Range<UInt64>, _ source: any ByteSource) throws(FormatError) -> UInt64? {
    let end = min(range.upperBound, range.lowerBound + searchLimit)
    var window = ByteWindow(source)
    var offset = range.lowerBound
    /// Of pieces that are searched; they overlap by a box's head.
    let (step, overlap) = (1 << 20, 8)
    while offset < end {
      let piece = try source.prefix(at: offset, count: Int(min(UInt64(step + overlap), end - offset)))
      for found in names(in: piece) {
        let box = offset + UInt64(found)
        if try isIndex(at: box, end: range.upperBound, &window) { return box }
      }
      offset += UInt64(step)
    }
    return nil
  }

  /// The offsets of what may be boxes of that name.
  private static func names(in piece: [UInt8]) -> [Int] {
    piece.withUnsafeBufferPointer { piece in
      guard piece.count >= 8 else { return [] }
      var found: [Int] = []
      for at in 4...piece.count - 4 where piece[at + 3] == 0x76 {
        // “hoov”, “moov”
        if piece[at + 1] == 0x6f, piece[at + 2] == 0x6f, piece[at] == 0x68 || piece[at] == 0x6d { found.append(at - 4) }
      }
      return found
    }
  }

  /// Whether a movie's description begins there: with its header inside, and with a box behind it.
  private static func isIndex(
    at offset: UInt64, end: UInt64, _ window: inout ByteWindow
  ) throws(FormatError) -> Bool {
    guard let length = try window.number(at: offset, bytes: 4), length >= 16, length <= end - offset,
      try window.begins(with: "mvhd", at: offset + 12)
    else { return false }
    let next = offset + length
    if next == end { return true }
    for name: StaticString in ["free", "mdat", "moof"] where try window.begins(with: name, at: next + 4) { return true }
    return false
  }
}
