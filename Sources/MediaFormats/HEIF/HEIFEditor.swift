// The changes of one HEIF file: items that are added, replaced and removed, and the offsets that move with them.

import Foundation
import Localization

/// The changes of one HEIF file.
///
/// An item's bytes are replaced where they are, and all offsets behind them move; a new item gets an `mdat` box of its own
/// behind the directory. What stays does so byte for byte.
struct HEIFEditor {
  let file: HEIFFile
  let end: UInt64
  var directory: HEIFDirectory
  private var splice = ByteSplice()
  /// The contents of new items, with their ids.
  private var added: [(id: UInt32, bytes: [UInt8])] = []
  /// The growth of the media data boxes, by their indices.
  private var growth: [Int: Int] = [:]
  private var removedBoxes: Set<Int> = []
  /// The items whose bytes are replaced where they are.
  private var replaced: Set<UInt32> = []
  /// Files of phones have a handful.
  private static let mostDropped = 256

  /// - Parameter end: Of the picture: what is behind it is left out.
  /// - Throws: `FormatError.refused` when the file has a form in which nothing can be changed.
  init(file: HEIFFile, end: UInt64) throws(FormatError) {
    // A sequence has offsets in its sample tables as well.
    guard !file.boxes.contains(where: { $0.type == "moov" }) else {
      throw .refused(reason: localized("the file has an image sequence besides its picture"))
    }
    guard file.directory.isPlain, file.meta.range.lowerBound + 8 == file.meta.content.lowerBound else {
      throw HEIFDirectory.unusual
    }
    (self.file, self.end) = (file, end)
    directory = file.directory
  }

  mutating func set(
    _ isWanted: (HEIFDirectory.Item) -> Bool, type: MP4Type, _ contentType: String?, to bytes: [UInt8],
    _ source: any ByteSource
  ) throws(FormatError) {
    guard let item = directory.metadata(isWanted) else {
      let id = try directory.addMetadata(type, contentType: contentType, length: UInt64(bytes.count))
      added.append((id, bytes))
      return
    }
    guard let index = directory.locations.entries.firstIndex(where: { $0.id == item.id }) else {
      throw HEIFDirectory.damaged
    }
    let (range, box) = try place(of: item.id)
    splice.replace(range, with: bytes)
    replaced.insert(item.id)
    growth[box, default: 0] += bytes.count - range.count
    try directory.locations.setLength(UInt64(bytes.count), at: index)
  }

  mutating func remove(
    _ isWanted: (HEIFDirectory.Item) -> Bool, _ source: any ByteSource
  ) throws(FormatError) {
    if let item = directory.metadata(isWanted) { try remove(item) }
  }

  /// Removes an auxiliary picture, and the metadata that describe it alone.
  ///
  /// - Throws: `FormatError.refused` when it is stored in an unusual form.
  mutating func removePicture(_ id: UInt32) throws(FormatError) {
    let about = directory.references.filter { $0.type == "cdsc" && $0.to == [id] }.map(\.from)
    for item in directory.items where about.contains(item.id) && HEIFDirectory.isMetadata(item) { try remove(item) }
    try removeBytes(of: id)
    try directory.removePicture(id)
  }

  /// Adds an auxiliary picture of the primary one.
  ///
  /// - Parameters:
  ///   - properties: Whether a reader must know each is beside it.
  ///   - xmp: The packet that describes it.
  /// - Throws: `FormatError.refused` when there is no room.
  mutating func addPicture(
    _ type: MP4Type, _ bytes: [UInt8], properties: [(box: MP4Box, isEssential: Bool)], xmp: [UInt8]
  ) throws(FormatError) {
    let id = try directory.addAuxiliary(type, properties: properties, length: UInt64(bytes.count))
    added.append((id, bytes))
    let packet = try directory.addMetadata(
      "mime", contentType: "application/rdf+xml", of: id, length: UInt64(xmp.count))
    added.append((packet, xmp))
  }

  private mutating func remove(_ item: HEIFDirectory.Item) throws(FormatError) {
    try removeBytes(of: item.id)
    directory.remove(item.id)
  }

  private mutating func removeBytes(of id: UInt32) throws(FormatError) {
    let (range, box) = try place(of: id)
    if file.boxes[box].content == range {
      removedBoxes.insert(box)
      splice.replace(file.boxes[box].range, with: [])
    } else {
      splice.replace(range, with: [])
      growth[box, default: 0] -= range.count
    }
  }

  /// Removes all metadata but the EXIF and XMP of the primary picture, the boxes of other programs, texts about pictures,
  /// and bytes that belong to nothing.
  mutating func dropOthers(_ change: PictureMetadata, naming places: PlaceNames) throws(FormatError) {
    // Of several packets another one would be the picture's when that is removed.
    let exif = change.exif == .removed ? nil : directory.metadata(HEIFDirectory.isExif)
    let xmp = change.xmp == .removed ? nil : directory.metadata(HEIFDirectory.isXMP)
    let kept = [exif, xmp].compactMap(\.?.id)
    // Each is compared with all others.
    guard directory.items.count(where: HEIFDirectory.isMetadata) <= Self.mostDropped else {
      throw .refused(reason: localized("the file has too many parts"))
    }
    for item in directory.items where HEIFDirectory.isMetadata(item) && !kept.contains(item.id) { try remove(item) }
    try directory.dropOthers(naming: places)
    for (index, box) in file.boxes.enumerated() where box.range.upperBound <= end {
      if ["ftyp", "mdat"].contains(box.type) || box.range == file.meta.range { continue }
      removedBoxes.insert(index)
      splice.replace(box.range, with: [])
    }
    try clearUnused()
  }

