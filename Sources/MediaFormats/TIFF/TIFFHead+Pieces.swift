// Copies of TIFF files with other metadata.

import Foundation
import Localization

extension TIFFHead {
  /// The pieces of a copy with other metadata. Of an EXIF block only the descriptive tags, EXIF's directory and those
  /// of positions and interoperability are taken, the orientation among them; tags that describe pixels, and
  /// thumbnails, are ignored. The directories of further pages stay as they are.
  ///
  /// A changed first directory is written behind everything else, with a mark that names the old one, which stays.
  /// So the next change replaces the directory instead of adding another one, and undoing all changes gives the old
  /// bytes. When a place is removed, the old blocks that told it are overwritten with zeros, and those of further pages
  /// are changed where they are; only other bytes from outside undo that.
  ///
  /// Without anything else, the copy has the pages with their pixels and what is needed to decode them, and the first
  /// page has the changed blocks. Nothing else of the old file is in it: no reduced pictures, no pictures below the
  /// pages, no old directories, and no bytes that belong to nothing.
  ///
  /// - Throws: `FormatError.refused` when it isn't a complete TIFF, and for BigTIFF. Copies without anything else are
  ///   also refused of raw files and of pictures in other compressions than the usual ones, which may need more than is
  ///   known here, and where JPEG streams of pixels have metadata in them.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    if change == PictureMetadata() { return [.file(source, 0..<source.count)] }
    guard var file = try TIFFFile(source), file.picture != nil else { throw damaged }
    // Where nothing tells a place, none has to be removed.
    if change.keepsBlocks, try !file.describesPlaces { return [.file(source, 0..<source.count)] }
    let (walk, end) = try file.survey()
    guard walk == .complete else { throw damaged }
    guard !file.reader.isBig else {
      throw .refused(reason: localized("the metadata is stored in a form that can’t be changed"))
    }
    if change.dropsOthers {
      var copy = TIFFBareCopy(file)
      return try copy.pieces(of: source, change)
    }
    // The place of the first directory, in the first 8 bytes, will be another one.
    guard file.picture?.pixels.ranges.allSatisfy({ $0.isEmpty || $0.lowerBound >= 8 }) == true else { throw damaged }
    var rewrite = try TIFFRewrite(file, end: end)
    return try rewrite.pieces(of: source, change)
  }

  static var damaged: FormatError { .refused(reason: localized("the TIFF file is incomplete or damaged")) }
  static var tooLong: FormatError { .refused(reason: localized("the file has no room for more metadata")) }
}

/// A first directory that is written anew at the end of its file.
///
/// In front of it is a mark: a name, and in the file's byte order three numbers of four bytes: the offset of the first
/// directory before the first change, the length of the file then, and its length now. All that the directory has in
/// common with the old one stays in the old place.
private struct TIFFRewrite {
  private static let markName = Array("PhotoMe\0".utf8)
  private static let markLength = 20
  /// The most bytes of the old directories that are held in memory.
  private static let mostBytes = 64 << 20

  private var file: TIFFFile
  /// The current first directory.
  private let first: TIFFReader.Directory
  /// The first directory before the first change.
  private let old: TIFFReader.Directory
  private let oldEntries: [UInt16: TIFFReader.Entry]
  /// Of the file as it was then.
  private var oldReader: TIFFReader
  /// The length of the file before the first change. Everything behind it is from changes.
  private let length: UInt64
  private var left = Self.mostBytes

