// When and where a movie was taken, in its XMP packets and in texts of other programs.

import Localization

extension MovieCaptureMetadata {
  /// In bytes, at the top level.
  private static let largestPacket: UInt64 = 16 << 20

  /// Changes the XMP packets at the top level, which keep their lengths.
  static func packetEdits(
    _ source: any ByteSource, _ range: Range<UInt64>, _ changes: Changes
  ) throws(FormatError) -> [Edit] {
    var edits: [Edit] = []
    for packet in try MoviePackets(source, range: range).top {
      guard packet.upperBound - packet.lowerBound <= largestPacket else {
        if changes.position != .removed { continue }
        throw .refused(reason: localized("the metadata (XMP) is too long"))
      }
      let old = try source.bytes(at: packet.lowerBound, count: packet.count)
      var new = old
      if changes.position != .kept {
        new = try XMPPacket.withoutPosition(new, isRequired: changes.position == .removed)?.bytes ?? new
      }
      if let date = changes.time?.date { new = try moved(new, date) }
      if new != old { edits.append(Edit(range: packet, bytes: new)) }
    }
    return edits
  }

  /// A packet with other dates; one that can't be parsed stays.
  private static func moved(_ bytes: [UInt8], _ date: DateChange) throws(FormatError) -> [UInt8] {
    guard var packet = try? XMPPacket(bytes) else { return bytes }
    try packet.moveTimes(date)
    guard packet.bytes.count == bytes.count else { throw XMPPacket.unsafeForm }
    return packet.bytes
  }

  /// Changes the texts in the user data, and in lists in iTunes' form, that say the former date.
  mutating func changeDates(_ date: DateChange) throws(FormatError) {
    try movie.changeAll("udta") { data throws(FormatError) in
      data.changeAll("©day") { box in
        guard box.bytes.count >= 4 else { return }
        let text = String(decoding: box.bytes[4...].prefix { $0 != 0 }, as: UTF8.self)
        if let new = date.text(instead: text) { box.bytes = Self.text(new, language: box.bytes[2..<4]) }
      }
      try data.changeAll("XMP_") { box throws(FormatError) in box.bytes = try Self.moved(box.bytes, date) }
      data.changeAll("meta") { Self.changeTunes(&$0, date) }
    }
    movie.changeAll("meta") { Self.changeTunes(&$0, date) }
  }

  /// Changes the date in a list in iTunes' form, at its place: `meta`, `ilst`, `©day`, `data`.
  private static func changeTunes(_ box: inout MP4Box, _ date: DateChange) {
    guard box.bytes.count > 4 else { return }
    let bytes = box.bytes
    func boxes(in range: Range<UInt64>) -> [MP4BoxHead] {
      var walker = MP4BoxWalker(MemoryReader(bytes[...]), in: range, limit: 1 << 12)
      var heads: [MP4BoxHead] = []
      while let head = walker.next() { heads.append(head) }
      return heads
    }
    let start: UInt64 = bytes.count >= 8 && bytes[4..<8].elementsEqual("hdlr".utf8) ? 0 : 4
    for list in boxes(in: start..<UInt64(bytes.count)) where list.type == "ilst" {
      for item in boxes(in: list.content) where item.type == "©day" {
        for data in boxes(in: item.content) where data.type == "data" && data.content.count > 8 {
          // Behind its type and its language.
          let range = Int(data.content.lowerBound) + 8..<Int(data.content.upperBound)
          guard let new = date.text(instead: String(decoding: bytes[range], as: UTF8.self)),
            new.utf8.count == range.count
          else { continue }
          box.bytes.replaceSubrange(range, with: new.utf8)
        }
      }
    }
  }
}
