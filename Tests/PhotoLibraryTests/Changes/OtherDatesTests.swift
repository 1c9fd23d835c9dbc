// The dates of other programs in the same file, time zones, and packets that nobody can parse.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct OtherDatesTests {
  /// 06:56:40 in the zone, 12:26:40 UTC.
  private static let date = Date(timeIntervalSince1970: 1_600_000_000.5)
  private static let zone = TimeZone(secondsFromGMT: -5 * 3600 - 1800) ?? .gmt

  private static func exif(hasZone: Bool = true) throws -> Data {
    var block = try EXIFBlock(nil)
    try block.set([.dateTimeOriginal: "2020:05:06 07:08:09"])
    if hasZone { try block.set([.offsetOriginal: "+02:00"]) }
    return Data(block.bytes)
  }

  private static func jpeg(_ segments: Data..., hasZone: Bool = true) throws -> Data {
    let exif = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif(hasZone: hasZone))
    return try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [exif] + segments)
  }

  /// Changes the date of the only picture, and expects that undo gives the old bytes.
  ///
  /// - Returns: The file with the new date.
  private func dated(
    _ file: Data, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Data {
    let scratch = try Scratch()
    let url = try scratch.put(file, name)
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let change = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: asset.id, creationDate: Self.date, timeZone: Self.zone))
    }.change
    let new = try Data(contentsOf: url)
    let after = try #require(try await library.fetchAssets().first)
    #expect(abs(after.created.timeIntervalSince(Self.date)) < 1, sourceLocation: sourceLocation)
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: url) == file, sourceLocation: sourceLocation)
    await library.close()
    return new
  }

  private static func has(_ data: Data, _ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }

  // MARK: All dates move together

  private static let records =
    PlaceRemovalTests.record(55, "20200506") + PlaceRemovalTests.record(60, "070809+0200")
    + PlaceRemovalTests.record(62, "20200507") + PlaceRemovalTests.record(63, "101112+0000")
    + PlaceRemovalTests.record(90, PlaceRemovalTests.name)

  private func expectRecords(_ data: Data, sourceLocation: SourceLocation = #_sourceLocation) {
    for text in ["20200913", "065640-0530", "20200507", "101112+0000", PlaceRemovalTests.name] {
      #expect(Self.has(data, text), "\(text)", sourceLocation: sourceLocation)
    }
    #expect(!Self.has(data, "20200506") && !Self.has(data, "070809"), sourceLocation: sourceLocation)
  }

  @Test func iptcOfAJPEG() async throws {
    let block = try PlaceRemovalTests.segment(0xed, "Photoshop 3.0", PlaceRemovalTests.photoshop(Self.records))
    expectRecords(try await dated(Self.jpeg(block), "a.jpg"))
  }

  @Test func iptcOfATIFF() async throws {
    var file = HandMadeTIFF()
    file.pages[0].fields += [
      .directory(34_665, [.text(36_867, "2020:05:06 07:08:09"), .text(36_881, "+02:00")]),
      .bytes(33_723, Self.records, type: 7),
    ]
    let new = try await dated(file.data, "a.tif")
    // The old record stays in front of the new one.
    #expect(Self.has(new, "20200913") && Self.has(new, "065640-0530"))
  }

  private static func tunes(_ text: String) -> MP4Box {
    var list: [UInt8] = []
    var data: [UInt8] = []
    MP4Box("data", HandMadeMovie.words(1, 0) + Array(text.utf8)).write(to: &data)
    MP4Box("©day", data).write(to: &list)
    var bytes: [UInt8] = [0, 0, 0, 0]
    MP4Box("hdlr", HandMadeMovie.words(0, 0, UInt64(("mdir" as MP4Type).code), 0, 0, 0) + [0]).write(to: &bytes)
    MP4Box("ilst", list).write(to: &bytes)
    return MP4Box("meta", bytes)
  }

  @Test(arguments: [true, false]) func allTextsOfAMovie(isDescribedFirst: Bool) async throws {
    let packet = Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="2020-05-06T05:08:09Z" \
      xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:DateTimeOriginal="2001-02-03T04:05:06Z"/></rdf:RDF></x:xmpmeta>
      """.utf8)
    var keys = QuickTimeMetadata()
    keys.set(QuickTimeMetadata.creationDate, "2020-05-06T07:08:09+0200")
    var movie = HandMadeMovie()
    movie.isDescribedFirst = isDescribedFirst
    movie.more = [keys.box]
    movie.facts = [
      MP4Box("©day", [0, 10, 0x15, 0xc7] + Array("2020-05-06".utf8)), Self.tunes("2020-05-06T07:08:09+02:00"),
      MP4Box("XMP_", packet),
    ]
    movie.top = [MP4Box("uuid", MoviePackets.userType + packet)]
    let new = try await dated(movie.data, "a.mov")
    #expect(!Self.has(new, "2020-05-06"))
    for text in ["2020-09-13T12:26:40Z", "2020-09-13T06:56:40-05:30", "2020-09-13T06:56:40-0530", "2001-02-03"] {
      #expect(Self.has(new, text), "\(text)")
    }
    #expect(
      try MP4Head(DataSource(new, name: "a.mov"), range: 0..<UInt64(new.count))?.date == "2020-09-13T06:56:40-0530")
  }

  @Test func anotherDayInTheUserDataStays() async throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("©day", [0, 4, 0x15, 0xc7] + Array("1999".utf8))]
    #expect(Self.has(try await dated(movie.data, "a.mp4"), "1999"))
  }

  @Test(arguments: ["Wed, 06 May 2020 07:08:09 +0200", "2020:05:06 07:08:09", "6 May 1999 07:08:09 GMT"])
  func theCreationTimeOfAPNG(text: String) async throws {
    let file = HandMadePNG.data(front: [
      HandMadePNG.chunk("tEXt", Array("Creation Time\0\(text)".utf8)),
      HandMadePNG.chunk("eXIf", Array(try Self.exif())),
    ])
    let new = try await dated(file, "a.png")
    let expected = [
      "Sun, 13 Sep 2020 06:56:40 -0530", "2020:09:13 06:56:40", "6 May 1999 07:08:09 GMT",
    ]
    #expect(expected.contains { Self.has(new, "Creation Time\0\($0)") })
    #expect(text.contains("1999") == Self.has(new, text))
    #expect(try PNGHead.walk(DataSource(new, name: "a.png")) == .complete)
  }

  // MARK: Zones

  @Test func theComputersOwnZoneIsWrittenToo() async throws {
    let scratch = try Scratch()
    let file = try Self.jpeg(hasZone: false)
    let url = try scratch.put(file, "a.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let zone = try #require(TimeZone(secondsFromGMT: asset.utcOffset))
    let request = AssetChangeRequest(for: asset.id, timeZone: zone)
    let change = try await library.performReversibly { $0.change(request) }.change
    let new = try Data(contentsOf: url)
    let exif = try #require(try JPEGHead(DataSource(new, name: "a.jpg"))?.exif)
    #expect(try EXIFBlock(exif).text(.offsetOriginal)?.count == 6)
    #expect(try await library.fetchAssets().map(\.created) == [asset.created])
    try await library.performChanges { $0.change(request) }
    #expect(try Data(contentsOf: url) == new)
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: url) == file)
  }

  /// EXIF says no zone, and the others do: it is theirs, and not the one of the computer on which the date is changed.
  @Test(arguments: ["+02:00", "+05:45", "-03:00"]) func theZoneOfOtherDatesHolds(zone: String) async throws {
    let digits = zone.filter { $0 != ":" }
    let records = PlaceRemovalTests.record(55, "20200506") + PlaceRemovalTests.record(60, "070809\(digits)")
    let packet = PlaceRemovalTests.packet(
      "<photoshop:DateCreated>2020-05-06T07:08:09\(zone)</photoshop:DateCreated>")
    let block = try PlaceRemovalTests.segment(0xed, "Photoshop 3.0", PlaceRemovalTests.photoshop(records))
    let xmp = try PlaceRemovalTests.segment(JPEGMarker.app1, "http://ns.adobe.com/xap/1.0/", Array(packet.utf8))
    for segments in [[xmp], [block], [xmp, block]] {
      let scratch = try Scratch()
      let exif = try JPEGSegments.segment(
        marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + Self.exif(hasZone: false))
      let file = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [exif] + segments)
      let url = try scratch.put(file, "a.jpg")
      let library = try await scratch.library()
      try await library.refresh()
      let asset = try #require(try await library.fetchAssets().first)
      let change = try await library.performReversibly {
        $0.change(AssetChangeRequest(for: asset.id, creationDate: asset.created.addingTimeInterval(-86_400)))
      }.change
      let new = try Data(contentsOf: url)
      let read = try #require(try JPEGHead(DataSource(new, name: "a.jpg"))?.exif)
      #expect(try EXIFBlock(read).text(.dateTimeOriginal) == "2020:05:05 07:08:09")
      #expect(try EXIFBlock(read).text(.offsetOriginal) == zone)
      #expect(Self.has(new, "2020-05-05T07:08:09\(zone)") == segments.contains(xmp))
      #expect(Self.has(new, "070809\(digits)") == segments.contains(block))
      #expect(Self.has(new, "20200505") == segments.contains(block))
      let after = try #require(try await library.fetchAssets().first)
      #expect(
        LocalTime(milliseconds: after.created.millisecondsSince1970, utcOffset: after.utcOffset).exifOffset == zone)
      _ = try await library.reverse(change)
      #expect(try Data(contentsOf: url) == file)
      #expect(try await library.fetchAssets().first?.created == asset.created)
      await library.close()
    }
  }

  /// IPTC can't leave out the zone, so programs that don't know it write Greenwich's.
  @Test(
    arguments: [
      ("+0000", nil, nil), ("-0000", nil, nil), ("+0000", "Z", nil), ("+0000", "+00:00", 0),
      ("+0000", "+03:00", 10_800),
      ("+0100", nil, 3600),
    ] as [(String, String?, Int?)])
  func anOffsetOfZeroInIPTCStatesNoZone(digits: String, other: String?, offset: Int?) async throws {
    let records = PlaceRemovalTests.record(55, "20200506") + PlaceRemovalTests.record(60, "070809\(digits)")
    var segments = [try PlaceRemovalTests.segment(0xed, "Photoshop 3.0", PlaceRemovalTests.photoshop(records))]
    if let other {
      let packet = PlaceRemovalTests.packet(
        "<photoshop:DateCreated>2020-05-06T07:08:09\(other)</photoshop:DateCreated>")
      segments.append(
        try PlaceRemovalTests.segment(JPEGMarker.app1, "http://ns.adobe.com/xap/1.0/", Array(packet.utf8)))
    }
    let exif = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + Self.exif(hasZone: false))
    let scratch = try Scratch()
    let url = try scratch.put(JPEGSegments(parsing: Samples.jpeg()).assemble(front: [exif] + segments), "a.jpg")
    // As it is read on a computer in a zone two hours east of Greenwich.
    let before = CaptureMetadata(milliseconds: 1_588_741_689_000, utcOffset: 7200, location: nil)
    let stated = try CaptureMetadataRewriter.statedOffset(
      of: ReadableFile(url.path, disk: Disk()), name: "a.jpg", before)
    #expect(stated == offset)
  }

  /// A zone that is asked for holds for all of them.
  @Test func otherDatesGoAlongIntoAnotherZone() async throws {
    let records = PlaceRemovalTests.record(55, "20200506") + PlaceRemovalTests.record(60, "070809+0545")
    let block = try PlaceRemovalTests.segment(0xed, "Photoshop 3.0", PlaceRemovalTests.photoshop(records))
    let new = try await dated(Self.jpeg(block, hasZone: false), "a.jpg")
    #expect(Self.has(new, "20200913") && Self.has(new, "065640-0530"))
  }

  // MARK: Damaged packets

  private static func damaged(_ text: String) throws -> Data {
    try PlaceRemovalTests.segment(JPEGMarker.app1, "http://ns.adobe.com/xap/1.0/", Array("<x:xmpmeta><a>\(text)".utf8))
  }

  @Test func aDamagedPacketStaysAndTheDateChanges() async throws {
    let packet = try Self.damaged("GPSLatitude")
    #expect(try await dated(Self.jpeg(packet), "a.jpg").range(of: packet) != nil)
  }

  @Test(arguments: [("exif:GPSLatitude 46", true), ("photoshop:City", true), ("dc:title of Ada", false)])
  func aPlaceIsNotCalledRemovedWhereADamagedPacketMayNameIt(text: String, isRefused: Bool) async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Self.jpeg(Self.damaged(text)), "a.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    let id = try #require(try await library.fetchAssets().first).id
    let place = try #require(GeoLocation(latitude: 46.948, longitude: 7.4474))
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, location: .set(place))) }
    #expect(try await library.fetchAssets().first?.location != nil)
    let placed = try Data(contentsOf: url)
    let outcome = await library.changeCaptureMetadata([AssetChangeRequest(for: id, location: .removed)])
    #expect(outcome.refused.isEmpty != isRefused)
    if isRefused {
      #expect(outcome.refused.first?.description.contains("damaged") == true)
      #expect(try Data(contentsOf: url) == placed)
    } else {
      #expect(try await library.fetchAssets().first?.location == nil)
    }
    #expect(Self.has(try Data(contentsOf: url), text))
  }

  @Test func nullIslandIsRefusedInWords() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Self.jpeg(), "a.jpg")
    let bytes = try Data(contentsOf: url)
    let library = try await scratch.library()
    try await library.refresh()
    let id = try #require(try await library.fetchAssets().first).id
    let place = try #require(GeoLocation(latitude: 0, longitude: 0))
    let outcome = await library.changeCaptureMetadata([AssetChangeRequest(for: id, location: .set(place))])
    #expect(outcome.refused.first?.description.contains("unknown place") == true, "\(outcome.refused)")
    #expect(try Data(contentsOf: url) == bytes)
  }
}
