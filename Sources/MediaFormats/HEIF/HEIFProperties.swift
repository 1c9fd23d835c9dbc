// The properties of the items in a HEIF file, and which item has which.

import CameraCore
import Localization

/// The item properties box `iprp`: a list of properties, which items share, and the associations of both.
///
/// Untrusted input: counts are limited, and every number is checked. Changes are refused where it would not be written as it
/// was read.
///
/// Source: ISO/IEC 14496-12, 8.11.14; ISO/IEC 23008-12, 6.5.
struct HEIFProperties: Sendable, Hashable {
  /// One item in an `ipma` box.
  private struct Association {
    var id: UInt32
    /// The numbers of its properties, which count from 1; 0 for none.
    var numbers: [Int]
    /// In the content of the box.
    var range: Range<Int>
  }

  /// Pictures have some ten properties each, and phones' files some fifty pictures.
  private static let mostAssociations = 200_000
  /// In pixels.
  private static let mostPixels = 1 << 24

  /// `ipco`, `ipma`, and others.
  private var parts: [MP4Box]
  /// The content of `ipco`.
  private var list: [MP4Box] = []
  /// The indices in the list, by the items' ids.
  private var associations: [UInt32: [Int]] = [:]
  /// Whether it can be changed.
  private var isPlain: Bool
  /// Whether it isn't as it was read.
  private(set) var areChanged = false

  /// - Parameter content: Of the box; `nil` without one.
  /// - Throws: `FormatError.refused`.
  init(_ content: [UInt8]?) throws(FormatError) {
    parts = try content.map { bytes throws(FormatError) in try MP4Box.boxes(in: bytes[...]) } ?? []
    if let container = parts.first(where: { $0.type == "ipco" }) { list = try MP4Box.boxes(in: container.bytes[...]) }
    isPlain = true
    var left = Self.mostAssociations
    for box in parts where box.type == "ipma" {
      let (found, isWhole) = try Self.associations(in: box, &left)
      if !isWhole { isPlain = false }
      for association in found {
        // A number of none would get a meaning when properties are added.
        if association.numbers.contains(where: { $0 > list.count }) { isPlain = false }
        associations[association.id, default: []] +=
          association.numbers.filter { $0 > 0 && $0 <= list.count }.map { $0 - 1 }
      }
    }
    isPlain = isPlain && content == bytes
  }

  /// - Parameter left: The number of associations that may follow.
  /// - Returns: Also whether they fill the box.
  private static func associations(
    in box: MP4Box, _ left: inout Int
  ) throws(FormatError) -> (found: [Association], isWhole: Bool) {
    var reader = HEIFReader(box.bytes[...])
    let head = try reader.number(4)
    let isLong = head & 1 == 1
    var found: [Association] = []
    for _ in 0..<(try reader.number(4)) {
      let start = box.bytes.count - reader.remaining.count
      let id = UInt32(try reader.number(head >> 24 == 0 ? 2 : 4))
      let count = try reader.number(1)
      left -= Int(count) + 1
      guard left >= 0 else { throw .refused(reason: localized("the file has too many parts")) }
      var numbers: [Int] = []
      for _ in 0..<count {
        // The highest bit says that a reader must know the property.
        numbers.append(Int(try reader.number(isLong ? 2 : 1) & (isLong ? 0x7fff : 0x7f)))
      }
      found.append(Association(id: id, numbers: numbers, range: start..<box.bytes.count - reader.remaining.count))
    }
    return (found, reader.isAtEnd)
  }

  // MARK: Reading

  /// The properties of an item, in order.
  func all(of id: UInt32) -> [MP4Box] { associations[id, default: []].map { list[$0] } }

  /// The largest id that has associations.
  var largestID: UInt32 { associations.keys.max() ?? 0 }

  /// The size of an item's picture as it is shown: its coded size, cropped and turned as its properties say; `nil` when
  /// it states none.
  func size(of id: UInt32) -> PixelSize? {
    let sides = 1...Self.mostPixels
    var size: PixelSize?
    for box in all(of: id) {
      var reader = HEIFReader(box.bytes[...])
      switch box.type {
      case "ispe":
        guard (try? reader.number(4)) != nil, let width = try? reader.number(4), let height = try? reader.number(4)
        else { return nil }
        size = PixelSize(width: Int(width), height: Int(height))
      case "clap":
        let numbers = (0..<4).compactMap { _ in try? reader.number(4) }
        guard numbers.count == 4, numbers[1] > 0, numbers[3] > 0, let whole = size else { continue }
        let cropped = PixelSize(width: Int(numbers[0] / numbers[1]), height: Int(numbers[2] / numbers[3]))
        if cropped.width > 0, cropped.height > 0, cropped.width <= whole.width, cropped.height <= whole.height {
          size = cropped
        }
      case "irot":
        if let turns = try? reader.number(1), turns & 1 == 1 {
          size = size.map { PixelSize(width: $0.height, height: $0.width) }
        }
      default: break
      }
    }
    return size.flatMap { sides.contains($0.width) && sides.contains($0.height) ? $0 : nil }
  }

  /// The size in an item's `ispe`, before cropping and turning; `nil` without one.
  func statedSize(of id: UInt32) -> PixelSize? {
    guard let bytes = property("ispe", of: id), bytes.count >= 12 else { return nil }
    let sides = [4, 8].map { Int(BigEndian.number(bytes, at: $0, count: 4)) }
    return PixelSize(width: sides[0], height: sides[1])
  }

