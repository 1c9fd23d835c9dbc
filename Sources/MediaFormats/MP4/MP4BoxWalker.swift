// The walk over the boxes of a movie, in memory or in a file.

import Localization

/// The head of a box: its type and the ranges that it takes.
public struct MP4BoxHead: Hashable, Sendable {
  public var type: MP4Type
  /// With its head, in the offsets of the reader.
  public var range: Range<UInt64>
  /// Without its head.
  public var content: Range<UInt64>
  /// Whether its size is 0, which means that it reaches to the end of what holds it.
  public var isOpenEnded: Bool

  /// Zeros, which some recorders leave at the end of a file.
  public var isPadding: Bool { isOpenEnded && type.code == 0 }
}

/// The reason why a walk over boxes ended before the end.
public enum MP4Damage: Hashable, Sendable {
  /// The box at this offset is longer than what holds it.
  case cutShort(at: UInt64)
  /// The box at this offset is shorter than its own head.
  case impossible(at: UInt64)
  /// There are more boxes than the limit.
  case tooMany(at: UInt64)
}

extension FormatError {
  /// The boxes of a movie contradict each other.
  static var damagedMovie: FormatError { .refused(reason: localized("the video is damaged")) }
  /// A movie, or a box in it, ends before it should.
  static var truncatedMovie: FormatError { .refused(reason: localized("the video is incomplete")) }
}

/// Walks the boxes that follow each other in a range of bytes (ISO/IEC 14496-12, 4.2), and into those that its user enters.
///
///     var walker = MP4BoxWalker(ByteWindow(file), in: 0..<file.count, limit: 20_000)
///     while let box = try walker.next() {
///       if box.type == "moov" { walker.enter(box) }
///     }
///     if let damage = walker.damage { … }
///
/// Untrusted input: every length is checked against the range, and the number of boxes is limited, because a file made of
/// empty boxes would keep us busy for hours. Every step moves forward by at least eight bytes or enters a box.
public struct MP4BoxWalker<Bytes: BigEndianReader> {
  /// The reader, also for the contents of boxes.
  public var bytes: Bytes
  /// The reason why the walk ended; `nil` at the end of the range.
  public private(set) var damage: MP4Damage?
  private var offset: UInt64
  private var end: UInt64
  /// The ends of the boxes around the one that was entered last.
  private var outerEnds: [UInt64] = []
  private var boxesLeft: Int

  /// - Parameter limit: The most boxes that are read.
  public init(_ bytes: Bytes, in range: Range<UInt64>, limit: Int) {
    self.bytes = bytes
    (offset, end) = (range.lowerBound, range.upperBound)
    boxesLeft = limit
  }

  /// The number of boxes that are entered and not yet left.
  public var depth: Int { outerEnds.count }

  /// The next box; `nil` at the end, which is also where less than a box's head is left.
  ///
  /// - Throws: When the reader can't read.
  public mutating func next() throws(Bytes.Failure) -> MP4BoxHead? {
    // QuickTime may end a list with four zeros.
    while offset >= end || end - offset < 8, let outer = outerEnds.popLast() { (offset, end) = (end, outer) }
    guard damage == nil, end > offset, end - offset >= 8 else { return nil }
    guard boxesLeft > 0 else { return stop(.tooMany(at: offset)) }
    boxesLeft -= 1
    guard var length = try bytes.number(at: offset, bytes: 4), let code = try bytes.number(at: offset + 4, bytes: 4)
    else { return stop(.cutShort(at: offset)) }
    let isOpenEnded = length == 0
    var head: UInt64 = 8
    if length == 1 {
      guard let long = try bytes.number(at: offset + 8, bytes: 8) else { return stop(.cutShort(at: offset)) }
      (length, head) = (long, 16)
    } else if isOpenEnded {
      length = end - offset
    }
    guard length >= head else { return stop(.impossible(at: offset)) }
    guard length <= end - offset else { return stop(.cutShort(at: offset)) }
    let range = offset..<offset + length
    offset += length
    return MP4BoxHead(
      type: MP4Type(code: UInt32(truncatingIfNeeded: code)), range: range,
      content: range.lowerBound + head..<range.upperBound, isOpenEnded: isOpenEnded)
  }

  /// Continues with the boxes inside a box, which `next` has just returned, and then behind it.
  public mutating func enter(_ box: MP4BoxHead) {
    outerEnds.append(end)
    (offset, end) = (box.content.lowerBound, box.content.upperBound)
  }

  /// Lowers the number of boxes that may still be read.
  mutating func limit(to count: Int) { boxesLeft = min(boxesLeft, count) }

  private mutating func stop(_ damage: MP4Damage) -> MP4BoxHead? {
    self.damage = damage
    return nil
  }
}
