// The directory of a HEIF file: its items, their properties, and what they say about each other.

import CameraCore
import Localization

/// The content of the `meta` box of a HEIF file.
///
/// Untrusted input: every length and count is checked. Boxes that aren't needed stay as they are, byte for byte, and a
/// directory that would not be written as it was read refuses changes.
///
/// Source: ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12.
struct HEIFDirectory: Sendable, Hashable {
  /// One item.
  struct Item: Sendable, Hashable {
    var id: UInt32
    /// `hvc1`, `av01`, `grid`, `Exif`, `mime`, …; 0 for the forms of old files.
    var type: MP4Type
    /// The MIME type of an item of the type `mime`.
    var contentType: String
    /// The whole `infe` box.
    var box: [UInt8]
  }

  /// References from one item to others.
  struct Reference: Sendable, Hashable {
    /// `cdsc` from metadata to what they describe, `dimg` to the tiles of a grid, `thmb`, `auxl`.
    var type: MP4Type
    var from: UInt32
    var to: [UInt32]
    /// The whole box.
    var box: [UInt8]
  }

  static var damaged: FormatError { .refused(reason: localized("the file’s index is damaged")) }
  private static let mostItems = 65_536
  private static let mostReferences = 200_000
  /// Pictures have some ten properties each, and phones' files some fifty pictures.
  private static let mostAssociations = 200_000

  /// In pixels.
  private static let mostPixels = 1 << 24

  /// In bytes; a longer one is an attack.
  static let longest: UInt64 = 16 << 20

  private let head: [UInt8]
  private var boxes: [MP4Box]
  private(set) var primary: UInt32
  private(set) var items: [Item]
  private(set) var references: [Reference]
  var locations: HEIFLocations
  private var itemHead: [UInt8]
  private var referenceHead: [UInt8]
  private var properties: [MP4Box]
  private var associations: [UInt32: [Int]]
  /// Whether it would be written as it was read.
  private(set) var isPlain = false

  /// - Parameter content: Of the `meta` box.
  /// - Throws: `FormatError.refused`.
  init(_ content: [UInt8]) throws(FormatError) {
    guard content.count >= 4 else { throw Self.damaged }
    head = Array(content[..<4])
    boxes = try MP4Box.boxes(in: content[4...])
    guard let mainItem = Self.box("pitm", boxes), let list = Self.box("iinf", boxes), list.bytes.count >= 6,
      let places = Self.box("iloc", boxes)
    else { throw Self.damaged }
    var reader = HEIFReader(mainItem.bytes[...])
    let isShort = try reader.number(4) >> 24 == 0
    primary = UInt32(try reader.number(isShort ? 2 : 4))
    (itemHead, items) = try Self.items(list.bytes)
    locations = try HEIFLocations(places.bytes)
    let links = Self.box("iref", boxes)?.bytes ?? [0, 0, 0, 0]
    guard links.count >= 4 else { throw Self.damaged }
    referenceHead = Array(links[..<4])
    references = try Self.references(links)
    let group = Self.box("iprp", boxes)
    let parts = try group.map { box throws(FormatError) in try MP4Box.boxes(in: box.bytes[...]) } ?? []
    properties =
      try parts.first { $0.type == "ipco" }.map { box throws(FormatError) in
        try MP4Box.boxes(in: box.bytes[...])
      } ?? []
    associations = try Self.associations(parts.filter { $0.type == "ipma" }, count: properties.count)
    isPlain = content == bytes
  }

  private static func box(_ type: MP4Type, _ boxes: [MP4Box]) -> MP4Box? { boxes.first { $0.type == type } }

  private static func items(_ bytes: [UInt8]) throws(FormatError) -> (head: [UInt8], [Item]) {
    let headLength = bytes[0] == 0 ? 6 : 8
    guard bytes.count >= headLength else { throw damaged }
    var items: [Item] = []
    for box in try MP4Box.boxes(in: bytes[headLength...]) {
      guard items.count < mostItems else { throw .refused(reason: localized("the file has too many parts")) }
      var whole: [UInt8] = []
      box.write(to: &whole)
      var reader = HEIFReader(box.bytes[...])
      let version = try reader.number(4) >> 24
      let id = UInt32(try reader.number(version == 3 ? 4 : 2))
      var item = Item(id: id, type: MP4Type(code: 0), contentType: "", box: whole)
      if version >= 2 {
        _ = try reader.number(2)
        item.type = MP4Type(code: UInt32(try reader.number(4)))
        _ = reader.text()
        if item.type == "mime" { item.contentType = reader.text() }
      }
      items.append(item)
    }
    return (Array(bytes[..<4]), items)
  }