  /// - Parameter end: Where everything but the first directory ends.
  init(_ file: TIFFFile, end: UInt64) throws(FormatError) {
    guard let first = file.chain.first else { throw TIFFHead.damaged }
    (self.file, self.first) = (file, first)
    if let (old, length) = try Self.mark(&self.file, end: end) {
      (self.old, self.length) = (old, length)
    } else {
      (old, length) = (first, file.reader.length)
    }
    oldReader = file.reader.limited(to: length)
    oldEntries = Dictionary(old.entries.map { ($0.tag, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The old directory, and the old length, of a file that was changed before, and not by other programs since.
  private static func mark(
    _ file: inout TIFFFile, end: UInt64
  ) throws(FormatError) -> (old: TIFFReader.Directory, length: UInt64)? {
    guard let first = file.chain.first, !file.hasMore, first.range.lowerBound >= UInt64(markLength) else { return nil }
    let start = first.range.lowerBound - UInt64(markLength)
    guard let bytes = try file.reader.bytes(start..<first.range.lowerBound), bytes.starts(with: markName) else {
      return nil
    }
    let numbers = stride(from: markName.count, to: markLength, by: 4).map {
      TIFFReader.number(bytes[$0..<$0 + 4], file.reader.isBigEndian)
    }
    let length = numbers[1]
    guard numbers[2] == file.reader.length, length + length % 2 == start, numbers[0] < length, end <= length,
      first.next < length
    else { return nil }
    let old = try file.reader.directory(at: numbers[0])
    return old.isComplete && old.range.upperBound <= length ? (old, length) : nil
  }

  mutating func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard !change.needsXMP || !first.repeated.contains(TIFFTag.xmp) else {
      throw .refused(reason: localized("the metadata (XMP) is stored more than once"))
    }
    if change.needsXMP, let entry = first[TIFFTag.xmp], entry.count > UInt64(TIFFHead.longestBlock) {
      // One that wasn't read isn't replaced by what was made without it.
      throw .refused(reason: localized("the metadata (XMP) is too long"))
    }
    if change.profile != .kept, file.picture?.page.range != first.range {
      throw .refused(reason: localized("the picture is stored in a form that can’t be changed"))
    }
    var fields = try fields(change)
    guard fields.count <= TIFFWriter.mostFields else { throw TIFFHead.tooLong }
    var isOld = fields.count == old.entries.count && first.next == old.next
    for index in fields.indices {
      if let entry = oldEntries[fields[index].tag], try isSame(fields[index], entry) {
        fields[index] = TIFFField(entry)
      } else {
        isOld = false
      }
    }
    let isBigEndian = file.reader.isBigEndian
    var erasure = TIFFErasure(file, oldReader, old)
    if change.records?.removesPlace == true { try erasure.erase(besides: fields, change.records) }
    if isOld {
      let head = TIFFWriter.head(
        firstDirectory: UInt32(truncatingIfNeeded: old.range.lowerBound), isBigEndian: isBigEndian)
      return try erasure.pieces(of: source, head: head, upTo: length)
    }
    var writer = TIFFWriter(isBigEndian: isBigEndian, base: length)
    writer.pad()
    writer.append(Self.markName)
    for number in [old.range.lowerBound, length, 0] { writer.append(word: UInt32(truncatingIfNeeded: number)) }
    let ownLength = writer.bytes.count - 4
    let (offset, _) = writer.append(fields, next: UInt32(truncatingIfNeeded: first.next))
    guard writer.end <= UInt64(UInt32.max) else { throw TIFFHead.tooLong }
    writer.set(word: UInt32(writer.end), at: ownLength)
    let head = TIFFWriter.head(firstDirectory: offset, isBigEndian: isBigEndian)
    return try erasure.pieces(of: source, head: head, upTo: length) + [.bytes(Data(writer.bytes))]
  }

  /// The entries of the new directory.
  private mutating func fields(_ change: PictureMetadata) throws(FormatError) -> [TIFFField] {
    var fields: [TIFFField] = []
    for entry in first.entries {
      let isKept =
        switch entry.tag {
        case TIFFTag.xmp: change.xmp == .kept
        case TIFFTag.profile: change.profile == .kept
        case let tag where TIFFTag.isExifPointer(tag) || TIFFTag.descriptive.contains(tag): change.exif == .kept
        default: true
        }
      guard isKept else { continue }
      if let records = change.records, let field = try file.changed(entry, records) {
        fields.append(field)
      } else {
        fields.append(try kept(entry))
      }
    }
    if case .replaced(let data) = change.exif {
      fields += try TIFFReader.exif(in: data, isBigEndian: file.reader.isBigEndian)
    }
    if case .replaced(let data) = change.xmp { fields.append(TIFFField(TIFFTag.xmp, bytes: [UInt8](data))) }
    if case .replaced(let data) = change.profile {
      fields.append(TIFFField(TIFFTag.profile, bytes: [UInt8](data), type: 7))
    }
    return fields.sorted { $0.tag < $1.tag }
  }

  /// An entry as it is, with its values where they don't stay where they are.
  private mutating func kept(_ entry: TIFFReader.Entry) throws(FormatError) -> TIFFField {
    if old != first, let same = oldEntries[entry.tag],
      (same.type, same.count, same.stored) == (entry.type, entry.count, entry.stored)
    {
      return TIFFField(entry)
    }
    if TIFFTag.isExifPointer(entry.tag) {
      guard let offset = try file.reader.value(entry), offset >= length else { return TIFFField(entry) }
      guard let field = try file.reader.exifDirectory(entry, &left) else { throw TIFFHead.damaged }
      return field
    }
    guard let count = entry.byteCount, !entry.isInside else { return TIFFField(entry) }
    guard let range = file.reader.range(of: entry) else {
      // Values of tags that nobody knows may be anywhere; known ones would become others in a longer file.
      guard entry.tag == TIFFTag.xmp || TIFFTag.descriptive.contains(entry.tag) else { return TIFFField(entry) }
      throw TIFFHead.damaged
    }
    if range.upperBound <= length || count == 0 { return TIFFField(entry) }
    guard let field = try file.reader.field(entry, &left) else { throw TIFFHead.tooLong }
    return field
  }

  /// Whether an entry of the old directory has the same values.
  private mutating func isSame(_ field: TIFFField, _ entry: TIFFReader.Entry) throws(FormatError) -> Bool {
    if case .directory = field.value {
      var left = Self.mostBytes
      return try oldReader.exifDirectory(entry, &left)?.value == field.value
    }
    // Programs differ in the type that they give blocks.
    let isBlock = [TIFFTag.xmp, TIFFTag.profile].contains(field.tag) && TIFFTag.blockTypes.contains(entry.type)
    guard UInt64(field.count) == entry.count, field.type == entry.type || isBlock else { return false }
    switch field.value {
    case .directory: return false
    case .stored(let number): return UInt64(number) == entry.stored
    case .bytes(let bytes):
      guard let range = oldReader.range(of: entry), range.count == bytes.count else { return false }
      return try oldReader.bytes(range) == bytes
    }
  }
}