  /// The content of an item's first property of a type.
  func property(_ type: MP4Type, of id: UInt32) -> [UInt8]? {
    all(of: id).first { $0.type == type }?.bytes
  }

  /// The type of an auxiliary picture, a URN; `nil` for another item.
  ///
  /// Source: ISO/IEC 23008-12, 6.5.8 (`auxC`).
  func auxiliaryType(of id: UInt32) -> String? {
    guard let bytes = property("auxC", of: id) else { return nil }
    var reader = HEIFReader(bytes[...])
    guard (try? reader.number(4)) != nil else { return nil }
    return reader.text()
  }

  // MARK: Changing

  /// Gives an item properties; those that are in the list already are shared.
  ///
  /// - Parameters:
  ///   - new: Whether a reader must know each is beside it.
  ///   - id: Larger than all others, whose order the format asks for.
  /// - Throws: `FormatError.refused` when there is no room, or they can't be changed.
  mutating func add(_ new: [(box: MP4Box, isEssential: Bool)], to id: UInt32) throws(FormatError) {
    // libheif 1.15 reads the first `ipma` only.
    guard isPlain, id > largestID, parts.contains(where: { $0.type == "ipco" }),
      parts.count(where: { $0.type == "ipma" }) == 1, let place = parts.firstIndex(where: { $0.type == "ipma" })
    else { throw HEIFDirectory.unusual }
    let head = parts[place].bytes
    let (isLong, hasShortIDs) = (head[3] & 1 == 1, head[0] == 0)
    var entry: [UInt8] = []
    BigEndian.append(UInt64(id), hasShortIDs ? 2 : 4, to: &entry)
    entry.append(UInt8(clamping: new.count))
    for (box, isEssential) in new {
      let index = list.firstIndex(of: box) ?? list.count
      if index == list.count { list.append(box) }
      associations[id, default: []].append(index)
      let mark = isEssential ? isLong ? 0x8000 : 0x80 : 0
      BigEndian.append(UInt64(index + 1 | mark), isLong ? 2 : 1, to: &entry)
    }
    guard list.count <= (isLong ? 0x7fff : 0x7f), new.count <= UInt8.max, !hasShortIDs || id <= UInt32(UInt16.max)
    else {
      throw HEIFDirectory.full
    }
    setCount(by: 1, of: place)
    parts[place].bytes += entry
    areChanged = true
  }

  /// Removes the associations of an item, and the properties at the end of the list that only it has, so that adding and
  /// removing leaves no trace.
  ///
  /// - Throws: `FormatError.refused` when they can't be changed.
  mutating func remove(_ id: UInt32) throws(FormatError) {
    guard isPlain else { throw HEIFDirectory.unusual }
    for place in parts.indices where parts[place].type == "ipma" {
      var left = Self.mostAssociations
      for association in try Self.associations(in: parts[place], &left).found.reversed() where association.id == id {
        parts[place].bytes.removeSubrange(association.range)
        setCount(by: -1, of: place)
      }
    }
    let removed = Set(associations.removeValue(forKey: id) ?? [])
    let kept = Set(associations.values.joined())
    while let last = list.indices.last, removed.contains(last), !kept.contains(last) { list.removeLast() }
    areChanged = true
  }

  /// Changes the number of associations that a box states.
  private mutating func setCount(by change: Int64, of place: Int) {
    let count = Int64(BigEndian.number(parts[place].bytes, at: 4, count: 4)) + change
    parts[place].bytes.replaceSubrange(4..<8, with: BigEndian.words(UInt64(count)))
  }

  /// Removes texts and the names of places. Each property keeps its number, by which pictures have it.
  ///
  /// - Parameter places: The names that are taken out of color profiles.
  mutating func dropTexts(naming places: PlaceNames) throws(FormatError) {
    list = list.map { Self.plain($0, places) }
    let first = parts.firstIndex { $0.type == "ipco" }
    for index in parts.indices where parts[index].type == "ipco" && index != first {
      let others = try MP4Box.boxes(in: parts[index].bytes[...])
      parts[index].bytes = Self.written(others.map { Self.plain($0, places) })
    }
    areChanged = !parts.isEmpty
  }

  /// A property without texts: user descriptions (ISO/IEC 23008-12, 6.5.20), boxes of other programs, and the names of
  /// places in color profiles.
  private static func plain(_ box: MP4Box, _ places: PlaceNames) -> MP4Box {
    switch box.type {
    // Four empty texts: language, name, description, tags.
    case "udes": return MP4Box(box.type, [0, 0, 0, 0, 0, 0, 0, 0])
    case "uuid": return MP4Box(box.type, Array(box.bytes.prefix(16)))
    case "free", "skip": return MP4Box(box.type, [])
    case "colr":
      guard ["prof", "rICC"].contains(String(decoding: box.bytes.prefix(4), as: UTF8.self)) else { return box }
      let profile = places.cleaned(colorProfile: Array(box.bytes.dropFirst(4)))
      return profile.map { MP4Box(box.type, Array(box.bytes.prefix(4)) + $0) } ?? MP4Box("free", [])
    default: return box
    }
  }

  private static func written(_ boxes: [MP4Box]) -> [UInt8] {
    var result: [UInt8] = []
    for box in boxes { box.write(to: &result) }
    return result
  }

  /// The content of the box.
  var bytes: [UInt8] {
    var parts = parts
    if let container = parts.firstIndex(where: { $0.type == "ipco" }) {
      parts[container] = MP4Box("ipco", Self.written(list))
    }
    return Self.written(parts)
  }
}
