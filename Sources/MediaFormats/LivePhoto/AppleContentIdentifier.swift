// The identifier that the two files of an Apple Live Photo share.

import Foundation

/// The UUID in both files of a pair, in upper case. Its form is not checked; it is only compared.
public enum AppleContentIdentifier {
  /// The identifier of a picture: tag 0x0011 of Apple's maker note, which is big endian and counts offsets from its own
  /// start.
  ///
  /// - Parameter exif: The TIFF structure behind `Exif\0\0`.
  public static func photo(exif: Data) -> String? {
    guard let tiff = TIFFStructure([UInt8](exif)) else { return nil }
    let exifDirectory = tiff.entries(at: tiff.firstDirectory).first { $0.tag == 0x8769 }
    guard let offset = exifDirectory.flatMap({ tiff.number(at: $0.value.lowerBound, bytes: 4) }),
      let note = tiff.entries(at: offset).first(where: { $0.tag == 0x927c })
    else { return nil }
    let bytes = Array(tiff.bytes[note.value])
    // “Apple iOS”, a version, the byte order, and the directory.
    guard bytes.starts(with: "Apple iOS\0".utf8), bytes.count > 14 else { return nil }
    let isBigEndian = bytes[12] == UInt8(ascii: "M")
    let apple = TIFFStructure(bytes, isBigEndian: isBigEndian)
    guard let entry = apple.entries(at: 14).first(where: { $0.tag == 0x11 }) else { return nil }
    return cleaned(apple.bytes[entry.value])
  }

  /// A new random identifier.
  public static func make() -> String { UUID().uuidString }

  /// Apple's maker note with only the identifier in it: “Apple iOS”, a version, the byte order, and a directory of one entry,
  /// whose text follows it at offset 32.
  ///
  /// - Parameter identifier: Of 36 letters.
  public static func makerNote(_ identifier: String) -> [UInt8] {
    let text = Array(identifier.utf8) + [0]
    return Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + BigEndian.halves(1, 0x11, 2)
      + BigEndian.words(UInt64(text.count), 32, 0) + text
  }

  /// The identifier of a movie: the key `com.apple.quicktime.content.identifier` of `moov/meta`.
  ///
  /// Source: QuickTime File Format, “Metadata atoms and types”.
  ///
  /// - Throws: `FormatError.read`.
  public static func movie(_ source: any ByteSource) throws(FormatError) -> String? {
    var window = ByteWindow(source)
    guard let movie = try box("moov", in: 0..<source.count, &window),
      let meta = try box("meta", in: movie, &window)
    else { return nil }
    // The ISO form begins with a version, QuickTime's doesn't.
    let isQuickTime = try window.begins(with: "hdlr", at: meta.lowerBound + 4)
    let parts = isQuickTime ? meta : min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
    guard let keys = try box("keys", in: parts, &window), let values = try box("ilst", in: parts, &window),
      let index = try index(of: "com.apple.quicktime.content.identifier", keys, &window),
      // The type of an item is the index of its key.
      let item = try box(MP4Type(code: index), in: values, &window), let data = try box("data", in: item, &window)
    else { return nil }
    // A type and a language come first.
    guard data.count > 8, data.count <= 8 + longest else { return nil }
    return cleaned(try window.bytes(at: data.lowerBound + 8, count: data.count - 8))
  }

  /// In bytes; a UUID has 36.
  private static let longest = 256
  /// Boxes or keys in one place. A file with more is an attack.
  private static let mostParts = 4096

  private static func cleaned(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines).uppercased()
    return text.isEmpty || text.utf8.count > longest ? nil : text
  }

  /// The content of the first box of a type.
  private static func box(
    _ type: MP4Type, in range: Range<UInt64>, _ window: inout ByteWindow
  ) throws(FormatError) -> Range<UInt64>? {
    var walker = MP4BoxWalker(window, in: range, limit: mostParts)
    defer { window = walker.bytes }
    while let box = try walker.next() {
      if box.type == type { return box.content }
    }
    return nil
  }

  /// The index of a key, counted from 1.
  private static func index(
    of name: StaticString, _ keys: Range<UInt64>, _ window: inout ByteWindow
  ) throws(FormatError) -> UInt32? {
    guard keys.count >= 8, let count = try window.number(at: keys.lowerBound + 4, bytes: 4) else { return nil }
    // A key has the form of a box, whose type is its namespace, `mdta`.
    var walker = MP4BoxWalker(
      window, in: keys.lowerBound + 8..<keys.upperBound, limit: Int(min(count, UInt64(mostParts))))
    defer { window = walker.bytes }
    var index: UInt32 = 0
    while let key = try walker.next() {
      index += 1
      if key.content.count == name.utf8CodeUnitCount,
        try walker.bytes.begins(with: name, at: key.content.lowerBound)
      {
        return index
      }
    }
    return nil
  }
}