  private static func references(_ bytes: [UInt8]) throws(FormatError) -> [Reference] {
    let width = bytes[0] == 0 ? 2 : 4
    var left = mostReferences
    var references: [Reference] = []
    for box in try MP4Box.boxes(in: bytes[4...]) {
      var whole: [UInt8] = []
      box.write(to: &whole)
      var reader = HEIFReader(box.bytes[...])
      var reference = Reference(type: box.type, from: UInt32(try reader.number(width)), to: [], box: whole)
      let count = try reader.number(2)
      left -= Int(count) + 1
      guard left >= 0 else { throw .refused(reason: localized("the file has too many parts")) }
      for _ in 0..<count { reference.to.append(UInt32(try reader.number(width))) }
      references.append(reference)
    }
    return references
  }

  private static func associations(_ boxes: [MP4Box], count: Int) throws(FormatError) -> [UInt32: [Int]] {
    var result: [UInt32: [Int]] = [:]
    var left = mostAssociations
    for box in boxes {
      var reader = HEIFReader(box.bytes[...])
      let head = try reader.number(4)
      let isLong = head & 1 == 1
      for _ in 0..<(try reader.number(4)) {
        let id = UInt32(try reader.number(head >> 24 == 0 ? 2 : 4))
        let number = try reader.number(1)
        left -= Int(number) + 1
        guard left >= 0 else { throw .refused(reason: localized("the file has too many parts")) }
        for _ in 0..<number {
          // The highest bit says that a reader must know the property. Numbers count from 1.
          let number = Int(try reader.number(isLong ? 2 : 1) & (isLong ? 0x7fff : 0x7f))
          if number > 0, number <= count { result[id, default: []].append(number - 1) }
        }
      }
    }
    return result
  }

  // MARK: Reading

  func item(_ id: UInt32) -> Item? { items.first { $0.id == id } }

