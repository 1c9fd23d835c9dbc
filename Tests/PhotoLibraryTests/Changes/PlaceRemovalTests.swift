// Removed places: no block of a file names or measures them any more, and undo brings the file back.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct PlaceRemovalTests {
  /// Occurs in every form of the place, but for coordinates.
  static let name = "Ostermundigen"
  /// A numerator of the latitude.
  private static let latitude: UInt64 = 46_954_321

  static func packet(_ properties: String, guid: String? = nil) -> String {
    let note = guid.map { #" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="\#($0)""# } ?? ""
    return """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
      xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" photoshop:Headline="Ada"\(note)>\(properties)\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """
  }

  static let places = """
    <photoshop:City>\(name)</photoshop:City><Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li \
    rdf:parseType="Resource"><Iptc4xmpExt:City>\(name)</Iptc4xmpExt:City></rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
    """

  static func record(_ number: UInt8, _ text: String) -> [UInt8] {
    [0x1c, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  /// Of every field that names a place, and the caption.
  static let records: [UInt8] =
    [0x1c, 1, 90, 0, 3, 0x1b, 0x25, 0x47]
    + [26, 27, 90, 92, 95, 100, 101].flatMap { record($0, name) } + record(120, "A caption of Ada")

  static func photoshop(_ records: [UInt8]) -> [UInt8] {
    func resource(_ id: Int, _ bytes: [UInt8]) -> [UInt8] {
      Array("8BIM".utf8) + [UInt8(id >> 8), UInt8(id & 255), 0, 0] + HandMadeMovie.bytes(UInt64(bytes.count), 4) + bytes
        + (bytes.count % 2 == 1 ? [0] : [])
    }
    return resource(0x03f3, Array("flags".utf8)) + resource(0x0404, records) + resource(0x040d, Array("angle".utf8))
  }

  static func segment(_ marker: UInt8, _ identifier: String, _ bytes: [UInt8]) throws -> Data {
    try JPEGSegments.segment(marker: marker, payload: Data("\(identifier)\0".utf8) + bytes)
  }

  /// Removes the place of the only picture, expects that it is nowhere, and that undo gives the old bytes.
  ///
  /// - Returns: The file without the place.
  @discardableResult
  private func remove(
    _ file: Data, _ name: String, in scratch: Scratch, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Data {
    let url = try scratch.put(file, name)
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let change = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: asset.id, location: .removed))
    }
    .change
    let new = try Data(contentsOf: url)
    #expect(new.range(of: Data(Self.name.utf8)) == nil, sourceLocation: sourceLocation)
    let after = try #require(try await library.fetchAssets().first)
    #expect(after.id == asset.id && after.location == nil, sourceLocation: sourceLocation)
    #expect(after.created == asset.created, sourceLocation: sourceLocation)
    // There is nothing left to be removed.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, location: .removed)) }
    #expect(try Data(contentsOf: url) == new, sourceLocation: sourceLocation)
    _ = try await library.reverse(change)
    #expect(try Data(contentsOf: url) == file, sourceLocation: sourceLocation)
    await library.close()
    return new
  }

  // MARK: TIFF

  private static func tiff(isBigEndian: Bool, isBehind: Bool) -> HandMadeTIFF {
    var file = HandMadeTIFF()
    (file.isBigEndian, file.hasPixelsBehind) = (isBigEndian, isBehind)
    file.pages[0].fields += [
      .text(271, "Maker"), .bytes(700, Array(packet(places).utf8)), .bytes(33_723, records, type: 7),
      .bytes(34_377, photoshop(records), type: 7),
      .directory(34_665, [.rational(33_434, 1, 50), .text(36_867, "2020:05:06 07:08:09")]),
      .directory(
        34_853,
        [
          .bytes(0, [2, 3, 0, 0]), .text(1, "N"), .rational(2, latitude, 1_000_000, 0, 1, 0, 1), .text(3, "E"),
          .rational(4, 7, 1, 26, 1, 0, 1),
        ]),
    ]
    return file
  }

  @Test(arguments: [false, true], [false, true])
  func noFormerBlockIsLeftInATIFF(isBigEndian: Bool, isBehind: Bool) async throws {
    let file = Self.tiff(isBigEndian: isBigEndian, isBehind: isBehind)
    let new = try await remove(file.data, "a.tif", in: Scratch())
    #expect(new.range(of: Data(file.number(Self.latitude, 4))) == nil)
    #expect(new.range(of: Data("A caption of Ada".utf8)) != nil && new.range(of: Data("Headline".utf8)) != nil)
    let head = try #require(try TIFFHead(DataSource(new, name: "a.tif")))
    #expect(head.exif.flatMap { MetadataToolkit.facts(exif: $0) }?.time?.exifDate == "2020:05:06 07:08:09")
    #expect(try TIFFHead.walk(DataSource(new, name: "a.tif")) == .complete)
  }

  @Test func anotherPageOfATIFFDoesntTellThePlaceEither() async throws {
    var file = Self.tiff(isBigEndian: false, isBehind: false)
    var page = HandMadeTIFF.Page(first: 50)
    page.fields += [
      .bytes(700, Array(Self.packet(Self.places).utf8)),
      .directory(34_853, [.text(1, "N"), .rational(2, Self.latitude, 1_000_000, 0, 1, 0, 1)]),
    ]
    file.pages.append(page)
    let new = try await remove(file.data, "a.tif", in: Scratch())
    #expect(new.range(of: Data(file.number(Self.latitude, 4))) == nil)
    #expect(try TIFFHead(DataSource(new, name: "a.tif"))?.pageCount == 2)
  }

  /// The place of the first change is overwritten, though the directory of before is kept for undo.
  @Test func aTIFFThatWasChangedBeforeKeepsNoPlace() async throws {
    let scratch = try Scratch()
    let file = Self.tiff(isBigEndian: false, isBehind: false)
    let url = try scratch.put(file.data, "a.tif")
    let library = try await scratch.library()
    try await library.refresh()
    let id = try #require(try await library.fetchAssets().first).id
    let place = try #require(GeoLocation(latitude: -10.5, longitude: 20.25))
    let first = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: id, creationDate: Date(timeIntervalSince1970: 1_600_000_000)))
    }.change
    let second = try await library.performReversibly { $0.change(AssetChangeRequest(for: id, location: .set(place))) }
      .change
    #expect(try Data(contentsOf: url).range(of: Data(file.number(Self.latitude, 4))) == nil)
    let third = try await library.performReversibly { $0.change(AssetChangeRequest(for: id, location: .removed)) }
      .change
    #expect(try Data(contentsOf: url).range(of: Data("WGS-84".utf8)) == nil)
    for change in [third, second, first] { _ = try await library.reverse(change) }
    #expect(try Data(contentsOf: url) == file.data)
  }

  // MARK: JPEG

  @Test(arguments: [false, true]) func iptcNamesNoPlaceInAJPEG(isSplit: Bool) async throws {
    let block = Self.photoshop(Self.records)
    // Long blocks continue in the next segment, anywhere.
    let pieces = isSplit ? [Array(block.prefix(60)), Array(block.dropFirst(60))] : [block]
    let file = try JPEGSegments(parsing: Samples.jpeg()).assemble(
      front: pieces.map { try Self.segment(0xed, "Photoshop 3.0", $0) })
    let new = try await remove(file, "a.jpg", in: Scratch())
    #expect(new.range(of: Data("A caption of Ada".utf8)) != nil && new.range(of: Data("angle".utf8)) != nil)
  }

  @Test func extendedXMPNamesNoPlace() async throws {
    let filler = String(repeating: "0123456789", count: 9000)
    let long = Array(Self.packet("\(Self.places)<photoshop:Note>\(filler)</photoshop:Note>").utf8)
    let guid = "0123456789ABCDEF0123456789ABCDEF"
    var segments = [
      try Self.segment(
        JPEGMarker.app1, "http://ns.adobe.com/xap/1.0/", Array(Self.packet(Self.places, guid: guid).utf8))
    ]
    for start in stride(from: 0, to: long.count, by: 60_000) {
      let head = Array(guid.utf8) + HandMadeMovie.words(UInt64(long.count), UInt64(start))
      segments.append(
        try Self.segment(JPEGMarker.app1, "http://ns.adobe.com/xmp/extension/", head + long[start...].prefix(60_000)))
    }
    let file = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: segments)
    let new = try await remove(file, "a.jpg", in: Scratch())
    let picture = try JPEGSegments(parsing: new)
    let pieces = picture.segments.filter { $0.kind == .extendedXMP }.map { [UInt8](picture.bytes($0.payload)) }
    let digests = Set(pieces.map { String(decoding: $0[35..<67], as: UTF8.self) })
    let main = try #require(picture.payload(of: .xmp))
    #expect(pieces.count == segments.count - 1 && digests.count == 1 && digests.first != guid)
    #expect(main.range(of: Data("HasExtendedXMP=\"\(digests.first ?? "")\"".utf8)) != nil)
    #expect(Data(pieces.flatMap { $0[75...] }).range(of: Data(filler.utf8)) != nil)
  }

  // MARK: Movies

  @Test(arguments: [true, false]) func theXMPOfAMovieNamesNoPlace(isDescribedFirst: Bool) async throws {
    let packet = Array(Self.packet(Self.places).utf8)
    var movie = HandMadeMovie()
    movie.isDescribedFirst = isDescribedFirst
    movie.facts = [MP4Box("XMP_", packet)]
    movie.top = [MP4Box("uuid", MoviePackets.userType + packet)]
    let new = try await remove(movie.data, "a.mp4", in: Scratch())
    let packets = try MoviePackets(DataSource(new, name: "a.mp4"), range: 0..<UInt64(new.count))
    #expect(try packets.parsed(DataSource(new, name: "a.mp4")).count == 2)
    #expect(new.range(of: Data("Headline".utf8)) != nil)
    #expect(try HandMadeMovie.samples(of: 0, in: new) == HandMadeMovie.samples(of: 0, in: movie.data))
  }

  @Test func theXMPOfALivePhotosMovieNamesNoPlaceEither() async throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("XMP_", Array(Self.packet(Self.places).utf8))]
    let still = try PhotoAssembly.livePhoto(
      photo: Samples.jpeg(), movieLength: UInt64(movie.data.count), photoDisplayTime: 0.5)
    try await remove(still + movie.data, "IMG.MP.jpg", in: Scratch())
  }
}
