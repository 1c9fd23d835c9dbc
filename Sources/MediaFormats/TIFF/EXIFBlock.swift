// Changes of single values in an EXIF block, in place.

import Foundation
import Localization

/// The TIFF structure of an EXIF block, whose dates and position can be changed while all other bytes stay where they are.
///
///     var block = try EXIFBlock(exif)
///     try block.set([.dateTimeOriginal: "2026:11:21 07:31:06"])
///     let changed = block.bytes
///
/// A toolkit that writes a block anew moves the maker's note, whose offsets nobody has described. Here a value of the same
/// length is overwritten, and what is new is appended: values, and directories with more entries than before, to which the
/// one pointer is changed. So undoing a change is a matter of few bytes.
///
/// Untrusted input: every offset and count is checked. Source: TIFF 6.0, section 2; Exif 3.0 (CIPA DC-008), 4.6.
public struct EXIFBlock: Sendable {
  /// A text of the camera's directory.
  public enum Text: UInt16, Sendable, Hashable, CaseIterable {
    /// When the picture was taken: `2026:11:21 07:31:06`.
    case dateTimeOriginal = 0x9003
    /// When it became a file, which for cameras is the same.
    case dateTimeDigitized = 0x9004
    /// The offset from UTC of the one: `+01:00`.
    case offsetOriginal = 0x9011
    case offsetDigitized = 0x9012
    /// The digits behind the second.
    case subsecondsOriginal = 0x9291
    case subsecondsDigitized = 0x9292
  }

  /// A directory with the offsets in the block that belong to it.
  private struct Directory {
    var start: Int
    var entries: [Entry]
    /// The offset of the offset of the next directory.
    var nextAt: Int { start + 2 + 12 * entries.count }
    var range: Range<Int> { start..<nextAt + 4 }
    /// The bytes that are its own, and those of values outside of it.
    var parts: [Range<Int>] { parts(without: nil) }

    /// The same without the values of a tag.
    func parts(without tag: UInt16?) -> [Range<Int>] {
      [range] + entries.compactMap { $0.isInline || $0.tag == tag ? nil : $0.values }
    }

    subscript(tag: UInt16) -> Entry? { entries.first { $0.tag == tag } }
  }

  private struct Entry {
    var tag: UInt16
    var type: UInt16
    var count: UInt32
    /// Of the entry in the block.
    var at: Int
    /// Of its values; `nil` where they are no part of the block.
    var values: Range<Int>?
    /// Whether its values are in it.
    var isInline: Bool { values.map { $0.count <= 4 } ?? false }
  }

  public private(set) var bytes: [UInt8]
  private let isBigEndian: Bool

  /// A little-endian structure with an empty directory.
  private static let empty: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  /// Where the structure says what it is, and where its first directory is.
  private static let head = 0..<8
  /// In bytes, by type.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
  /// Of the camera's directory: bytes in a form that only the maker knows.
  private static let makerNote: UInt16 = 0x927c
  /// Of the camera's directory: the offset of a further one.
  private static let interoperability: UInt16 = 0xa005
  /// No camera writes as many; more are an attack.
  private static let mostEntries = 1024

  /// - Parameter exif: The TIFF structure; `nil` for a new one.
  /// - Throws: `FormatError.refused` when it can't be read.
  public init(_ exif: Data?) throws(FormatError) {
    bytes = exif.map { [UInt8]($0) } ?? Self.empty
    guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == UInt8(ascii: "I") || bytes[0] == UInt8(ascii: "M") else {
      throw Self.damaged
    }
    isBigEndian = bytes[0] == UInt8(ascii: "M")
    guard number(at: 2, 2) == 42 else { throw Self.damaged }
    _ = try picture
  }

  private static var damaged: FormatError { .refused(reason: localized("its EXIF metadata is damaged")) }

  // MARK: Reading

  private func number(at offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    return Int(TIFFReader.number(bytes[offset..<offset + count], isBigEndian))
  }

  private func directory(at start: Int) throws(FormatError) -> Directory {
    guard start >= Self.head.count, let count = number(at: start, 2), count <= Self.mostEntries,
      start + 2 + 12 * count + 4 <= bytes.count
    else { throw Self.damaged }
    var directory = Directory(start: start, entries: [])
    for index in 0..<count {
      let at = start + 2 + 12 * index
      guard let tag = number(at: at, 2), let type = number(at: at + 2, 2), let values = number(at: at + 4, 4) else {
        throw Self.damaged
      }
      var entry = Entry(tag: UInt16(tag), type: UInt16(type), count: UInt32(values), at: at)
      if Self.sizes.indices.contains(type), type > 0 {
        let length = values * Self.sizes[type]
        let offset = length <= 4 ? at + 8 : number(at: at + 8, 4) ?? bytes.count
        if length <= bytes.count, offset <= bytes.count - length { entry.values = offset..<offset + length }
      }
      directory.entries.append(entry)
    }
    return directory
  }

  /// The first directory, which describes the picture.
  private var picture: Directory {
    get throws(FormatError) {
      guard let start = number(at: 4, 4) else { throw Self.damaged }
      return try directory(at: start)
    }
  }

