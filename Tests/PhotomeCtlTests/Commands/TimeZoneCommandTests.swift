// Dates of pictures that say nothing of a time zone, on computers in different ones.

import Foundation
import MediaFormats
import TestSupport
import Testing

@Suite struct TimeZoneCommandTests {
  private struct Dated: Decodable {
    var id: String
    var created: String
  }

  /// A file that tells a local time, and no offset from UTC.
  private static func file(_ date: String, isRaw: Bool) -> Data {
    var file = HandMadeTIFF()
    file.pages[0].fields.append(.directory(34_665, [.text(36_867, date)]))
    if isRaw {
      file.pages[0].fields.removeAll { $0.tag == 262 }
      file.pages[0].fields += [.short(262, 32_803), .bytes(50_706, [1, 4, 0, 0])]
    }
    return file.data
  }

  private func put(_ file: Data, _ name: String, in place: Place) throws -> URL {
    let folder = place.folder.appendingPathComponent("Library")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(name)
    try file.write(to: url)
    return url
  }

  private func list(_ place: Place, in zone: String) throws -> [Dated] {
    try place.decode([Dated].self, ["library", "list", "--json"] + place.library, with: ["TZ": zone])
  }

  private func date(_ place: Place, _ id: String, in zone: String, _ words: String...) throws -> [Dated] {
    try place.decode(
      [Dated].self, ["library", "date", id] + words + ["--json"] + place.library, with: ["TZ": zone])
  }

  /// The index still has the picture as it was read at home.
  @Test(arguments: ["a.dng", "a.tif"]) func aPictureIsDatedOnAComputerInAnotherZone(name: String) throws {
    let place = try Place()
    let url = try put(Self.file("2020:05:06 07:08:09", isRaw: name == "a.dng"), name, in: place)
    let before = try #require(try list(place, in: "Europe/Zurich").first)
    #expect(before.created == "2020-05-06T07:08:09.000+0200")
    let after = try date(place, before.id, in: "Asia/Tokyo", "--by", "1h")
    #expect(try Data(contentsOf: url).range(of: Data("2020:05:06 08:08:09".utf8)) != nil)
    #expect(after.map(\.created) == [name == "a.dng" ? "2020-05-06T08:08:09.000+0900" : "2020-05-06T08:08:09.000+0200"])
  }

  /// IPTC's records can't leave out the zone: an offset of 0 is none, and the computer's zone holds.
  @Test func anOffsetOfZeroInRecordsIsNoZone() throws {
    func record(_ number: UInt8, _ text: String) -> [UInt8] {
      [0x1c, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let records = record(55, "20200506") + record(60, "070809+0000")
    let resource = Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(records.count)] + records + [0]
    let block = try JPEGSegments.segment(marker: 0xed, payload: Data("Photoshop 3.0\0".utf8) + resource)
    var exif = try EXIFBlock(nil)
    try exif.set([.dateTimeOriginal: "2020:05:06 07:08:09"])
    let segment = try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif.bytes)
    let place = try Place()
    let url = try put(
      JPEGSegments(parsing: HandMadeJPEG(side: 16).data).assemble(front: [segment, block]), "a.jpg", in: place)
    let before = try #require(try list(place, in: "Europe/Zurich").first)
    #expect(before.created == "2020-05-06T07:08:09.000+0200")
    let after = try date(place, before.id, in: "Europe/Zurich", "--by", "1d")
    #expect(after.map(\.created) == ["2020-05-07T07:08:09.000+0200"])
    let bytes = try Data(contentsOf: url)
    for text in ["2020:05:07 07:08:09", "+02:00", "20200507"] {
      #expect(bytes.range(of: Data(text.utf8)) != nil, "\(text)")
    }
  }

  /// In summer the clocks there show another offset from UTC than the picture had.
  @Test func aRAWFileIsDatedAcrossTheChangeOfClocks() throws {
    let place = try Place()
    let url = try put(Self.file("2020:01:06 07:08:09", isRaw: true), "a.dng", in: place)
    let before = try #require(try list(place, in: "Europe/Zurich").first)
    _ = try date(place, before.id, in: "Europe/Zurich", "--to", "2020-07-01 10:11:12")
    #expect(try Data(contentsOf: url).range(of: Data("2020:07:01 10:11:12".utf8)) != nil)
    // A zone that it can't hold is refused in words.
    for zone in ["-03:30", "Europe/Zurich"] {
      let refused = try place.result(
        ["library", "date", before.id, "--zone", zone] + place.library,
        environment: place.environment.merging(["TZ": "Europe/Zurich"]) { $1 })
      #expect(refused.status != 0 && refused.errors.contains("time zone"), "\(refused.errors)")
    }
    #expect(try Data(contentsOf: url).range(of: Data("2020:07:01 10:11:12".utf8)) != nil)
  }

  /// Until 1894 clocks in Bern were 29 minutes and 46 seconds before Greenwich's.
  @Test func anOffsetWithSecondsIsRoundedAndTheInstantStays() throws {
    let place = try Place()
    let url = try put(Self.file("1890:05:06 07:08:09", isRaw: false), "a.tif", in: place)
    let before = try #require(try list(place, in: "Europe/Zurich").first)
    let moved = try date(place, before.id, in: "Europe/Zurich", "--by", "1h")
    #expect(moved.map(\.created) == ["1890-05-06T08:08:23.000+0030"])
    let bytes = try Data(contentsOf: url)
    #expect(bytes.range(of: Data("1890:05:06 08:08:23".utf8)) != nil && bytes.range(of: Data("+00:30".utf8)) != nil)
    // What a person types is what is written.
    let typed = try date(place, before.id, in: "UTC", "--to", "1891-01-01 12:00:00", "--zone", "Europe/Zurich")
    #expect(typed.map(\.created) == ["1891-01-01T12:00:00.000+0030"])
  }
}
