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
  static var full: FormatError { .refused(reason: localized("the file’s index is full")) }
  static var unusual: FormatError { .refused(reason: localized("the file’s index can’t be changed")) }
  private static let mostItems = 65_536
  private static let mostReferences = 200_000

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
  private(set) var properties: HEIFProperties
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
    properties = try HEIFProperties(Self.box("iprp", boxes)?.bytes)
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

  // MARK: Reading

  func item(_ id: UInt32) -> Item? { items.first { $0.id == id } }

  /// The auxiliary picture of the primary one that is of a type, such as a matte.
  ///
  /// Source: ISO/IEC 23008-12, 6.4.4 and 6.5.8.
  func auxiliary(_ type: String) -> Item? {
    let auxiliaries = Set(references.filter { $0.type == "auxl" && $0.to.contains(primary) }.map(\.from))
    return items.first { auxiliaries.contains($0.id) && properties.auxiliaryType(of: $0.id) == type }
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

  /// Removes an auxiliary picture and its properties. The caller removes its bytes.
  ///
  /// - Throws: `FormatError.refused` when something else refers to it, or its properties can't be changed.
  mutating func removePicture(_ id: UInt32) throws(FormatError) {
    guard id != primary, !references.contains(where: { $0.to.contains(id) }) else { throw Self.unusual }
    remove(id)
    try properties.remove(id)
  }

  /// Adds an item that describes a picture, with one extent whose offset isn't known yet.
  ///
  /// - Parameters:
  ///   - contentType: For an item of the type `mime`.
  ///   - picture: `nil` for the primary picture.
  /// - Returns: Its id.
  /// - Throws: `FormatError.refused` when there is no room.
  mutating func addMetadata(
    _ type: MP4Type, contentType: String?, of picture: UInt32? = nil, length: UInt64
  ) throws(FormatError) -> UInt32 {
    let id = try addItem(type, contentType: contentType, isHidden: false, length: length)
    try addReference("cdsc", from: id, to: picture ?? primary)
    return id
  }

  /// Adds an auxiliary picture of the primary one, with one extent whose offset isn't known yet. It isn't shown by itself.
  ///
  /// - Parameters:
  ///   - type: Of its coding, `hvc1` or `av01`.
  ///   - new: Its properties, and whether a reader must know each.
  /// - Returns: Its id.
  /// - Throws: `FormatError.refused` when there is no room, or the properties can't be changed.
  mutating func addAuxiliary(
    _ type: MP4Type, properties new: [(box: MP4Box, isEssential: Bool)], length: UInt64
  ) throws(FormatError) -> UInt32 {
    let id = try addItem(type, contentType: nil, isHidden: true, length: length)
    try addReference("auxl", from: id, to: primary)
    try properties.add(new, to: id)
    return id
  }

  private mutating func addItem(
    _ type: MP4Type, contentType: String?, isHidden: Bool, length: UInt64
  ) throws(FormatError) -> UInt32 {
    // What is said about an item that isn't there would be said about the new one.
    let used = (items.map(\.id) + locations.entries.map(\.id) + [primary, properties.largestID]).max() ?? 0
    guard used < locations.largestID, items.count < Int(UInt16.max) else { throw Self.full }
    let id = used + 1
    try locations.add(id: id, length: length)
    let isShort = id <= UInt32(UInt16.max)
    var entry: [UInt8] = [isShort ? 2 : 3, 0, 0, isHidden ? 1 : 0]
    BigEndian.append(UInt64(id), isShort ? 2 : 4, to: &entry)
    entry += [0, 0]
    BigEndian.append(UInt64(type.code), 4, to: &entry)
    entry.append(0)
    if let contentType { entry += Array(contentType.utf8) + [0] }
    var box: [UInt8] = []
    MP4Box("infe", entry).write(to: &box)
    items.append(Item(id: id, type: type, contentType: contentType ?? "", box: box))
    return id
  }

  private mutating func addReference(_ type: MP4Type, from: UInt32, to: UInt32) throws(FormatError) {
    let width = referenceHead[0] == 0 ? 2 : 4
    guard width == 4 || max(from, to) <= UInt32(UInt16.max) else { throw Self.full }
    var link: [UInt8] = []
    BigEndian.append(UInt64(from), width, to: &link)
    BigEndian.append(1, 2, to: &link)
    BigEndian.append(UInt64(to), width, to: &link)
    var box: [UInt8] = []
    MP4Box(type, link).write(to: &box)
    references.append(Reference(type: type, from: from, to: [to], box: box))
  }

  /// Removes what only names programs or people: boxes that aren't needed to show the pictures, and texts about them.
  ///
  /// - Parameter places: The names that are taken out of color profiles.
  /// - Throws: `FormatError.refused` when it is damaged.
  mutating func dropOthers(naming places: PlaceNames) throws(FormatError) {
    boxes.removeAll { !["hdlr", "pitm", "iinf", "iloc", "iref", "iprp", "idat", "dinf", "grpl"].contains($0.type) }
    for index in items.indices { items[index].box = try Self.unnamed(items[index].box) }
    try properties.dropTexts(naming: places)
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
    if properties.areChanged { set("iprp", properties.bytes) }
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
