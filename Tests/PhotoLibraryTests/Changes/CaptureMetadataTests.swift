// When and where pictures were taken: changed in their own files, and taken back byte for byte.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct CaptureMetadataTests {
  private static let date = Date(timeIntervalSince1970: 1_600_000_000.5)
  private static let zone = TimeZone(secondsFromGMT: -5 * 3600 - 1800) ?? .gmt
  private static let bern = GeoLocation(latitude: 46.948, longitude: 7.4474)

  /// A file of each format that can hold it.
  private static func file(_ name: String) throws -> Data {
    switch name {
    case "tagged.jpg": return try TaggedPicture().data()
    case "plain.jpg": return try Samples.jpeg()
    case "a.heic":
      var file = HandMadeHEIF()
      file.exif = Array(try MetadataToolkit.exif(for: Samples.metadata(), id: Asset.makeID()))
      return file.data
    case "a.png": return HandMadePNG.data()
    case "first.mp4": return HandMadeMovie().data
    case "short.mp4": return Samples.mp4(mediaBytes: 40)
    case "last.mov":
      var movie = HandMadeMovie.placed()
      movie.isDescribedFirst = false
      return movie.data
    default: return try RawPictureTests.file()
    }
  }

  private func only(_ library: PhotoLibrary) async throws -> Asset {
    let assets = try await library.fetchAssets()
    #expect(assets.count == 1)
    return try #require(assets.first)
  }

  private func expect(_ asset: Asset, _ place: GeoLocation?, sourceLocation: SourceLocation = #_sourceLocation) {
    // Movies have whole seconds, and a raw file has no room for their parts.
    let tolerance = asset.mediaType == .video || asset.url.pathExtension == "dng" ? 1.0 : 0.001
    #expect(abs(asset.created.timeIntervalSince(Self.date)) < tolerance, sourceLocation: sourceLocation)
    #expect(asset.utcOffset == Self.zone.secondsFromGMT(), sourceLocation: sourceLocation)
    #expect(abs((asset.location?.latitude ?? 0) - (place?.latitude ?? 0)) < 0.0001, sourceLocation: sourceLocation)
    #expect(abs((asset.location?.longitude ?? 0) - (place?.longitude ?? 0)) < 0.0001, sourceLocation: sourceLocation)
  }

  /// Found by fuzzing: a track without an end, whose date is also read as something else.
  @Test func aDamagedMovieThatWouldBeAnotherIsRefused() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let bytes = try #require(
      Data(
        base64Encoded: """
          AAAAFGZ0eXBpc29tAAAAAG1wNDIAAAGBbW9vdgAAAHhtdmhkAQAAAAAAAADodUcAAAAAAOh1RwAAAV+QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA \
          AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAMV0cmFrAAAAaHRraGQB \
          AAAAAAAAAOh1RwAAAAAA6HVHAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAABAAAAAAAACQAAAAABAAAAAAAAAAAAAAAAAA \
          BAAAAAABAAAAAQAAAAAABVbWRpYQAAACxtZGhkAQAAAAAAAADodUcAAAAAAOh1RwAAAV+QAAAAAAAAAAAAAAAAAAAAIWhkbHIAAAAAAAAAAHZp \
          ZGUAAAAAAAAAAAAAAAAAAAAAPGphcnRtdmV4AAAAFG1laGQBAAAAAAAAAAAAAAAAAEh0P3JhZgAAABR0ZmhkAAAAAAAAAAEAAAu4AAAAHHRydW \
          4AAAEBAAAAAgAAAAAAAAu4AAALuAAAABB0cnVuAAAAAAAAAAMAAABgAAAAAAAAAAAAAAAAAAAAAAAAxXRyYWsAAABodGtoZAEAZmhkAAAACAAA \
          AAEAAAu4AAAAHHRydW4AAAEBAAAAAgAAAAAAAAu4AAALuAAAABB0cnVuAAAAAAAAAAMAAAABbWRhdAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAA \
          ==
          """, options: .ignoreUnknownCharacters))
    let file = try scratch.put(bytes, "2026-11/VID_1.mp4")
    let before = try #require(try FileFacts(ReadableFile(file.path, disk: Disk())))
    try await library.refresh()
    let asset = try await only(library)
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges {
        $0.change(AssetChangeRequest(for: asset.id, creationDate: Self.date, timeZone: Self.zone))
      }
    }
    #expect(try Data(contentsOf: file) == bytes)
    let after = try #require(try FileFacts(ReadableFile(file.path, disk: Disk())))
    #expect(after.isShown(as: before))
    await library.close()
  }

  @Test func aPlaceThatOnlyThePacketTellsIsRemovedAsWell() async throws {
    let scratch = try Scratch()
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
      rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
      exif:GPSLatitude="46,57N" exif:GPSLongitude="7,27E" photoshop:City="Bern"/></rdf:RDF></x:xmpmeta>
      """
    let segment = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8))
    let bytes = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [segment])
    let url = try scratch.put(bytes, "a.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try await only(library)
    let request = AssetChangeRequest(for: asset.id, location: .removed)
    let change = try await library.performReversibly { $0.change(request) }.change
    let new = try Data(contentsOf: url)
    #expect(new.range(of: Data("46,57".utf8)) == nil && new.range(of: Data("Bern".utf8)) == nil)
    #expect(try await only(library).id == asset.id)
    // There is nothing left to be removed.
    try await library.performChanges { $0.change(request) }
    #expect(try Data(contentsOf: url) == new)
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: url) == bytes)
  }

  /// Its identity is of the coded picture alone, though that is short and the movie behind it changes.
  @Test func aShortPictureWithAMovieStaysTheSamePicture() async throws {
    let scratch = try Scratch()
    let movie = HandMadeMovie.placed().data
    let still = try PhotoAssembly.livePhoto(
      photo: Samples.jpeg(), movieLength: UInt64(movie.count), photoDisplayTime: 0.5)
    _ = try scratch.put(still + movie, "IMG.MP.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    let before = try await only(library)
    #expect(before.isLive)
    try await library.performChanges { $0.change(AssetChangeRequest(for: before.id, isFavorite: true)) }
    let bytes = try Data(contentsOf: before.url)
    let request = AssetChangeRequest(
      for: before.id, creationDate: Self.date, timeZone: Self.zone, location: Self.bern.map { .set($0) })
    let change = try await library.performReversibly { $0.change(request) }.change
    try await library.refresh()
    let after = try await only(library)
    #expect(after.id == before.id && after.isFavorite && after.isLive)
    expect(after, Self.bern)
    #expect(try await library.verify().problems.isEmpty)
    _ = try await library.reverse(change)
    #expect(try await only(library).id == before.id)
    #expect(try Data(contentsOf: after.url) == bytes)
  }

  @Test(arguments: ["tagged.jpg", "plain.jpg", "a.heic", "a.png", "first.mp4", "short.mp4", "last.mov", "DSC_1.dng"])
  func aFileHoldsItAndIsAsItWasAfterUndo(name: String) async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Self.file(name), name)
    let library = try await scratch.library()
    try await library.refresh()
    let (before, bytes) = (try await only(library), try Data(contentsOf: url))
    let problems = try await library.verify().problems.count
    let place = name.hasSuffix("dng") ? nil : Self.bern
    let request = AssetChangeRequest(
      for: before.id, creationDate: Self.date, timeZone: Self.zone, location: place.map { .set($0) })
    let change = try await library.performReversibly { $0.change(request) }.change
    let after = try await only(library)
    #expect(after.id == before.id)
    expect(after, place)
    let new = try Data(contentsOf: url)
    #expect(try await library.verify().problems.count == problems)
    // It survives in the history's file.
    let saved = try JSONDecoder().decode(ReversibleChange.self, from: JSONEncoder().encode(change))
    let reversal = try await library.reverse(saved)
    #expect(try Data(contentsOf: url) == bytes)
    let back = try await only(library)
    #expect(back.created == before.created && back.utcOffset == before.utcOffset && back.location == before.location)
    _ = try await library.reverse(reversal.change)
    #expect(try Data(contentsOf: url) == new)
    // Another computer has no index.
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    expect(try await only(again), place)
  }

  /// A movie whose header has version 1 and tells this time, counted from 1904.
  private static func movie(_ time: UInt64) throws -> Data {
    let movie = HandMadeMovie().data
    var boxes = try MP4Box.boxes(in: Array(movie)[...])
    let place = try #require(boxes.firstIndex { $0.type == "moov" })
    boxes[place].changeAll("mvhd") { head in
      var bytes: [UInt8] = [1, 0, 0, 0] + HandMadeMovie.bytes(time, 8) + HandMadeMovie.bytes(0, 8)
      bytes += head.bytes[12..<16]
      bytes += HandMadeMovie.bytes(0, 4)
      bytes += head.bytes[16...]
      head.bytes = bytes
    }
    // The samples are elsewhere now, which nothing here reads.
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    return Data(bytes)
  }

  @Test(
    arguments: ["VID_20200101_130000.mp4", "a.mp4"],
    [0, 86_400, 1_600_000_000, 3_600_000_000, 1 << 50, UInt64(Int64.max), .max])
  func aMovieIsDatedWhateverItsHeaderAndItsNameTell(name: String, time: UInt64) async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Self.movie(time), name)
    let bytes = try Data(contentsOf: url)
    let library = try await scratch.library()
    try await library.refresh()
    let before = try await only(library)
    let change = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: before.id, creationDate: Self.date, timeZone: Self.zone))
    }.change
    expect(try await only(library), nil)
    let head = try #require(try MovieHead(DataSource(Data(contentsOf: url), name: "movie")))
    #expect(head.created == 1_600_000_000)
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try await only(library).created == before.created)
  }

  @Test func aLivePhotosMovieGoesAlongInOneFileAndInTwo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let one = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library),
        photoDisplayTime: 1.5))
    try scratch.put(AppleSamples.photo(AppleSamples.mark), "IMG_1.JPG")
    let video = try scratch.put(AppleSamples.movie(AppleSamples.mark), "IMG_1.MOV")
    try await library.refresh()
    let before = try await library.fetchAssets()
    #expect(before.count == 2 && before.allSatisfy(\.isLive))
    let movieBefore = try Data(contentsOf: video)
    let change = try await library.performReversibly { changes in
      for asset in before {
        changes.change(
          AssetChangeRequest(
            for: asset.id, creationDate: Self.date, timeZone: Self.zone, location: Self.bern.map { .set($0) }))
      }
    }.change
    let after = try await library.fetchAssets()
    #expect(after.count == 2 && after.allSatisfy(\.isLive))
    for asset in after { expect(asset, Self.bern) }
    #expect(after.first { $0.id == one.id }?.movieRange?.count == one.movieRange?.count)
    let head = try #require(try MovieHead(DataSource(Data(contentsOf: video), name: "movie")))
    #expect(head.date == "2020-09-13T06:56:40-0530" && head.position == "+46.948000+007.447400/")
    #expect(try await library.verify().problems.isEmpty)
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: video) == movieBefore)
    #expect(try await library.fetchAssets().map(\.created).sorted() == before.map(\.created).sorted())
  }

  @Test func anEditsOriginalKeepsTheNewDateAndTheRawFileGoesAlong() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    try await library.editPhoto(asset.id, shade: 7)
    let request = AssetChangeRequest(
      for: asset.id, creationDate: Self.date, timeZone: Self.zone, location: Self.bern.map { .set($0) })
    let change = try await library.performReversibly { $0.change(request) }.change
    expect(try await only(library), Self.bern)
    let raw = try #require(scratch.files().first { $0.hasSuffix(".dng") })
    let times = try RAWTimes(DataSource(Data(contentsOf: scratch.pictures.appendingPathComponent(raw)), name: raw))
    #expect(times?.text(.dateTimeOriginal) == "2020:09:13 06:56:40" && times?.text(.offsetOriginal) == "-05:30")
    // The edit is still PhotoMe's own: no version of another program is kept.
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let reverted = try await only(library)
    expect(reverted, Self.bern)
    #expect(!reverted.isEdited)
    #expect(try await library.verify().problems.isEmpty)
    // The picture's file is another one by now; its values are taken back all the same.
    let reversal = try await library.reverse(change)
    #expect(reversal.overridden == 0)
    let back = try await only(library)
    #expect(back.created == asset.created && back.utcOffset == asset.utcOffset && back.location == nil)
  }

  @Test func xmpSaysTheSameAndNoNameOfThePlaceIsLeft() async throws {
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="2020-05-06T07:08:09" \
      xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="46,56.88N" exif:GPSLongitude="7,26.84E" \
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:City="Bern" photoshop:Headline="Bern by night">\
      <photoshop:DateCreated>2020-05-06</photoshop:DateCreated></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let xmp = Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(packet.utf8)
    let photo = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      JPEGSegments.segment(
        marker: JPEGMarker.app1,
        payload: Data("Exif\0\0".utf8) + MetadataToolkit.exif(for: Samples.metadata(), id: Asset.makeID())),
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: xmp),
    ])
    let scratch = try Scratch()
    let url = try scratch.put(photo, "a.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    let id = try await only(library).id
    let change = try await library.performReversibly {
      $0.change(
        AssetChangeRequest(for: id, creationDate: Self.date, timeZone: Self.zone, location: Self.bern.map { .set($0) }))
    }.change
    let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    #expect(text.contains(#"xmp:CreateDate="2020-09-13T06:56:40.500-05:30""#))
    #expect(text.contains("<photoshop:DateCreated>2020-09-13T06:56:40.500-05:30<"))
    #expect(!text.contains("GPSLatitude") && !text.contains("photoshop:City") && text.contains("Bern by night"))
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: url) == photo)
    // And the place is removed from EXIF with all of its bytes.
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, location: Self.bern.map { .set($0) })) }
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, location: .removed)) }
    #expect(try await only(library).location == nil)
    #expect(try Data(contentsOf: url).firstRange(of: Data("WGS-84".utf8)) == nil)
  }

  @Test func whatWasChangedSinceStaysAndMarksStayToo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let first = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: asset.id, isFavorite: true, creationDate: Self.date))
    }.change
    #expect(try await only(library).isFavorite)
    try await library.performChanges {
      $0.change(AssetChangeRequest(for: asset.id, location: Self.bern.map { .set($0) }))
    }
    let reversal = try await library.reverse(first)
    #expect(reversal.overridden == 1)
    let now = try await only(library)
    #expect(!now.isFavorite && now.location != nil)
    #expect(abs(now.created.timeIntervalSince(Self.date)) < 0.001)
  }

  @Test func whatCannotHoldItIsRefusedAndStays() async throws {
    let scratch = try Scratch()
    let gif = try scratch.put(
      HandMadeGIF(width: 4, height: 4, frames: [.init(width: 4, height: 4, color: 1)]).data, "a.gif")
    let library = try await scratch.library()
    let photo = try await library.addPhoto()
    try await library.refresh()
    let bytes = try Data(contentsOf: gif)
    let ids = try await library.fetchAssets().map(\.id)
    #expect(ids.count == 2)
    let outcome = await library.changeCaptureMetadata(ids.map { AssetChangeRequest(for: $0, creationDate: Self.date) })
    #expect(outcome.changed == [photo.id] && outcome.refused.count == 1 && outcome.change.count == 1)
    #expect(try Data(contentsOf: gif) == bytes)
  }

  @Test func anEditIsPatchedOfManyFilesInBatches() async throws {
    let scratch = try Scratch()
    for number in 0..<70 {
      try scratch.put(Samples.jpeg(width: 32, height: 16, shade: UInt8(number + 1)), "p\(number).jpg")
    }
    let library = try await scratch.library()
    try await library.refresh()
    let before = try await library.fetchAssets()
    let outcome = await library.changeCaptureMetadata(
      before.map { AssetChangeRequest(for: $0.id, creationDate: $0.created.addingTimeInterval(-86_400)) })
    #expect(outcome.changed.count == 70 && outcome.refused.isEmpty)
    let reversal = try await library.reverse(outcome.change)
    #expect(reversal.overridden == 0 && reversal.missing == 0)
    #expect(try await library.fetchAssets().map(\.created) == before.map(\.created))
  }
}
