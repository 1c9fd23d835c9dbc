// Metadata that programs write into a PNG file as text: EXIF, XMP and IPTC's records in hexadecimal digits.

import Foundation
import Localization

extension PNGFile {
  /// A text chunk, as far as it can be read.
  private struct Text {
    /// What is in front of the text: the keyword, and how the text is written.
    var head: ArraySlice<UInt8>
    var isCompressed = false
    /// `nil` when it can't be decompressed.
    var bytes: [UInt8]?
  }

  /// A block of metadata as a text, with what is in front of its digits.
  private struct Profile {
    var front: [UInt8]
    var bytes: [UInt8]
    /// Digits in a line; `nil` where they are in one.
    var lineLength: Int?
  }

  private static let profileKeyword = "raw profile type "
  /// The names of profiles that describe colors.
  private static let harmlessProfiles: Set<String> = ["icc", "icm"]
  /// In bytes: the longest text.
  private static let longestText = 16 << 20
  /// In bytes: a longer one that is compressed couldn't be brought back by undo.
  private static let longestCompressed = 32 << 10

  private static var unreadable: FormatError {
    .refused(reason: localized("metadata in its texts is damaged and may name the place"))
  }

  /// The new chunks for texts that tell the place: profiles of ImageMagick and other programs without it, and nothing
  /// instead of fields that are made for it.
  ///
  /// A profile is a text with the keyword `Raw profile type`, its name, the number of its bytes, and these in hexadecimal
  /// digits. Source: ImageMagick, coders/png.c, `Magick_png_write_raw_profile`; ExifTool, PNG tags, “TextualData”.
  ///
  /// - Throws: `FormatError.refused` when a place may be in what can't be read; `read`.
  func placelessTexts(
    in source: any ByteSource, _ change: RecordChanges
  ) throws(FormatError) -> [(chunk: Chunk, bytes: [UInt8])] {
    guard change.removesPlace else { return [] }
    var found: [(chunk: Chunk, bytes: [UInt8])] = []
    for chunk in chunks where ["tEXt", "zTXt", "iTXt"].contains(chunk.type) {
      let start = [UInt8](try source.prefix(at: chunk.content.lowerBound, count: min(80, chunk.content.count)))
      guard let end = start.firstIndex(of: 0) else { continue }
      let keyword = String(decoding: start[..<end], as: UTF8.self).lowercased()
      if Self.isOfPlace(keyword) {
        found.append((chunk, []))
        continue
      }
      guard keyword.hasPrefix(Self.profileKeyword),
        !Self.harmlessProfiles.contains(String(keyword.dropFirst(Self.profileKeyword.count)))
      else { continue }
      do throws(FormatError) {
        if let new = try Self.placeless(chunk, keyword, in: source) { found.append((chunk, new)) }
      } catch {
        if case .read = error { throw error }
        // Without a promise that nothing is left, what can't be changed stays.
        if change.refusesDamage { throw error }
      }
    }
    return found
  }

  /// Whether a field has a place: `exif:GPSLatitude`.
  private static func isOfPlace(_ keyword: String) -> Bool {
    ["gps", "latitude", "longitude", "location"].contains { keyword.contains($0) }
  }

  /// The chunk of a profile without its place; `nil` when it tells none.
  private static func placeless(
    _ chunk: Chunk, _ keyword: String, in source: any ByteSource
  ) throws(FormatError) -> [UInt8]? {
    guard chunk.content.count <= longestText else { throw unreadable }
    let content = [UInt8](try source.prefix(at: chunk.content.lowerBound, count: chunk.content.count))
    guard let text = text(chunk.type, content), let bytes = text.bytes, let profile = profile(bytes) else {
      throw unreadable
    }
    let new = try placeless(profile.bytes, String(keyword.dropFirst(profileKeyword.count)))
    if new == profile.bytes { return nil }
    // The place must not be gone for good when the change is undone.
    guard !text.isCompressed || chunk.content.count <= longestCompressed else { throw unreadable }
    let written = written(Profile(front: profile.front, bytes: new, lineLength: profile.lineLength))
    let whole = Array(text.head) + (text.isCompressed ? stored(written) : written)
    return switch chunk.type {
    case "zTXt": PNGFile.chunk("zTXt", whole)
    case "iTXt": PNGFile.chunk("iTXt", whole)
    default: PNGFile.chunk("tEXt", whole)
    }
  }