  /// A directory that the first one points to; `nil` without one.
  private func inner(_ tag: UInt16) throws(FormatError) -> Directory? {
    guard let entry = try picture[tag] else { return nil }
    guard let values = entry.values, values.count == 4, let start = number(at: values.lowerBound, 4) else {
      throw Self.damaged
    }
    return try directory(at: start)
  }

  /// A text of the camera's directory; `nil` without one.
  public func text(_ tag: Text) -> String? {
    guard let values = try? inner(TIFFTag.exif)?[tag.rawValue]?.values else { return nil }
    return String(decoding: bytes[values].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Whether it tells a position.
  public var hasPosition: Bool { (try? picture[TIFFTag.positions]) != nil }

  /// The bytes that the head, the first directory and the others but one are made of, with their values.
  ///
  /// - Parameters:
  ///   - tag: Of the one.
  ///   - hasNote: Whether those of the maker's note are among them.
  private func used(without tag: UInt16, hasNote: Bool = true) throws(FormatError) -> [Range<Int>] {
    let picture = try picture
    var directories = [picture]
    // Of one that can't be read, nothing is lost.
    for other in [TIFFTag.exif, TIFFTag.positions] where other != tag {
      if let directory = try? inner(other) { directories.append(directory) }
    }
    // Those of the thumbnail and of interoperability.
    let thumbnail = number(at: picture.nextAt, 4)
    let rules = (try? inner(TIFFTag.exif))?[Self.interoperability]?.values.flatMap { number(at: $0.lowerBound, 4) }
    for start in [thumbnail, rules].compactMap(\.self) where start > 0 {
      if let directory = try? directory(at: start) { directories.append(directory) }
    }
    return [Self.head] + directories.flatMap { $0.parts(without: hasNote ? nil : Self.makerNote) }
  }

  /// Whether values of a directory can be overwritten: damaged blocks use bytes twice, and some programs write a text once
  /// for two dates.
  ///
  /// - Parameter used: By others.
  private func areOwn(_ entries: [Entry], of directory: Directory, used: [Range<Int>]) -> Bool {
    if used.contains(where: { $0.overlaps(directory.range) }) { return false }
    return entries.allSatisfy { entry in
      guard let values = entry.values, !entry.isInline else { return entry.values != nil }
      let others = directory.entries.filter { $0.at != entry.at && !$0.isInline }.compactMap(\.values)
      return !(used + others + [directory.range]).contains { $0.overlaps(values) }
    }
  }

  // MARK: Changing

  /// Sets texts of the camera's directory.
  ///
  /// - Throws: `FormatError.refused` when the block is damaged.
  public mutating func set(_ texts: [Text: String]) throws(FormatError) {
    let fields = texts.map { TIFFField($0.key.rawValue, bytes: Array($0.value.utf8) + [0], type: 2) }
    try set(fields, in: TIFFTag.exif)
  }

  /// Sets the position, and forgets everything else about the former one: its height, its accuracy, its time.
  ///
  /// - Parameters:
  ///   - latitude: In degrees north.
  ///   - longitude: In degrees east.
  /// - Throws: `FormatError.refused` when the block is damaged.
  public mutating func setPosition(latitude: Double, longitude: Double) throws(FormatError) {
    /// Degrees, minutes, and thousandths of a second: three centimeters.
    func degrees(_ tag: UInt16, _ value: Double) -> TIFFField {
      let thousandths = UInt32((abs(value) * 3_600_000).rounded())
      let numbers = [thousandths / 3_600_000, 1, thousandths / 60_000 % 60, 1, thousandths % 60_000, 1000]
      var field = TIFFField(tag, longs: numbers, isBigEndian: isBigEndian)
      (field.type, field.count) = (5, 3)
      return field
    }
    func letter(_ tag: UInt16, _ text: String) -> TIFFField { TIFFField(tag, bytes: Array(text.utf8) + [0], type: 2) }
    let fields = [
      TIFFField(0, bytes: [2, 3, 0, 0]), letter(1, latitude < 0 ? "S" : "N"), degrees(2, latitude),
      letter(3, longitude < 0 ? "W" : "E"), degrees(4, longitude), letter(0x12, "WGS-84"),
    ]
    if let former = try inner(TIFFTag.positions) {
      let isSame = zip(former.entries, fields).allSatisfy {
        $0.tag == $1.tag && $0.type == $1.type && $0.count == $1.count
      }
      if isSame, former.entries.count == fields.count,
        areOwn(former.entries, of: former, used: try used(without: TIFFTag.positions))
      {
        for (entry, field) in zip(former.entries, fields) { overwrite(entry, field) }
        return
      }
      try clear(former, of: TIFFTag.positions)
    }
    try point(TIFFTag.positions, to: append(fields))
  }

  /// Removes the position with everything that is said of it; none of its bytes are left.
  ///
  /// - Throws: `FormatError.refused` when the block is damaged.
  public mutating func removePosition() throws(FormatError) {
    try cleanRecords()
    let picture = try picture
    guard let entry = picture[TIFFTag.positions] else { return }
    if let former = try inner(TIFFTag.positions) { try clear(former, of: TIFFTag.positions) }
    // The following entries move up; the directory keeps its place.
    let rest = Array(bytes[entry.at + 12..<picture.range.upperBound])
    bytes.replaceSubrange(entry.at..<picture.range.upperBound, with: rest + BigEndian.zeros(12))
    write(picture.entries.count - 1, 2, at: picture.start)
  }

  /// Removes the names of the place from an XMP packet and IPTC's records, which TIFF allows and few programs write here.
  private mutating func cleanRecords() throws(FormatError) {
    let picture = try picture
    if let values = picture[TIFFTag.xmp]?.values,
      let packet = try XMPPacket.withoutPosition(Array(bytes[values]), isRequired: true)
    {
      bytes.replaceSubrange(values, with: packet.bytes)
    }
    for tag in [TIFFTag.iptc, TIFFTag.photoshop] {
      guard let entry = picture[tag], let values = entry.values else { continue }
      let (old, change) = (Array(bytes[values]), RecordChanges(removesPlace: true, refusesDamage: true))
      let new =
        tag == TIFFTag.iptc
        ? try IPTCRecords.changed(old, isOfWords: entry.type == 4, change) : try PhotoshopBlock.changed(old, change)
      // Zeros at the end are no dataset.
      bytes.replaceSubrange(values, with: new + BigEndian.zeros(old.count - new.count))
    }
  }

  private mutating func write(_ number: Int, _ count: Int, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + count, with: TIFFWriter.number(UInt32(number), count, isBigEndian))
  }

  private mutating func overwrite(_ entry: Entry, _ field: TIFFField) {
    guard let values = entry.values, case .bytes(let new) = field.value else { return }
    bytes.replaceSubrange(values, with: new)
  }

  /// A maker's note may lose bytes behind its first one: some state a length that reaches over what follows.
  ///
  /// - Throws: `FormatError.refused` when something else uses the same bytes.
  private mutating func clear(_ directory: Directory, of tag: UInt16) throws(FormatError) {
    let used = try used(without: tag, hasNote: false)
    let note = (try? inner(TIFFTag.exif))?[Self.makerNote]
    let start = note.flatMap { $0.isInline ? nil : $0.values }.map { $0.lowerBound..<$0.lowerBound + 1 }
    let kept = used + [start].compactMap(\.self)
    guard !directory.parts.contains(where: { part in kept.contains { $0.overlaps(part) } }) else { throw Self.damaged }
    for part in directory.parts { bytes.replaceSubrange(part, with: BigEndian.zeros(part.count)) }
  }

  /// Sets values in a directory that the first one points to.
  private mutating func set(_ fields: [TIFFField], in tag: UInt16) throws(FormatError) {
    guard let directory = try inner(tag) else {
      return try point(tag, to: append(fields.sorted { $0.tag < $1.tag }))
    }
    let used = try used(without: tag)
    var missing: [TIFFField] = []
    for field in fields {
      guard case .bytes(let new) = field.value else { continue }
      if let entry = directory[field.tag], entry.type == field.type, entry.values?.count == new.count,
        areOwn([entry], of: directory, used: used)
      {
        overwrite(entry, field)
      } else {
        missing.append(field)
      }
    }
    if missing.isEmpty { return }
    try point(tag, to: append(with(missing, in: directory), next: number(at: directory.nextAt, 4) ?? 0))
  }

  /// Lets an entry of the first directory point to another one.
  private mutating func point(_ tag: UInt16, to start: UInt32) throws(FormatError) {
    let picture = try picture
    if let values = picture[tag]?.values, values.count == 4 { return write(Int(start), 4, at: values.lowerBound) }
    let pointer = TIFFField(tag, longs: [start], isBigEndian: isBigEndian)
    let new = append(try with([pointer], in: picture), next: number(at: picture.nextAt, 4) ?? 0)
    write(Int(new), 4, at: 4)
  }

  /// The entries of a directory with further ones, in the order of their tags. The values of the others stay where they are.
  private func with(_ fields: [TIFFField], in directory: Directory) throws(FormatError) -> [TIFFField] {
    let new = Set(fields.map(\.tag))
    var all = fields
    for entry in directory.entries where !new.contains(entry.tag) {
      guard let stored = number(at: entry.at + 8, 4) else { throw Self.damaged }
      var field = TIFFField(entry.tag, bytes: [], type: entry.type)
      (field.count, field.value) = (entry.count, .stored(UInt32(stored)))
      all.append(field)
    }
    guard all.count <= Self.mostEntries else { throw Self.damaged }
    return all.sorted { $0.tag < $1.tag }
  }

  /// - Returns: The offset of the new directory.
  private mutating func append(_ fields: [TIFFField], next: Int = 0) -> UInt32 {
    var writer = TIFFWriter(isBigEndian: isBigEndian, base: UInt64(bytes.count))
    let start = writer.append(fields, next: UInt32(next)).offset
    bytes += writer.bytes
    return start
  }
}
