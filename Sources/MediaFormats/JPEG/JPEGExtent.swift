// The bytes of a JPEG file that belong to its pictures, without what a phone has put behind them.

import Foundation

/// The end of a file's picture, and of the further pictures that its index names.
///
/// Behind EOI there may be gain maps and previews (CIPA DC-007, “MPF”), and anything that a maker appends: movies, sounds,
/// logs. A copy that has to be a picture and nothing else keeps the pictures that the index names when they follow at once,
/// each from SOI to EOI, and with nothing but zeros in between. All else is left out.
public struct JPEGExtent: Sendable, Hashable {
  /// The result of walking from SOI to EOI.
  public enum Walk: Sendable, Hashable {
    /// EOI ends at this offset.
    case complete(end: UInt64)
    /// The bytes end before EOI, or another picture begins.
    case cutShort
    /// The bytes at this offset are not allowed there.
    case damaged(at: UInt64)
  }

  /// Behind EOI of the first picture.
  public var end: UInt64
  /// Behind the last of the pictures that are kept: `end` when there are no others, or they can't be kept.
  public var endOfPictures: UInt64
  /// Whether an index names further pictures.
  public var namesPictures: Bool
  /// The further pictures that are kept, in order, with the zeros behind them.
  public var others: [Range<UInt64>] = []

  /// Whether the index names pictures that a copy up to `endOfPictures` doesn't have.
  public var losesPictures: Bool { namesPictures && endOfPictures == end }

  private static let mostPictures = 64
  /// Zeros between two pictures, in bytes.
  private static let longestGap: UInt64 = 64 << 10

  /// The end of a picture whose bytes begin in front of a scan, behind EOI; `nil` when EOI isn't among them.
  ///
  /// - Parameter bytes: Scans with the segments between them, and what follows.
  public static func end(ofScans bytes: Data) -> Int? {
    bytes.withUnsafeBytes { bytes in
      var at = 0
      while at + 1 < bytes.count {
        guard bytes[at] == 0xff else {
          at += 1
          continue
        }
        switch bytes[at + 1] {
        // A byte of the scan, filling, and restarts.
        case 0x00, 0xd0...0xd7: at += 2
        case 0xff: at += 1
        case 0xd9: return at + 2
        default:
          guard at + 3 < bytes.count else { return nil }
          at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
        }
      }
      return nil
    }
  }