  /// Source: PNG, 11.3.3.2 to 11.3.3.4.
  private static func text(_ type: MP4Type, _ content: [UInt8]) -> Text? {
    guard let end = content.firstIndex(of: 0) else { return nil }
    var text = Text(head: content[...end])
    var start = end + 1
    if type == "zTXt" {
      // The method of compression, which is always zlib's.
      guard content.count > start, content[start] == 0 else { return nil }
      (start, text.isCompressed) = (start + 1, true)
    } else if type == "iTXt" {
      guard content.count > start + 2, let language = content[(start + 2)...].firstIndex(of: 0),
        let translated = content[(language + 1)...].firstIndex(of: 0)
      else { return nil }
      text.isCompressed = content[start] != 0
      start = translated + 1
    }
    text.head = content[..<start]
    let rest = content[start...]
    text.bytes = text.isCompressed ? Inflation.content(of: rest, limit: longestText) : Array(rest)
    return text
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  /// A name, the number of bytes, and the bytes, with white space around each.
  private static func profile(_ text: [UInt8]) -> Profile? {
    var at = 0
    func word() -> ArraySlice<UInt8> {
      while at < text.count, isSpace(text[at]) { at += 1 }
      let start = at
      while at < text.count, !isSpace(text[at]) { at += 1 }
      return text[start..<at]
    }
    _ = word()
    guard let count = Int(String(decoding: word(), as: UTF8.self)), count >= 0, count <= longestText else { return nil }
    while at < text.count, isSpace(text[at]) { at += 1 }
    let start = at
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var half: UInt8?
    for byte in text[start...] where !isSpace(byte) && byte != 0 {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      if let high = half {
        bytes.append(high << 4 | UInt8(digit))
        half = nil
      } else {
        half = UInt8(digit)
      }
    }
    guard half == nil, bytes.count == count else { return nil }
    let line = text[start...].firstIndex(where: isSpace).map { $0 - start }
    return Profile(front: Array(text[..<start]), bytes: bytes, lineLength: line.flatMap { $0 > 0 ? $0 : nil })
  }

  private static func written(_ profile: Profile) -> [UInt8] {
    // The number of bytes is the last word in front of the digits.
    let gap = Array(profile.front.reversed().prefix(while: isSpace).reversed())
    var text = profile.front.dropLast(gap.count)
    while let last = text.last, !isSpace(last) { text.removeLast() }
    // Some programs count on eight digits with spaces in front of them.
    let number = Array(String(profile.bytes.count).utf8)
    let room = profile.front.count - gap.count - text.count
    text += [UInt8](repeating: 0x20, count: max(0, room - number.count)) + number + gap
    let digits = Array("0123456789abcdef".utf8)
    let line = profile.lineLength ?? .max
    var column = 0
    for byte in profile.bytes {
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      column += 2
      if column >= line {
        text.append(0x0a)
        column = 0
      }
    }
    if profile.lineLength != nil, column > 0 { text.append(0x0a) }
    return Array(text)
  }

  /// The identifiers of a JPEG's segments, which may be in front of their blocks here as well, and the names of these.
  private static let identifiers = [
    ("Exif\0\0", "exif"), ("http://ns.adobe.com/xap/1.0/\0", "xmp"), ("Photoshop 3.0\0", "8bim"),
  ].map { (bytes: Array($0.utf8), name: $1) }

  private static func identifier(of bytes: [UInt8]) -> (bytes: [UInt8], name: String)? {
    identifiers.first { bytes.starts(with: $0.bytes) }
  }

  /// A block of metadata, with its identifier or without one, and without its place.
  ///
  /// - Parameter name: Of the profile, in lower case.
  /// - Throws: `FormatError.refused` when it is damaged, or of another kind and may name a place.
  private static func placeless(_ bytes: [UInt8], _ name: String) throws(FormatError) -> [UInt8] {
    guard let (identifier, name) = identifier(of: bytes) else { return try placeless(block: bytes, name) }
    let block = Array(bytes[identifier.count...])
    // No program writes a second one.
    guard self.identifier(of: block) == nil else { throw unreadable }
    return identifier + (try placeless(block: block, name))
  }

  private static func placeless(block bytes: [UInt8], _ name: String) throws(FormatError) -> [UInt8] {
    let change = RecordChanges(removesPlace: true, refusesDamage: true)
    if bytes.starts(with: "II".utf8) || bytes.starts(with: "MM".utf8) {
      var block = try EXIFBlock(Data(bytes))
      try block.removePosition()
      return block.bytes
    }
    if bytes.starts(with: "8BIM".utf8) { return try PhotoshopBlock.changed(bytes, change) }
    if bytes.first == 0x1c { return try IPTCRecords.changed(bytes, change) }
    if name == "xmp" { return try XMPPacket.withoutPosition(bytes, isRequired: true)?.bytes ?? bytes }
    guard !bytes.isEmpty, ["exif", "app1", "iptc", "8bim"].contains(name) || XMPPacket.mayNamePlace(bytes) else {
      return bytes
    }
    throw unreadable
  }
}
