// The writes that make a recording in fragments an ordinary MP4.

/// Turns a movie in fragments into an ordinary one in place, without moving a sample.
///
/// A recorder begins its file with `ftyp`, an empty `free` box and `mdat`, and follows it with an index of the beginning and
/// with fragments. An index of all samples goes behind the last whole fragment, and then one `mdat` box with a length of 64
/// bits takes the place of `free` and `mdat`, and covers all up to that index: media, the first index and the fragments.
///
/// The writes have to reach the disk in their order. Between any two of them the file plays: until the last one, which
/// changes 16 bytes, it is a movie in fragments with something behind them, and repeating all of them completes it.
public struct MP4Defragmentation: Sendable {
  /// The length that the file is cut to first: what is behind the last whole fragment can't be played.
  public let length: UInt64
  /// The index, to be written at `length`.
  public let description: [UInt8]
  /// The head of the media, to be written at `headOffset` when the index is on the disk.
  public let head: [UInt8]
  public let headOffset: UInt64

  /// Plans the writes.
  ///
  /// - Returns: `nil` for an ordinary movie, and for one whose tracks or layout don't allow it, which stays as it is.
  /// - Throws: `FormatError.read`.
  public init?(_ index: MP4Index) throws(FormatError) {
    guard let end = index.fragmentsEnd, let kind = index.fileType, index.isComplete else { return nil }
    let start = UInt64(kind.count)
    var walker = MP4BoxWalker(ByteWindow(index.source), in: start..<end, limit: 2)
    guard let space = try walker.next(), space.type == "free", space.range.count == 8, let media = try walker.next(),
      media.type == "mdat", media.content.lowerBound == start + 16
    else { return nil }
    (length, headOffset) = (end, start)
    description = index.ordinaryDescription
    var head = BigEndian.words(1) + Array("mdat".utf8)
    BigEndian.append(end - start, 8, to: &head)
    self.head = head
  }
}
