// EXIF's entries of a TIFF directory, with their values.

import Foundation
import Localization

extension TIFFReader {
  /// An entry with its values.
  ///
  /// - Parameter left: The bytes that may still be read; below zero once they would have been too many.
  /// - Returns: `nil` where the values are too long, beyond the file's end, or of a type that not every TIFF may have.
  /// - Throws: `FormatError.read`.
  mutating func field(_ entry: Entry, _ left: inout Int) throws(FormatError) -> TIFFField? {
    guard Self.classicTypes.contains(entry.type), let range = range(of: entry), entry.count <= UInt64(UInt32.max) else {
      return nil
    }
    // The entry counts as well: there may be very many of them.
    left = left.subtracting(12 + range.count)
    guard left >= 0, let bytes = try bytes(range) else { return nil }
    return TIFFField(entry, bytes: bytes)
  }

  /// The directory that an entry points to, with its values.
  ///
  /// - Parameters:
  ///   - nested: The tag of a directory in it.
  ///   - left: As for `field`.
  /// - Returns: `nil` when there is none, or nothing in it can be read.
  /// - Throws: `FormatError.read`.
  mutating func subdirectory(
    _ entry: Entry, nested: UInt16? = nil, _ left: inout Int
  ) throws(FormatError) -> TIFFField? {
    guard let offset = try value(entry), offset > 0 else { return nil }
    var fields: [TIFFField] = []
    for inner in try directory(at: offset).entries {
      guard left >= 0 else { return nil }
      let field =
        inner.tag == nested ? try subdirectory(inner, &left) : try field(inner, &left)
      if let field { fields.append(field) }
    }
    return fields.isEmpty ? nil : TIFFField(entry.tag, directory: fields.sorted { $0.tag < $1.tag })
  }

  /// The descriptive entries of a first directory, and the directories of EXIF, positions and interoperability, in the
  /// order of their tags.
  ///
  /// - Parameter left: As for `field`.
  /// - Throws: `FormatError.read`.
  mutating func exif(of first: Directory, _ left: inout Int) throws(FormatError) -> [TIFFField] {
    var fields: [TIFFField] = []
    for entry in first.entries {
      if TIFFTag.descriptive.contains(entry.tag) {
        if let field = try field(entry, &left) { fields.append(field) }
      } else if TIFFTag.isExifPointer(entry.tag), let field = try exifDirectory(entry, &left) {
        fields.append(field)
      }
    }
    return fields.sorted { $0.tag < $1.tag }
  }

  /// The directory of EXIF or positions that an entry points to.
  ///
  /// - Parameter left: As for `field`.
  /// - Throws: `FormatError.read`.
  mutating func exifDirectory(_ entry: Entry, _ left: inout Int) throws(FormatError) -> TIFFField? {
    try subdirectory(entry, nested: entry.tag == TIFFTag.exif ? TIFFTag.interoperability : nil, &left)
  }

  /// The entries of an EXIF block, in another byte order where wanted.
  ///
  /// - Parameter block: A TIFF structure. Of its first directory only what belongs to EXIF is taken: what describes
  ///   pixels, thumbnails among them, is for others.
  /// - Throws: `FormatError.refused` when it is none.
  static func exif(in block: Data, isBigEndian: Bool) throws(FormatError) -> [TIFFField] {
    guard var reader = try TIFFReader(DataSource(block, name: "EXIF")), !reader.isBig else {
      throw .refused(reason: localized("the metadata (EXIF) is damaged"))
    }
    var left = TIFFHead.longestBlock
    let fields = try reader.exif(of: try reader.directory(at: reader.firstDirectory), &left)
    guard left >= 0 else { throw .refused(reason: localized("the file has no room for more metadata")) }
    return reader.isBigEndian == isBigEndian ? fields : fields.map(\.swapped)
  }
}

extension Int {
  /// A difference that stays below zero once it is.
  fileprivate func subtracting(_ count: Int) -> Int { self < 0 ? self : self - count }
}
