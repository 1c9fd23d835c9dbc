// Places that are removed from a TIFF file with all bytes that told them.

import Foundation
import Localization

/// Overwrites what a changed TIFF file no longer needs where it told a place: blocks that a new first directory replaces,
/// and those of further pages. All other bytes keep their values and their offsets.
struct TIFFErasure {
  private var file: TIFFFile
  /// Of the file without what PhotoMe has written behind it.
  private var reader: TIFFReader
  /// The first directory of that.
  private let first: TIFFReader.Directory
  private var splice = ByteSplice()
  private var seen: Set<Range<UInt64>> = []
  /// What stays, and must not be overwritten.
  private var kept: [Range<UInt64>] = []
  private var left = Self.mostBytes

  /// The most bytes that are overwritten.
  private static let mostBytes = 64 << 20

  init(_ file: TIFFFile, _ reader: TIFFReader, _ first: TIFFReader.Directory) {
    (self.file, self.reader, self.first) = (file, reader, first)
  }

  private static var unusual: FormatError {
    .refused(reason: localized("the metadata is stored in a form that can’t be changed"))
  }

  /// Notes the bytes that are overwritten.
  ///
  /// - Parameter fields: Of the new first directory.
  /// - Throws: `FormatError.refused` when something that stays is in them, or can't be changed.
  mutating func erase(besides fields: [TIFFField], _ change: RecordChanges?) throws(FormatError) {
    let stored = Set(fields.filter { if case .stored = $0.value { true } else { false } }.map(\.tag))
    var directories = [first] + file.chain.dropFirst()
    for directory in directories { directories += try file.subdirectories(of: directory) }
    // The first one at last: what further pages have in common with it is changed, and not overwritten.
    for (index, directory) in directories.enumerated().reversed() {
      kept.append(directory.range)
      kept += try file.pixels(of: directory).ranges
      for entry in directory.entries {
        let range = entry.isInside ? nil : reader.range(of: entry)
        switch entry.tag {
        case TIFFTag.positions where index > 0 || !stored.contains(entry.tag): try eraseDirectory(entry)
        case let tag where TIFFTag.isExifPointer(tag): try keepDirectory(entry)
        case let tag where TIFFTag.described.contains(tag) && index > 0:
          try blank(entry, change)
          if let range, !seen.contains(range) { kept.append(range) }
        case let tag where TIFFTag.described.contains(tag) && !stored.contains(tag):
          if let range { try overwrite(range, with: BigEndian.zeros(range.count)) }
        default: if let range { kept.append(range) }
        }
      }
    }
    try check()
  }

  /// The pieces of the file with another head, up to an offset.
  ///
  /// - Throws: `FormatError.refused` when bytes that are overwritten have others in common.
  func pieces<Source: ByteSource>(
    of source: Source, head: [UInt8], upTo end: UInt64
  ) throws(FormatError) -> [BytePiece<Source>] {
    var all = splice
    all.replace(0..<UInt64(head.count), with: head)
    try all.sort()
    return all.pieces(of: source, upTo: end)
  }

  /// Bytes of the same number. Pages may share a block.
  private mutating func overwrite(_ range: Range<UInt64>, with bytes: [UInt8]) throws(FormatError) {
    guard !range.isEmpty, seen.insert(range).inserted else { return }
    left -= bytes.count
    guard left >= 0 else { throw TIFFHead.tooLong }
    splice.replace(range, with: bytes)
  }

  /// Overwrites a directory with its values, so that it has no entries.
  private mutating func eraseDirectory(_ entry: TIFFReader.Entry) throws(FormatError) {
    guard let offset = try reader.value(entry), offset > 0 else { return }
    let directory = try reader.directory(at: offset)
    for inner in directory.entries where !inner.isInside {
      if let range = reader.range(of: inner), !directory.range.contains(range.lowerBound) {
        try overwrite(range, with: BigEndian.zeros(range.count))
      }
    }
    try overwrite(directory.range, with: BigEndian.zeros(directory.range.count))
  }

  private mutating func keepDirectory(_ entry: TIFFReader.Entry, isNested: Bool = false) throws(FormatError) {
    guard let offset = try reader.value(entry), offset > 0 else { return }
    let directory = try reader.directory(at: offset)
    kept.append(directory.range)
    for inner in directory.entries {
      if inner.tag == TIFFTag.interoperability, !isNested { try keepDirectory(inner, isNested: true) }
      if !inner.isInside, let range = reader.range(of: inner) { kept.append(range) }
    }
  }

  /// Removes the place from a block of another page, which keeps its length.
  private mutating func blank(_ entry: TIFFReader.Entry, _ change: RecordChanges?) throws(FormatError) {
    guard let range = reader.range(of: entry), !entry.isInside, !range.isEmpty else { return }
    guard range.count <= TIFFHead.longestBlock, let old = try reader.bytes(range) else { throw Self.unusual }
    var new = old
    if entry.tag == TIFFTag.xmp {
      guard let packet = try XMPPacket.withoutPosition(old, isRequired: change?.refusesDamage == true) else { return }
      new = packet.bytes
    } else if let change, let field = try file.changed(entry, change), case .bytes(let bytes) = field.value {
      new = bytes + BigEndian.zeros(old.count - bytes.count)
    }
    guard new.count == old.count else { throw Self.unusual }
    if new != old { try overwrite(range, with: new) }
  }

  /// Checks that nothing that stays is overwritten.
  private mutating func check() throws(FormatError) {
    kept.append(0..<8)
    kept.sort { $0.lowerBound < $1.lowerBound }
    let erased = splice.edits.map(\.range).sorted { $0.lowerBound < $1.lowerBound }
    var (index, end): (Int, UInt64) = (0, 0)
    for range in erased {
      while index < kept.count, kept[index].lowerBound < range.upperBound {
        end = max(end, kept[index].upperBound)
        index += 1
      }
      guard end <= range.lowerBound else { throw Self.unusual }
    }
  }
}

extension TIFFFile {
  /// Whether any directory has blocks in which a place may be.
  var describesPlaces: Bool {
    mutating get throws(FormatError) {
      for directory in chain {
        for directory in [directory] + (try subdirectories(of: directory)) {
          if directory.entries.contains(where: { TIFFTag.described.contains($0.tag) || $0.tag == TIFFTag.positions }) {
            return true
          }
        }
      }
      return false
    }
  }

  /// IPTC's records, or Photoshop's resources, with a change made; `nil` for another tag, and when nothing changes.
  ///
  /// - Throws: `FormatError.refused` when a place may be in what can't be read.
  mutating func changed(_ entry: TIFFReader.Entry, _ change: RecordChanges) throws(FormatError) -> TIFFField? {
    guard [TIFFTag.iptc, TIFFTag.photoshop].contains(entry.tag), let range = reader.range(of: entry), !range.isEmpty
    else { return nil }
    guard range.count <= TIFFHead.longestBlock, let old = try reader.bytes(range) else { throw TIFFHead.tooLong }
    let isOfWords = [4, 13].contains(entry.type)
    let new =
      entry.tag == TIFFTag.iptc
      ? try IPTCRecords.changed(old, isOfWords: isOfWords, change) : try PhotoshopBlock.changed(old, change)
    guard new != old else { return nil }
    var field = TIFFField(entry, bytes: new)
    field.count = UInt32(isOfWords ? new.count / 4 : new.count)
    return field
  }
}