  /// The size of an item's picture as it is shown: its coded size, cropped and turned as its properties say; `nil` when
  /// it states none.
  func size(of id: UInt32) -> PixelSize? {
    let sides = 1...Self.mostPixels
    var size: PixelSize?
    for index in associations[id] ?? [] {
      let box = properties[index]
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
    associations[id]?.lazy.map { properties[$0] }.first { $0.type == type }?.bytes
  }

  /// The items that a picture is decoded from: itself, or the tiles of a grid.
  func codedItems(of id: UInt32) -> [UInt32] {
    references.first { $0.type == "dimg" && $0.from == id }?.to ?? [id]
  }

  /// The metadata items of the primary picture, of a kind.
  func metadata(_ isWanted: (Item) -> Bool) -> Item? {
    let candidates = items.filter(isWanted)
    if candidates.isEmpty { return nil }
    // Whether each item describes the primary picture; of those that describe nothing, nothing is known.
    var describes: [UInt32: Bool] = [:]
    for reference in references where reference.type == "cdsc" {
      let isPrimary = describes[reference.from] == true || reference.to.contains(primary)
      describes[reference.from] = isPrimary
    }
    return candidates.first { describes[$0.id] == true } ?? candidates.first { describes[$0.id] == nil }
  }

  /// Whether several XMP packets may be those of the primary picture.
  var hasSeveralPackets: Bool {
    var others: Set<UInt32> = []
    for reference in references where reference.type == "cdsc" {
      if reference.to.contains(primary) { others.remove(reference.from) } else { others.insert(reference.from) }
    }
    return items.count { Self.isXMP($0) && !others.contains($0.id) } > 1
  }

  static func isExif(_ item: Item) -> Bool { item.type == "Exif" }
  static func isXMP(_ item: Item) -> Bool { item.type == "mime" && item.contentType == "application/rdf+xml" }
  /// Whether an item is data about pictures, and not a picture.
  static func isMetadata(_ item: Item) -> Bool { ["Exif", "mime", "uri "].contains(item.type) }

  /// The content of `idat`; `nil` without one.
  var ownData: [UInt8]? { Self.box("idat", boxes)?.bytes }

  // MARK: Changing

  /// Removes an item and what is said about it. The caller removes its bytes.
  mutating func remove(_ id: UInt32) {
    items.removeAll { $0.id == id }
    references.removeAll { $0.from == id }
    locations.entries.removeAll { $0.id == id }
  }

  /// Adds an item that describes the primary picture, with one extent whose offset isn't known yet.
  ///
  /// - Parameter contentType: For an item of the type `mime`.
  /// - Returns: Its index in `locations`.
  /// - Throws: `FormatError.refused` when there is no room.
  mutating func addMetadata(
    _ type: MP4Type, contentType: String?, length: UInt64
  ) throws(FormatError) -> Int {
    let used = (items.map(\.id) + locations.entries.map(\.id) + [primary]).max() ?? 0
    guard used < locations.largestID else { throw .refused(reason: localized("the file’s index is full")) }
    let id = used + 1
    try locations.add(id: id, length: length)
    let isShort = id <= UInt32(UInt16.max)
    var entry: [UInt8] = [isShort ? 2 : 3, 0, 0, 0]
    BigEndian.append(UInt64(id), isShort ? 2 : 4, to: &entry)
    entry += [0, 0]
    BigEndian.append(UInt64(type.code), 4, to: &entry)
    entry.append(0)
    if let contentType { entry += Array(contentType.utf8) + [0] }
    var box: [UInt8] = []
    MP4Box("infe", entry).write(to: &box)
    items.append(Item(id: id, type: type, contentType: contentType ?? "", box: box))
    let width = referenceHead[0] == 0 ? 2 : 4
    guard width == 4 || isShort && primary <= UInt32(UInt16.max) else {
      throw .refused(reason: localized("the file’s index is full"))
    }
    var link: [UInt8] = []
    BigEndian.append(UInt64(id), width, to: &link)
    BigEndian.append(1, 2, to: &link)
    BigEndian.append(UInt64(primary), width, to: &link)
    var linkBox: [UInt8] = []
    MP4Box("cdsc", link).write(to: &linkBox)
    references.append(Reference(type: "cdsc", from: id, to: [primary], box: linkBox))
    return locations.entries.count - 1
  }

  /// Removes what only names programs or people: boxes that aren't needed to show the pictures, and texts about them.
  ///
  /// - Parameter places: The names that are taken out of color profiles.
  /// - Throws: `FormatError.refused` when it is damaged.
  mutating func dropOthers(naming places: PlaceNames) throws(FormatError) {
    boxes.removeAll { !["hdlr", "pitm", "iinf", "iloc", "iref", "iprp", "idat", "dinf", "grpl"].contains($0.type) }
    for index in items.indices { items[index].box = try Self.unnamed(items[index].box) }
    guard let group = boxes.firstIndex(where: { $0.type == "iprp" }) else { return }
    var parts = try MP4Box.boxes(in: boxes[group].bytes[...])
    for index in parts.indices where parts[index].type == "ipco" {
      var new: [UInt8] = []
      // Each keeps its number, by which pictures have it.
      for box in try MP4Box.boxes(in: parts[index].bytes[...]) { Self.plain(box, places).write(to: &new) }
      parts[index].bytes = new
    }
    var new: [UInt8] = []
    for part in parts { part.write(to: &new) }
    boxes[group].bytes = new
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

  /// An `infe` box whose item has no name.
  private static func unnamed(_ box: [UInt8]) throws(FormatError) -> [UInt8] {
    guard let parsed = try MP4Box.boxes(in: box[...]).first, let version = parsed.bytes.first else { throw damaged }
    let before = version < 2 ? 8 : version == 3 ? 14 : 12
    guard parsed.bytes.count > before else { return box }
    let rest = parsed.bytes[before...].drop { $0 != 0 }
    var result: [UInt8] = []
    MP4Box(parsed.type, Array(parsed.bytes[..<before]) + (rest.isEmpty ? [0] : Array(rest))).write(to: &result)
    return result
  }

  /// The content of the `meta` box.
  var bytes: [UInt8] {
    var boxes = boxes
    func set(_ type: MP4Type, _ bytes: [UInt8]) {
      if let index = boxes.firstIndex(where: { $0.type == type }) {
        boxes[index].bytes = bytes
      } else {
        boxes.append(MP4Box(type, bytes))
      }
    }
    var list = itemHead
    BigEndian.append(UInt64(items.count), itemHead[0] == 0 ? 2 : 4, to: &list)
    set("iinf", list + items.flatMap(\.box))
    set("iloc", locations.bytes)
    if references.isEmpty {
      // One that was empty before is rare, and nothing is said by it.
      boxes.removeAll { $0.type == "iref" }
    } else {
      set("iref", referenceHead + references.flatMap(\.box))
    }
    var result = head
    for box in boxes { box.write(to: &result) }
    return result
  }
}
