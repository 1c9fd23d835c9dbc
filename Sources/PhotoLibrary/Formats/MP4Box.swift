// The description of a movie as a tree of boxes that can be changed and written again, believing none of its lengths.

import Foundation

/// Why a movie can't be written anew; the text ends a sentence about its file.
struct MP4Refusal: Error, Hashable, Sendable {
  var reason: String
}

/// The four letters of a box.
struct MP4Type: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  var code: UInt32

  init(code: UInt32) { self.code = code }

  /// - Parameter value: Of Latin-1 letters, as `©xyz`.
  init(stringLiteral value: String) { code = value.unicodeScalars.reduce(0) { $0 << 8 | $1.value & 0xff } }

  var description: String {
    String(String.UnicodeScalarView([24, 16, 8, 0].map { UnicodeScalar(UInt8(truncatingIfNeeded: code >> $0)) }))
  }
}

/// A box of ISO/IEC 14496-12 or QuickTime: four letters, and either bytes or other boxes.
struct MP4Box: Sendable, Hashable {
  var type: MP4Type
  /// What the box holds; of a container, what stands in front of the boxes in it.
  var bytes: [UInt8] = []
  /// The boxes in it; `nil` when it isn't a container.
  var children: [MP4Box]?

  init(_ type: MP4Type, _ bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

  init(_ type: MP4Type, children: [MP4Box]) { (self.type, self.children) = (type, children) }

  /// What is read as boxes of boxes. All else stays as it is, byte for byte.
  private static let containers: Set<MP4Type> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "mvex", "udta", "tref",
  ]
  /// The deepest of them is the fifth.
  private static let deepest = 6
  /// More boxes than any recorder writes into a description is an attempt to keep us busy.
  private static let mostBoxes = 20_000

  /// Reads the boxes that fill a stretch of bytes.
  static func boxes(in bytes: ArraySlice<UInt8>) throws(MP4Refusal) -> [MP4Box] {
    var left = mostBoxes
    return try boxes(in: bytes, depth: 0, &left)
  }

  private static func boxes(
    in bytes: ArraySlice<UInt8>, depth: Int, _ left: inout Int
  ) throws(MP4Refusal) -> [MP4Box] {
    var boxes: [MP4Box] = []
    var at = bytes.startIndex
    // QuickTime may end a list with four zeros; what is shorter than a box is no box.
    while bytes.endIndex - at >= 8 {
      guard left > 0 else { throw MP4Refusal(reason: "its movie is described in too many parts") }
      left -= 1
      var length = Int(MP4Bytes.number(bytes, at: at, count: 4))
      var head = 8
      if length == 1, bytes.endIndex - at >= 16 {
        length = Int(clamping: MP4Bytes.number(bytes, at: at + 8, count: 8))
        head = 16
      } else if length == 0 {
        length = bytes.endIndex - at
      }
      guard length >= head, length <= bytes.endIndex - at else { throw .damaged }
      let type = MP4Type(code: UInt32(MP4Bytes.number(bytes, at: at + 4, count: 4)))
      let content = bytes[at + head..<at + length]
      if containers.contains(type), depth < deepest {
        boxes.append(MP4Box(type, children: try self.boxes(in: content, depth: depth + 1, &left)))
      } else {
        boxes.append(MP4Box(type, Array(content)))
      }
      at += length
    }
    return boxes
  }

  /// With its head, in bytes.
  var count: Int { 8 + bytes.count + (children ?? []).reduce(0) { $0 + $1.count } }

  /// Adds the box to the end of `target`.
  func write(to target: inout [UInt8]) {
    // A description is read whole, so it is far below 4 GiB.
    MP4Bytes.append(UInt64(count), 4, to: &target)
    MP4Bytes.append(UInt64(type.code), 4, to: &target)
    target += bytes
    for child in children ?? [] { child.write(to: &target) }
  }

  // MARK: Finding

  /// The first box of a type in this one.
  subscript(_ type: MP4Type) -> MP4Box? {
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
  func child(_ path: MP4Type...) -> MP4Box? { path.reduce(self) { $0?[$1] } }

  /// Changes each box of a type in this one.
  mutating func changeAll<Failure: Error>(
    _ type: MP4Type, _ change: (inout MP4Box) throws(Failure) -> Void
  ) throws(Failure) {
    guard var boxes = children else { return }
    for index in boxes.indices where boxes[index].type == type { try change(&boxes[index]) }
    children = boxes
  }

  /// Keeps the boxes in this one for which it is true.
  mutating func keep(_ isKept: (MP4Box) -> Bool) { children?.removeAll { !isKept($0) } }

  // MARK: Numbers

  /// A number, highest byte first; throws past the end.
  func number(at offset: Int, _ count: Int) throws(MP4Refusal) -> UInt64 {
    guard offset >= 0, bytes.count - count >= offset else { throw .damaged }
    return MP4Bytes.number(bytes[...], at: offset, count: count)
  }

  /// Writes a number over another; nothing past the end.
  mutating func setNumber(_ number: UInt64, at offset: Int, _ count: Int) {
    guard offset >= 0, bytes.count - count >= offset else { return }
    for index in 0..<count {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - index)))
    }
  }

  /// Of a box with version and flags: whether its times have 64 bits.
  var isLong: Bool { bytes.first == 1 }
}

extension MP4Refusal {
  /// The boxes contradict each other.
  static let damaged = MP4Refusal(reason: "its movie is damaged")
}

/// Numbers as movies hold them: highest byte first.
enum MP4Bytes {
  /// The caller has checked that there are as many bytes.
  static func number(_ bytes: ArraySlice<UInt8>, at offset: Int, count: Int) -> UInt64 {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }

  /// Numbers of four bytes each, one after another.
  static func words(_ numbers: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { append(number, 4, to: &bytes) }
    return bytes
  }

  /// Numbers of two bytes each.
  static func halves(_ numbers: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { append(number, 2, to: &bytes) }
    return bytes
  }

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
