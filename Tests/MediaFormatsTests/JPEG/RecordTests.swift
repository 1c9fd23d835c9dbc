// IPTC's records, and the digests that belong to them and to long XMP packets.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct RecordTests {
  private static let removal = RecordChanges(removesPlace: true, refusesDamage: true)

  private static func set(_ number: UInt8, _ text: String, record: UInt8 = 2) -> [UInt8] {
    [0x1c, record, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private static let city = set(90, "Bern")
  private static let caption = set(120, "A caption")

  /// RFC 1321, A.5.
  @Test(
    arguments: [
      ("", "D41D8CD98F00B204E9800998ECF8427E"), ("abc", "900150983CD24FB0D6963F7D28E17F72"),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57EDF4A22BE3C955AC49DA2E2107B67A"
      ),
    ])
  func digests(text: String, digest: String) { #expect(MD5.hexadecimal(Array(text.utf8)) == digest) }

  @Test func onlyPlacesGo() throws {
    // Another record has the same numbers, and long datasets have the length of their length in front.
    let other = Self.set(90, "no city", record: 3)
    let long: [UInt8] = [0x1c, 2, 200, 0x80, 4, 0, 0, 0, 3, 1, 2, 3]
    let bytes = Self.caption + Self.city + other + long
    #expect(try IPTCRecords.changed(bytes, Self.removal) == Self.caption + other + long)
    #expect(try IPTCRecords.changed(Self.caption + [0, 0, 0], Self.removal) == Self.caption + [0, 0, 0])
    #expect(try IPTCRecords.changed([], Self.removal) == [])
  }

  @Test func whatCanNotBeReadIsRefusedWhereAPlaceHasToGo() throws {
    let cut = Self.caption + Array(Self.city.dropLast())
    #expect(throws: FormatError.self) { try IPTCRecords.changed(cut, Self.removal) }
    #expect(try IPTCRecords.changed(cut, RecordChanges(removesPlace: true)) == cut)
    let block = Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 1, 0, 1]
    #expect(throws: FormatError.self) { try PhotoshopBlock.changed(block, Self.removal) }
    #expect(try PhotoshopBlock.changed(block, RecordChanges(removesPlace: true)) == block)
  }

  @Test func wordsInTheOtherByteOrderAreRead() throws {
    func swapped(_ bytes: [UInt8]) -> [UInt8] {
      stride(from: 0, to: bytes.count, by: 4).flatMap { bytes[$0..<$0 + 4].reversed() }
    }
    let bytes = Self.set(90, "Bern12345678901") + Self.set(120, "1234567")
    let new = Self.set(120, "1234567")
    #expect(bytes.count % 4 == 0 && new.count % 4 == 0)
    #expect(try IPTCRecords.changed(swapped(bytes), isOfWords: true, Self.removal) == swapped(new))
    #expect(try IPTCRecords.changed(bytes, isOfWords: true, Self.removal) == new)
  }

  private static func resource(_ id: Int, _ bytes: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + [UInt8(id >> 8), UInt8(id & 255), 0, 0] + HandMadeMovie.words(UInt64(bytes.count)) + bytes
      + (bytes.count % 2 == 1 ? [0] : [])
  }

  /// A digest that was right stays right; one that told of a change by another program still does.
  @Test func theDigestOfTheRecordIsRenewed() throws {
    let old = Self.city + Self.caption
    let stale = [UInt8](repeating: 7, count: 16)
    for (digest, expected) in [(MD5.digest(old), MD5.digest(Self.caption)), (stale, stale)] {
      let block = Self.resource(0x0425, digest) + Self.resource(0x0404, old) + Self.resource(0x040d, [1, 2, 3])
      let new =
        Self.resource(0x0425, expected) + Self.resource(0x0404, Self.caption) + Self.resource(0x040d, [1, 2, 3])
      #expect(try PhotoshopBlock.changed(block, Self.removal) == new)
    }
  }

  @Test func theDigestOfALongPacketIsRenewed() throws {
    let packet = Array(#"<a xmlns:p="http://ns.adobe.com/photoshop/1.0/" p:City="Bern" p:Headline="Ada"/>"#.utf8)
    func payloads(_ bytes: [UInt8], _ digest: String) -> [[UInt8]] {
      [0, 30].map { start in
        Array("http://ns.adobe.com/xmp/extension/\0\(digest)".utf8)
          + HandMadeMovie.words(UInt64(bytes.count), UInt64(start)) + bytes[start...].prefix(start == 0 ? 30 : 1000)
      }
    }
    let old = MD5.hexadecimal(packet)
    // In any order.
    var long = ExtendedXMP(payloads(packet, old).reversed())
    try long.change(isRequired: true) { packet throws(FormatError) in
      var new = packet
      try new.blankPosition()
      return new
    }
    let text = String(decoding: packet, as: UTF8.self)
    let new = Array(text.replacing(#" p:City="Bern""#, with: String(repeating: " ", count: 14)).utf8)
    #expect(long.payloads == payloads(new, MD5.hexadecimal(new)).reversed())
    #expect(long.digests == [old: MD5.hexadecimal(new)])
    // A piece is missing; the city is in the other one.
    for (index, piece) in payloads(packet, old).enumerated() {
      var cut = ExtendedXMP([piece])
      if index == 1 {
        #expect(throws: FormatError.self) { try cut.change(isRequired: true) { $0 } }
      } else {
        try cut.change(isRequired: true) { $0 }
      }
      try cut.change(isRequired: false) { $0 }
      #expect(cut.payloads == [piece])
    }
  }

  @Test func bytesThatPixelsShareAreNotOverwritten() throws {
    let record = Self.city + Self.caption
    var file = HandMadeTIFF()
    file.pages[0].strips[0] = record + [0]
    file.pages[0].fields.append(.bytes(33_723, record, type: 7))
    var data = file.data
    func removed() throws -> Data {
      try TIFFHead.pieces(of: DataSource(data, name: "a.tif"), PictureMetadata(records: Self.removal)).joined()
    }
    #expect(try removed() != data)
    // The pixels follow the head of the file.
    let entry = try #require(data.range(of: Data([0xbb, 0x83, 7, 0])))
    data.replaceSubrange(entry.upperBound + 4..<entry.upperBound + 8, with: [8, 0, 0, 0])
    #expect(throws: FormatError.self) { try removed() }
  }
}
