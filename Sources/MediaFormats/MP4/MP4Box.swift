// A movie's boxes as a tree that can be changed and written again.

import Foundation
import Localization

/// A box of ISO/IEC 14496-12 or QuickTime: a type, and either bytes or other boxes.
public struct MP4Box: Sendable, Hashable {
  public var type: MP4Type
  /// The content of a box that isn't a container.
  public var bytes: [UInt8] = []
  /// The boxes in a container; `nil` for a box of bytes.
  public var children: [MP4Box]?
  /// What follows the boxes in a container and is shorter than a box, such as the four zeros that may end QuickTime's user
  /// data.
  var padding: [UInt8] = []

  public init(_ type: MP4Type, _ bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

  public init(_ type: MP4Type, children: [MP4Box]) { (self.type, self.children) = (type, children) }

  /// The boxes that are read as containers. All others stay as they are, byte for byte.
  private static let containers: Set<MP4Type> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "mvex", "udta", "tref",
  ]
  /// The deepest container is the fifth.
  private static let deepest = 6
  /// No recorder writes as many boxes into a description; a file with more is an attack.
  private static let mostBoxes = 20_000

  /// Parses the boxes that fill a range of bytes. Untrusted input: every length is checked.
  ///
  /// - Throws: `FormatError.refused` when they contradict each other or are too many.
  public static func boxes(in bytes: ArraySlice<UInt8>) throws(FormatError) -> [MP4Box] {
    var left = mostBoxes
    let (boxes, damage) = read(bytes, depth: 0, &left)
    if let damage { throw damage }
    return boxes
  }

  /// What follows the boxes in a range of bytes that `boxes(in:)` can parse, and is shorter than a box.
  static func padding(in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var end = UInt64(bytes.startIndex)
    var walker = MP4BoxWalker(MemoryReader(bytes), in: end..<UInt64(bytes.endIndex), limit: mostBoxes)
    while let head = walker.next() { end = head.range.upperBound }
    let rest = bytes[Int(end)...]
    return walker.damage == nil && rest.count < 8 ? Array(rest) : []
  }

  /// Parses boxes up to the first damage, and not those in them.
  ///
  /// - Returns: The boxes, and the bytes behind them.
  static func readable(in bytes: ArraySlice<UInt8>) -> (boxes: [MP4Box], rest: ArraySlice<UInt8>) {
    var boxes: [MP4Box] = []
    var end = bytes.startIndex
    var walker = MP4BoxWalker(
      MemoryReader(bytes), in: UInt64(end)..<UInt64(bytes.endIndex), limit: mostBoxes)
    while let head = walker.next() {
      boxes.append(MP4Box(head.type, Array(bytes[Int(head.content.lowerBound)..<Int(head.content.upperBound)])))
      end = Int(head.range.upperBound)
    }
    return (boxes, bytes[end...])
  }

  /// Parses the content of a `moov` box in which tracks may be damaged, so that the others can be used.
  ///
  /// - Returns: The boxes without damaged tracks, and the errors of those by media type.
  /// - Throws: `FormatError.refused` when anything else is damaged, or a track whose media type isn't known.
  static func movie(
    in bytes: ArraySlice<UInt8>
  ) throws(FormatError) -> (boxes: [MP4Box], damagedTracks: [MP4Type: FormatError]) {
    var left = mostBoxes
    var damagedTracks: [MP4Type: FormatError] = [:]
    let (boxes, damage) = read(bytes, depth: 0, &left) { track, damage in
      guard let handler = track.handler else { return false }
      damagedTracks[handler] = damage
      return true
    }
    if let damage { throw damage }
    return (boxes, damagedTracks)
  }