  /// In bytes: some programs leave a block of EXIF where they have written a longer one elsewhere.
  private static let longestUnused: UInt64 = 64 << 20

  /// Overwrites what no item refers to with zeros, so that all offsets stay.
  private mutating func clearUnused() throws(FormatError) {
    let locations = file.directory.locations
    var used: [Range<UInt64>] = []
    for entry in locations.entries where entry.isInFile { used += try locations.ranges(of: entry, upTo: end) }
    used.sort { $0.lowerBound < $1.lowerBound }
    var left = Self.longestUnused
    for (index, box) in file.boxes.enumerated()
    where box.type == "mdat" && box.content.lowerBound < end && !removedBoxes.contains(index) {
      let content = box.content.clamped(to: 0..<end)
      var position = content.lowerBound
      var gaps: [Range<UInt64>] = []
      for range in used where range.upperBound > position && range.lowerBound < content.upperBound {
        if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
        position = max(position, range.upperBound)
      }
      if position < content.upperBound { gaps.append(position..<content.upperBound) }
      for gap in gaps {
        guard gap.upperBound - gap.lowerBound <= left else {
          throw .refused(reason: localized("the file has data that belongs to no picture"))
        }
        left -= gap.upperBound - gap.lowerBound
        splice.replace(gap, with: [UInt8](repeating: 0, count: gap.count))
      }
    }
  }

  /// The bytes of an item, which are in one stretch that no other item has a part of, and the box around them.
  private func place(of id: UInt32) throws(FormatError) -> (range: Range<UInt64>, box: Int) {
    let unusual = FormatError.refused(reason: localized("the metadata is stored in a form that can’t be changed"))
    let locations = file.directory.locations
    guard let entry = locations.entries.first(where: { $0.id == id }), entry.isInFile else { throw unusual }
    let ranges = try locations.ranges(of: entry, upTo: end)
    guard ranges.count == 1, let range = ranges.first, !range.isEmpty,
      let box = file.boxes.firstIndex(where: {
        $0.type == "mdat" && $0.content.lowerBound <= range.lowerBound && range.upperBound <= $0.content.upperBound
      })
    else { throw unusual }
    for other in locations.entries where other.id != id && other.isInFile {
      guard try !locations.ranges(of: other, upTo: end).contains(where: { $0.overlaps(range) }) else { throw unusual }
    }
    return (range, box)
  }

  /// The pieces of the new file.
  mutating func finished<Source: ByteSource>(_ source: Source) throws(FormatError) -> [BytePiece<Source>] {
    for (index, change) in growth where change != 0 && !removedBoxes.contains(index) {
      try resize(file.boxes[index], by: change)
    }
    // Its length doesn't depend on the offsets in it.
    var front: [UInt8] = []
    MP4Box("meta", directory.bytes).write(to: &front)
    var starts: [(id: UInt32, offset: Int)] = []
    var behind: [UInt8] = []
    for item in added {
      starts.append((item.id, behind.count + 8))
      MP4Box("mdat", item.bytes).write(to: &behind)
    }
    splice.replace(file.meta.range, with: front + behind)
    try splice.sort()
    try checkOverlaps()
    // Items that are there already, wherever they are now.
    let moves = splice
    let new = Set(added.map(\.id))
    var known = directory.locations
    known.entries.removeAll { new.contains($0.id) }
    try known.move { moves.offset(of: $0) }
    var byID: [UInt32: HEIFLocations.Entry] = [:]
    for entry in known.entries { byID[entry.id] = entry }
    for index in directory.locations.entries.indices {
      if let entry = byID[directory.locations.entries[index].id] { directory.locations.entries[index] = entry }
    }
    let metaStart = splice.offset(of: file.meta.range.lowerBound)
    for (id, offset) in starts {
      guard let index = directory.locations.entries.firstIndex(where: { $0.id == id }) else { continue }
      try directory.locations.place(at: metaStart + UInt64(front.count + offset), index)
    }
    var meta: [UInt8] = []
    MP4Box("meta", directory.bytes).write(to: &meta)
    guard meta.count == front.count else { throw HEIFDirectory.damaged }
    splice.update(file.meta.range, with: meta + behind)
    return splice.pieces(of: source, upTo: end)
  }

  /// Checks that nothing that stays is in what is replaced: pictures may be in any box, also in the directory's.
  private func checkOverlaps() throws(FormatError) {
    // A new item may have the id of one that is removed.
    let kept = Set(directory.locations.entries.map(\.id)).subtracting(replaced).subtracting(added.map(\.id))
    let locations = file.directory.locations
    for entry in locations.entries where entry.isInFile && kept.contains(entry.id) {
      for range in try locations.ranges(of: entry, upTo: end) {
        guard !splice.edits.contains(where: { $0.range.overlaps(range) }) else {
          throw .refused(reason: localized("the picture is stored in a form that can’t be changed"))
        }
      }
    }
  }

  /// Replaces the length in the head of a box.
  private mutating func resize(_ box: MP4BoxHead, by change: Int) throws(FormatError) {
    guard !box.isOpenEnded else { return }
    let headLength = box.content.lowerBound - box.range.lowerBound
    let length = UInt64(Int64(box.range.upperBound - box.range.lowerBound) + Int64(change))
    var head: [UInt8] = []
    if headLength == 16 {
      head = BigEndian.words(1) + Array("mdat".utf8)
      BigEndian.append(length, 8, to: &head)
    } else {
      guard length <= UInt64(UInt32.max) else {
        throw .refused(reason: localized("the file has no room for more metadata"))
      }
      head = BigEndian.words(length) + Array("mdat".utf8)
    }
    splice.replace(box.range.lowerBound..<box.content.lowerBound, with: head)
  }
}
