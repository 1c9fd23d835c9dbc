// Reads and writes the mark by which the two files of an Apple Live Photo belong together.

import CameraCore
import Foundation

/// The UUID that stands in both files of a pair. Upper-case; its form is not checked, only compared.
enum AppleContentIdentifier {
  /// In a picture: tag 0x0011 of Apple's maker note, which is big endian and counts offsets from its own start.
  ///
  /// - Parameter exif: The TIFF structure behind `Exif\0\0`.
  static func photo(exif: Data) -> String? {
    guard let tiff = TIFFStructure([UInt8](exif)) else { return nil }
    let exifDirectory = tiff.entries(at: tiff.firstDirectory).first { $0.tag == 0x8769 }
    guard let offset = exifDirectory.flatMap({ tiff.number(at: $0.value.lowerBound, bytes: 4) }),
      let note = tiff.entries(at: offset).first(where: { $0.tag == 0x927c })
    else { return nil }
    let bytes = Array(tiff.bytes[note.value])
    // “Apple iOS”, a version, the order of the bytes, and the directory.
    guard bytes.starts(with: "Apple iOS\0".utf8), bytes.count > 14 else { return nil }
    let isBigEndian = bytes[12] == UInt8(ascii: "M")
    let apple = TIFFStructure(bytes, isBigEndian: isBigEndian)
    guard let entry = apple.entries(at: 14).first(where: { $0.tag == 0x11 }) else { return nil }
    return cleaned(apple.bytes[entry.value])
  }

  /// A new one.
  static func make() -> String { UUID().uuidString }

  /// Apple's maker note with nothing in it but the mark: “Apple iOS”, a version, the order of the bytes, and a directory of
  /// one entry, whose text follows it at offset 32.
  ///
  /// - Parameter identifier: Of 36 letters.
  static func makerNote(_ identifier: String) -> [UInt8] {
    let text = Array(identifier.utf8) + [0]
    return Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + MP4Bytes.halves(1, 0x11, 2)
      + MP4Bytes.words(UInt64(text.count), 32, 0) + text
  }

  /// In a movie: the key `com.apple.quicktime.content.identifier` of `moov/meta`.
  ///
  /// Source: QuickTime File Format, “Metadata atoms and types”.
  static func movie(_ file: ReadableFile) throws(PhotoLibraryError) -> String? {
    var window = FileWindow(file)
    guard let movie = try box("moov", in: 0..<file.size, &window),
      let meta = try box("meta", in: movie, &window)
    else { return nil }
    // The ISO form begins with a version, QuickTime's doesn't.
    let isQuickTime = try window.begins(with: "hdlr", at: meta.lowerBound + 4)
    let parts = isQuickTime ? meta : min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
    guard let keys = try box("keys", in: parts, &window), let values = try box("ilst", in: parts, &window),
      let number = try index(of: "com.apple.quicktime.content.identifier", keys, &window),
      // The type of an item is the number of its key.
      let item = try box(in: values, &window, where: { $0 == number }), let data = try box("data", in: item, &window)
    else { return nil }
    // A type and a language come first.
    guard data.count > 8, data.count <= 8 + longest else { return nil }
    return cleaned(ArraySlice(try window.bytes(at: data.lowerBound + 8, count: data.count - 8)))
  }

  /// In bytes; a UUID has 36.
  private static let longest = 256
  /// More boxes or keys than this in one place is an attempt to keep us busy.
  private static let mostParts = 4096

  private static func cleaned(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines).uppercased()
    return text.isEmpty || text.utf8.count > longest ? nil : text
  }

  /// The content of the first box of a type.
  private static func box(
    _ type: StaticString, in range: Range<UInt64>, _ window: inout FileWindow
  ) throws(PhotoLibraryError) -> Range<UInt64>? {
    let code = type.withUTF8Buffer { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return try box(in: range, &window) { $0 == code }
  }

  private static func box(
    in range: Range<UInt64>, _ window: inout FileWindow, where isWanted: (UInt64) -> Bool
  ) throws(PhotoLibraryError) -> Range<UInt64>? {
    var offset = range.lowerBound
    for _ in 0..<mostParts {
      guard range.upperBound - offset >= 8, var length = try window.number(at: offset, bytes: 4),
        let type = try window.number(at: offset + 4, bytes: 4)
      else { return nil }
      var header: UInt64 = 8
      if length == 1 {
        guard let long = try window.number(at: offset + 8, bytes: 8) else { return nil }
        (length, header) = (long, 16)
      } else if length == 0 {
        length = range.upperBound - offset
      }
      guard length >= header, length <= range.upperBound - offset else { return nil }
      if isWanted(type) { return offset + header..<offset + length }
      offset += length
    }
    return nil
  }

  /// Which key, counted from 1, has a name.
  private static func index(
    of name: StaticString, _ keys: Range<UInt64>, _ window: inout FileWindow
  ) throws(PhotoLibraryError) -> UInt64? {
    guard keys.count >= 8, let count = try window.number(at: keys.lowerBound + 4, bytes: 4) else { return nil }
    var offset = keys.lowerBound + 8
    for number in 0..<min(count, UInt64(mostParts)) {
      guard keys.upperBound > offset, let length = try window.number(at: offset, bytes: 4), length >= 8,
        length <= keys.upperBound - offset
      else { return nil }
      // Behind the length and the namespace `mdta`.
      if length - 8 == UInt64(name.utf8CodeUnitCount), try window.begins(with: name, at: offset + 8) {
        return number + 1
      }
      offset += length
    }
    return nil
  }
}