  /// Parses as much as can be read.
  ///
  /// - Parameter leavesOut: Called with a damaged container and its damage, for containers in `bytes` itself; whether
  ///   to leave out both.
  /// - Returns: The readable boxes, and the first damage.
  private static func read(
    _ bytes: ArraySlice<UInt8>, depth: Int, _ left: inout Int,
    leavesOut: (MP4Box, FormatError) -> Bool = { _, _ in false }
  ) -> (boxes: [MP4Box], damage: FormatError?) {
    var boxes: [MP4Box] = []
    var damage: FormatError?
    var walker = MP4BoxWalker(
      MemoryReader(bytes), in: UInt64(bytes.startIndex)..<UInt64(bytes.endIndex), limit: left)
    while let head = walker.next() {
      left -= 1
      let content = bytes[Int(head.content.lowerBound)..<Int(head.content.upperBound)]
      guard containers.contains(head.type), depth < deepest else {
        boxes.append(MP4Box(head.type, Array(content)))
        continue
      }
      let inner = read(content, depth: depth + 1, &left)
      walker.limit(to: left)
      var box = MP4Box(head.type, children: inner.boxes)
      if inner.damage == nil { box.padding = padding(in: content) }
      if inner.damage != nil, head.type == "udta" {
        // Some recorders put other things than boxes into the user data, which no player needs.
        boxes.append(MP4Box(head.type, Array(content)))
      } else if let found = inner.damage, leavesOut(box, found) {
        continue
      } else {
        boxes.append(box)
        damage = damage ?? inner.damage
      }
    }
    switch walker.damage {
    case nil: break
    case .tooMany: damage = damage ?? .refused(reason: localized("the video’s index has too many parts"))
    case .cutShort, .impossible: damage = damage ?? .damagedMovie
    }
    return (boxes, damage)
  }

  /// The number of bytes that it takes, head included.
  public var count: Int { 8 + bytes.count + (children ?? []).reduce(0) { $0 + $1.count } + padding.count }

  /// The whole box.
  var written: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Appends the box to `target`.
  public func write(to target: inout [UInt8]) {
    // Descriptions are held in memory, so they are far below 4 GiB.
    BigEndian.append(UInt64(count), 4, to: &target)
    BigEndian.append(UInt64(type.code), 4, to: &target)
    target += bytes
    for child in children ?? [] { child.write(to: &target) }
    target += padding
  }

  // MARK: Finding

  /// The first child of a type. Setting `nil` removes it; setting a box without a predecessor appends it.
  public subscript(_ type: MP4Type) -> MP4Box? {
    get { children?.first { $0.type == type } }
    set {
      guard let index = children?.firstIndex(where: { $0.type == type }) else {
        if let newValue { children = (children ?? []) + [newValue] }
        return
      }
      if let newValue { children?[index] = newValue } else { children?.remove(at: index) }
    }
  }

  /// The first box along a path of types.
  public func child(_ path: MP4Type...) -> MP4Box? { path.reduce(self) { $0?[$1] } }

  /// Changes each child of a type.
  ///
  /// - Throws: What the closure throws.
  public mutating func changeAll<Failure: Error>(
    _ type: MP4Type, _ change: (inout MP4Box) throws(Failure) -> Void
  ) throws(Failure) {
    guard var boxes = children else { return }
    for index in boxes.indices where boxes[index].type == type { try change(&boxes[index]) }
    children = boxes
  }

  /// Keeps the children for which the closure returns true.
  public mutating func keep(_ isKept: (MP4Box) -> Bool) { children?.removeAll { !isKept($0) } }

  // MARK: Numbers

  /// A big-endian number in the bytes.
  ///
  /// - Throws: `FormatError.refused` past the end.
  public func number(at offset: Int, _ count: Int) throws(FormatError) -> UInt64 {
    guard offset >= 0, bytes.count - count >= offset else { throw .damagedMovie }
    return BigEndian.number(bytes[...], at: offset, count: count)
  }

  /// Overwrites a number; does nothing past the end.
  public mutating func setNumber(_ number: UInt64, at offset: Int, _ count: Int) {
    guard offset >= 0, bytes.count - count >= offset else { return }
    for index in 0..<count {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - index)))
    }
  }

  /// Whether the times of a box with version and flags have 64 bits.
  var isLong: Bool { bytes.first == 1 }
}