  /// Walks a file from SOI to EOI, and through its further pictures.
  ///
  /// - Parameter limit: The offset at which a movie or a trailer begins, or the file ends.
  /// - Returns: `nil` when the first picture has no end before the limit, or is damaged.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, upTo limit: UInt64) throws(FormatError) {
    var index: Range<UInt64>?
    let walk = try Self.walk(source, from: 0, upTo: limit) { index = index ?? $0 }
    guard case .complete(let end) = walk else { return nil }
    (self.end, endOfPictures, namesPictures) = (end, end, index != nil)
    guard let index else { return }
    let payload = try source.prefix(at: index.lowerBound, count: index.count)
    guard let others = MultiPictureIndex.others(payload), others.count <= Self.mostPictures else { return }
    // Offsets count from the block's own byte order mark.
    let base = index.lowerBound + UInt64(MultiPictureIndex.identifierLength)
    var position = end
    var kept: [Range<UInt64>] = []
    for other in others.sorted(by: { $0.offset < $1.offset }) {
      let start = base + UInt64(other.offset)
      guard other.size > 0, start >= position, start <= limit, UInt64(other.size) <= limit - start,
        try Self.isZeros(source, position..<start),
        case .complete(let end) = try Self.walk(source, from: start, upTo: start + UInt64(other.size)),
        try Self.isZeros(source, end..<start + UInt64(other.size))
      else { return }
      position = start + UInt64(other.size)
      kept.append(start..<position)
    }
    endOfPictures = position
    self.others = kept
  }

  /// The pictures behind the first one, wherever they are.
  public struct FurtherPictures: Sendable, Hashable {
    /// The offsets of their SOI markers, in order.
    public var starts: [UInt64] = []
    /// Whether there may be others: one is damaged, or the index can't be read or names something else.
    public var mayHaveOthers = false
  }

  /// Finds the pictures behind the first one: those that follow one another with nothing but zeros in between, also where
  /// one is cut short, and those that the index names.
  ///
  /// - Parameter limit: The offset at which a movie or a trailer begins, or the file ends.
  /// - Throws: `FormatError.read`.
  public static func furtherPictures(
    in source: any ByteSource, upTo limit: UInt64
  ) throws(FormatError) -> FurtherPictures {
    var indices: [Range<UInt64>] = []
    var known: [Range<UInt64>] = []
    var found = FurtherPictures()
    /// - Returns: The offset at which others may follow; `nil` without one.
    func add(_ start: UInt64) throws(FormatError) -> UInt64? {
      var following: UInt64?
      switch try walk(source, from: start, upTo: limit, another: { following = $0 }) {
      case .complete(let end):
        found.starts.append(start)
        known.append(start..<end)
        return end
      case .cutShort:
        found.starts.append(start)
        known.append(start..<start + 2)
      case .damaged: found.mayHaveOthers = true
      }
      return following
    }
    var next: UInt64?
    if case .complete(let end) = try walk(
      source, from: 0, upTo: limit, index: { indices.append($0) }, another: { next = $0 })
    {
      known.append(0..<end)
      next = end
    }
    while let end = next, end < limit, known.count <= mostPictures {
      let gap = try source.prefix(at: end, count: Int(min(longestGap, limit - end))).prefix { $0 == 0 }.count
      let start = end + UInt64(gap)
      guard start + 2 <= limit, try source.prefix(at: start, count: 2).elementsEqual([0xff, JPEGMarker.startOfImage])
      else { break }
      next = try add(start)
    }
    for index in indices {
      let payload = try source.prefix(at: index.lowerBound, count: index.count)
      guard let others = MultiPictureIndex.others(payload), others.count <= mostPictures else {
        found.mayHaveOthers = true
        continue
      }
      for other in others {
        let start = index.lowerBound + UInt64(MultiPictureIndex.identifierLength) + UInt64(other.offset)
        guard start < limit, !known.contains(where: { $0.contains(start) }) else { continue }
        _ = try add(start)
      }
    }
    found.mayHaveOthers = found.mayHaveOthers || known.count > mostPictures
    found.starts.sort()
    return found
  }

  private static func isZeros(_ source: any ByteSource, _ range: Range<UInt64>) throws(FormatError) -> Bool {
    guard range.upperBound - range.lowerBound <= longestGap else { return false }
    return try source.prefix(at: range.lowerBound, count: range.count).allSatisfy { $0 == 0 }
  }

  // MARK: Walking

  /// In bytes.
  private static let pieceLength = 1 << 18

  /// Walks one picture from SOI to EOI. Nothing is decoded; memory is one buffer.
  ///
  /// - Parameters:
  ///   - start: The offset of SOI.
  ///   - limit: No byte behind it is read.
  ///   - index: Called with the payload of each index of further pictures.
  ///   - another: Called with the offset of the SOI of another picture, where that cuts this one short.
  /// - Throws: `FormatError.read`.
  public static func walk(
    _ source: any ByteSource, from start: UInt64, upTo limit: UInt64, index: (Range<UInt64>) -> Void = { _ in },
    another: (UInt64) -> Void = { _ in }
  ) throws(FormatError) -> Walk {
    var window = ByteWindow(source)
    guard limit >= start + 2, try window.number(at: start, bytes: 2) == 0xffd8 else { return .damaged(at: start) }
    var offset = start + 2
    var hasScan = false
    while true {
      guard offset + 2 <= limit, let first = try window.byte(at: offset) else { return .cutShort }
      if first != 0xff {
        // Decoders skip garbage between a scan and the next marker.
        guard hasScan, let next = try scanEnd(source, from: offset, upTo: limit) else {
          return hasScan ? .cutShort : .damaged(at: offset)
        }
        offset = next
        continue
      }
      guard let code = try window.byte(at: offset + 1) else { return .cutShort }
      switch code {
      case 0xff:
        offset += 1
      case JPEGMarker.endOfImage:
        return hasScan ? .complete(end: offset + 2) : .damaged(at: offset)
      case JPEGMarker.startOfImage:
        another(offset)
        return .cutShort
      case 0x01, 0xd0...0xd7:
        offset += 2
      case ..<0xc0:
        return .damaged(at: offset)
      default:
        guard let length = try window.number(at: offset + 2, bytes: 2) else { return .cutShort }
        guard length >= 2 else { return .damaged(at: offset + 2) }
        let payload = offset + 4
        offset += 2 + length
        guard offset <= limit else { return .cutShort }
        if code == JPEGMarker.app2, !hasScan, try window.begins(with: "MPF\0", at: payload) { index(payload..<offset) }
        if code == JPEGMarker.startOfScan {
          hasScan = true
          guard let next = try scanEnd(source, from: offset, upTo: limit) else { return .cutShort }
          offset = next
        }
      }
    }
  }

  /// Skips entropy-coded data with stuffed zeros and restart markers.
  ///
  /// - Returns: The offset of the next marker; `nil` when there is none.
  private static func scanEnd(
    _ source: any ByteSource, from start: UInt64, upTo limit: UInt64
  ) throws(FormatError) -> UInt64? {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
    defer { piece.deallocate() }
    var offset = start
    while offset + 1 < limit {
      let wanted = Int(min(UInt64(piece.count), limit - offset))
      let count: Int
      do throws(ReadFailure) {
        count = try source.fill(UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]), from: offset)
      } catch {
        throw .read(error)
      }
      guard count >= 2, let base = piece.baseAddress else { return nil }
      var at = 0
      while at + 1 < count, let found = memchr(base + at, 0xff, count - 1 - at) {
        at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        if piece[at + 1] >= 0xc0, !(0xd0...0xd7).contains(piece[at + 1]), piece[at + 1] != 0xff {
          return offset + UInt64(at)
        }
        at += 1
      }
      // The last byte may be the first of a marker.
      offset += UInt64(count - 1)
    }
    return nil
  }
}
