// Copies without the place of pictures that have it where it is easily missed, by the reading of another program.

import CTurboJPEG
import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30)), .enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
struct HiddenPlaceTests {
  private let scratch: Scratch
  private let url: URL

  init() throws {
    scratch = try Scratch()
    url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try PhotoAssembly.photo(jpeg: try Samples.jpeg(), metadata: Samples.metadata(), id: Asset.makeID()).write(to: url)
    try Data(Self.configuration.utf8).write(to: scratch.url.appendingPathComponent("config"))
  }

  /// Every trace of the place, as exiftool would print it.
  private static let traces = [
    "zernez", "schweiz", "graub", "engadin", "46.7", "46 deg", "46°", "10.1", "1474", "gps", "places", "altitude",
    "plaz",
  ]

  private static let configuration = """
    %Image::ExifTool::UserDefined::geo = (GROUPS => {0=>'XMP', 1=>'XMP-geo', 2=>'Image'},
      NAMESPACE => {'geo' => 'http://www.w3.org/2003/01/geo/wgs84_pos#'}, WRITABLE => 'string', lat => {}, long => {});
    %Image::ExifTool::UserDefined::dcterms = (GROUPS => {0=>'XMP', 1=>'XMP-dcterms', 2=>'Image'},
      NAMESPACE => {'dcterms' => 'http://purl.org/dc/terms/'}, WRITABLE => 'string', spatial => {});
    %Image::ExifTool::UserDefined = ('Image::ExifTool::XMP::Main' => {
      geo => {SubDirectory => {TagTable => 'Image::ExifTool::UserDefined::geo'}},
      dcterms => {SubDirectory => {TagTable => 'Image::ExifTool::UserDefined::dcterms'}}});
    1;
    """

  /// What a maker or a program writes, as arguments of exiftool.
  private static let makers: [[String]] = [
    // digiKam: only its hierarchies say that a keyword is a place.
    [
      "-Make=Canon", "-XMP-digiKam:TagsList=Places/Schweiz/Zernez", "-XMP-digiKam:TagsList=People/Anna",
      "-XMP-dc:Subject=Zernez", "-XMP-dc:Subject=Schweiz", "-XMP-dc:Subject=Anna", "-XPKeywords=Zernez;Schweiz;Anna",
      "-XMP-acdsee:Categories=<Categories><Category Assigned=\"0\">Places<Category Assigned=\"1\">Zernez</Category>"
        + "</Category></Categories>",
      "-IPTC:Keywords=Zernez", "-XMP-dc:Description=Abend in Zernez", "-EXIF:ImageDescription=Abend in Zernez",
      "-UserComment=schweiz", "-XMP-mwg-coll:CollectionName=Zernez 2024",
    ],
    // A handheld receiver: coordinates in words.
    [
      "-Make=Garmin", "-UserComment=Lat 46.700000 Long 10.100000", "-EXIF:ImageDescription=46.700000, 10.100000 Anna",
      "-XMP-dc:Description=46.7000N 10.1000E", "-XPComment=46.7000 10.1000", "-XPTitle=46°42'0\"N 10°6'0\"E",
      "-XMP-dc:Title=46 deg 42' 0.00\" N", "-XMP-dc:Subject=Anna", "-Comment=46.7000, 10.1000",
    ],
    // A drone.
    [
      "-Make=DJI", "-XMP-drone-dji:GPSLatitude=46.7", "-XMP-drone-dji:GPSLongtitude=10.1",
      "-XMP-drone-dji:AbsoluteAltitude=+1474.5", "-XMP-drone-dji:RelativeAltitude=+1474", "-XMP-dc:Subject=Anna",
    ],
    // Catalogs of museums and biologists.
    [
      "-Make=NIKON CORPORATION", "-XMP-dc:Coverage=Zernez, Engadin", "-XMP-dwc:Country=Schweiz",
      "-XMP-dwc:DecimalLatitude=46.7", "-XMP-dwc:Locality=Plaz", "-XMP-dwc:FootprintWKT=POINT (10.1 46.7)",
      "-XMP-dwc:MinimumElevationInMeters=1474", "-XMP-geo:lat=46.7", "-XMP-geo:long=10.1",
      "-XMP-dcterms:spatial=Zernez", "-XMP-dc:Title=Abend im Engadin", "-XMP-dc:Subject=Anna",
    ],
    // Fields with more than one name in them, in other spellings.
    [
      "-Make=SONY", "-XMP-photoshop:City=Zernez GR",
      "-XMP-iptcExt:LocationCreatedLocationName=Plaz 1, 7530 Zernez, "
        + "Schweiz", "-XMP-photoshop:State=Graubünden", "-XMP-dc:Title=ZERNEZ im Schnee",
      "-XMP-photoshop:Headline=Graubunden", "-XMP-dc:Subject=zernez", "-XMP-dc:Subject=Anna",
      "-XPKeywords=Schweiz;Anna",
      "-XMP-acdsee:Caption=in Zernez", "-Artist=Fotohaus Zernez", "-XMP-xmpMM:HistoryParameters=from Zernez",
      "-IPTC:City=Zernez GR", "-IPTC:Caption-Abstract=Zernez",
    ],
  ]

  private func run(_ arguments: [String]) throws {
    let common = ["-config", "config", "-charset", "UTF8", "-charset", "iptc=UTF8", "-overwrite_original", "-n", "-m"]
    let result = try Command.run("exiftool", common + arguments, at: scratch.url)
    try #require(result.status == 0, "\(result.output)\(result.errors)")
  }

  private func export(
    _ form: ExportForm = .current, longestSide: Int? = nil
  ) async throws -> ExportReport.Exported {
    let library = try await scratch.library()
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    let options = ExportOptions(longestSide: longestSide, dropsLocation: true)
    let report = try await library.export([asset], as: form, options, into: scratch.url.appendingPathComponent("out"))
    return try #require(report.exported.first, "\(report.refused)")
  }

  private func report(_ url: URL) throws -> [String] {
    let report = try Command.report(of: "exiftool", "-charset", "UTF8", "-a", "-u", "-G1", "-ee", "-n", url.path)
    let own = ["Directory", "File Name", "File Size", "Date", "Time Stamp"]
    return try #require(report).split(separator: "\n").map(String.init).filter { line in
      !own.contains { line.contains($0) } && !line.hasPrefix("[ExifTool]") && !line.contains(scratch.path)
    }
  }

  private func check(_ copy: URL, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    let lines = try report(copy)
    for trace in Self.traces {
      let found = lines.filter { $0.lowercased().contains(trace) }
      #expect(found.isEmpty, "\(trace)", sourceLocation: sourceLocation)
    }
    let bytes = try Data(contentsOf: copy)
    for trace in ["Zernez", "Schweiz", "ZERNEZ", "46.7000"] {
      #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace) in the bytes", sourceLocation: sourceLocation)
      let wide = try #require(trace.data(using: .utf16LittleEndian))
      #expect(bytes.range(of: wide) == nil, "\(trace) in UTF-16", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: 0..<5, [nil, 160])
  func nothingNamesThePlace(maker: Int, longestSide: Int?) async throws {
    let position = ["-GPSLatitude=46.7", "-GPSLatitudeRef=N", "-GPSLongitude=10.1", "-GPSLongitudeRef=E"]
    try run(position + ["-GPSAltitude=1474", "-XMP-xmp:Rating=4"] + Self.makers[maker] + [url.path])
    let before = try report(url).map { $0.lowercased() }
    #expect(before.contains { $0.contains("46.7") })
    let one = try await export(longestSide == nil ? .current : .still, longestSide: longestSide)
    try check(one.url)
    // What names no place stays, and what a person wrote is not lost in silence.
    let lines = try report(one.url)
    #expect(lines.contains { $0.contains("Rating") && $0.contains("4") })
    #expect(lines.contains { $0.contains("Subject") && $0.contains("Anna") })
    #expect((one.note != nil) == (maker != 2), "\(one.note ?? "no note")")
    if maker == 0 || maker == 4 { #expect(lines.contains { $0.contains("XP Keywords") && $0.contains("Anna") }) }
  }

  @Test func theThumbnailsOwnMetadataGo() async throws {
    let small = scratch.url.appendingPathComponent("small.jpg")
    try Samples.jpeg(width: 160, height: 90).write(to: small)
    try run(
      ["-GPSLatitude=46.7", "-GPSLatitudeRef=N", "-GPSLongitude=10.1", "-GPSLongitudeRef=E", "-XMP-dc:Title=Zernez"]
        + ["-Comment=Zernez", small.path])
    try run(["-ThumbnailImage<=small.jpg", url.path])
    let one = try await export()
    try check(one.url)
    let head = try #require(try JPEGHead(ReadableFile(one.url.path, disk: Disk())))
    let left = try #require(head.exif.flatMap { MetadataToolkit.facts(exif: $0, wantsThumbnail: true)?.thumbnail })
    #expect(try JPEGSegments(parsing: left).size == PixelSize(width: 160, height: 90))
  }

  // MARK: Segments

  private func segment(_ marker: UInt8, _ payload: String) throws -> Data {
    try JPEGSegments.segment(marker: marker, payload: Data(payload.utf8))
  }

  private func packet(_ attributes: String) -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \(attributes)/></rdf:RDF>\
    </x:xmpmeta>
    """
  }

  /// Between the scans of a progressive picture, and behind the last.
  @Test func segmentsBetweenScansGo() async throws {
    var picture = try Self.progressive()
    let source = try JPEGSegments(parsing: picture)
    let second = try #require(
      picture[(source.scan.lowerBound + 2)...].range(of: Data([0xff, JPEGMarker.startOfScan]))?.lowerBound)
    let words =
      try segment(JPEGMarker.comment, "Zernez") + segment(JPEGMarker.app1, "Exif\0\0 Zernez")
      + segment(0xef, "46.7000") + segment(0xf7, "Zernez")
    picture.insert(contentsOf: words, at: source.scan.upperBound - 2)
    picture.insert(contentsOf: words, at: second)
    picture.insert(contentsOf: try segment(0xf7, "Zernez"), at: 2)
    try picture.write(to: url)
    let one = try await export()
    try check(one.url)
    let copy = try JPEGSegments(parsing: try Data(contentsOf: one.url))
    #expect(copy.bytes(copy.scan) == source.bytes(source.scan), "other scans")
  }

  private static func progressive() throws -> Data {
    let encoder = try #require(tjInitCompress())
    defer { tjDestroy(encoder) }
    let pixels = (0..<64 * 64 * 4).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let code = tjCompress2(
      encoder, pixels, 64, 0, 64, Int32(TJPF_BGRX.rawValue), &bytes, &count, Int32(TJSAMP_420.rawValue), 80,
      TJFLAG_PROGRESSIVE)
    defer { tjFree(bytes) }
    #expect(code == 0)
    return Data(bytes: try #require(bytes), count: Int(count))
  }

  /// Neither the thumbnail of JFIF's extension nor more bytes than a block needs.
  @Test func blocksHaveNoMoreThanTheyNeed() async throws {
    let picture = try JPEGSegments(parsing: Samples.jpeg())
    var thumbnail = try JPEGSegments(parsing: Samples.jpeg(width: 32, height: 16))
    let small = thumbnail.assemble(front: [try segment(JPEGMarker.comment, "Zernez")])
    thumbnail = try JPEGSegments(parsing: small)
    let extended = try JPEGSegments.segment(marker: JPEGMarker.app0, payload: Data("JFXX\0\u{10}".utf8) + small)
    let jfif = Data("JFIF\0".utf8) + Data([1, 1, 1, 0, 72, 0, 72, 0, 0]) + Data("Zernez".utf8)
    try picture.removing([.jfif]).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app0, payload: jfif), extended,
    ]).write(to: url)
    try check(try await export().url)
    try picture.removing([.jfif]).assemble(front: [extended]).write(to: url)
    try check(try await export().url)
  }

  /// The fields are in another packet than the caption.
  @Test(arguments: ["second", "extended", "exif"]) func everyPacketNamesThePlace(kind: String) async throws {
    let picture = try JPEGSegments(parsing: Samples.jpeg())
    let xmp = "http://ns.adobe.com/xap/1.0/\0"
    let place = packet("photoshop:City='Zernez'")
    let id = "0123456789ABCDEF0123456789ABCDEF"
    var front: [Data] = []
    var note = "photoshop:Headline='Abend in Zernez' xmp:Rating='4'"
    switch kind {
    case "second": front = [try segment(JPEGMarker.app1, xmp + place)]
    case "exif":
      // A TIFF structure with one entry, 700, of bytes that follow the directory.
      var exif = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 2, 188, 0, 1]
      exif += HandMadeMovie.words(UInt64(place.utf8.count), 26, 0) + Array(place.utf8)
      front = [try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif)]
    default:
      note += " xmlns:n='http://ns.adobe.com/xmp/note/' n:HasExtendedXMP='\(id)'"
      let bytes = Array(place.utf8)
      let half = bytes.count / 2
      // The pieces may come in any order.
      front = try [half..<bytes.count, 0..<half].map { range in
        let payload =
          Array("http://ns.adobe.com/xmp/extension/\0\(id)".utf8)
          + HandMadeMovie.words(UInt64(bytes.count), UInt64(range.lowerBound)) + bytes[range]
        return try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(payload))
      }
    }
    front.insert(try segment(JPEGMarker.app1, xmp + packet(note)), at: kind == "exif" ? 1 : 0)
    try picture.assemble(front: front).write(to: url)
    let one = try await export()
    try check(one.url)
    #expect(one.note?.contains("names the place") == true)
    #expect(try report(one.url).contains { $0.contains("Rating") && $0.contains("4") })
  }

  @Test func aPacketInUTF16LosesItsPlace() async throws {
    let text = "\u{feff}" + packet("photoshop:City='Zernez' photoshop:Headline='Zernez' xmp:Rating='4'")
    let wide = try #require(text.data(using: .utf16LittleEndian))
    try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + wide)
    ]).write(to: url)
    let one = try await export()
    try check(one.url)
    #expect(try report(one.url).contains { $0.contains("Rating") && $0.contains("4") })
  }

  // MARK: What is said

  /// Whatever block a lost text was in.
  @Test(arguments: [
    ["-EXIF:ImageDescription=Zernez"], ["-UserComment=Abend in Zernez"], ["-XPTitle=Zernez"], ["-XPComment=Zernez"],
    ["-XPSubject=Zernez"], ["-IPTC:Caption-Abstract=Abend in Zernez"], ["-IPTC:Headline=Zernez"], ["-Comment=Zernez"],
    ["-XMP-dc:Description=Zernez"], ["-EXIF:DocumentName=Zernez"], ["-Artist=Fotohaus Zernez"],
    ["-XMP-tiff:ImageDescription=46.7000, 10.1000"],
  ]) func aLostTextIsSaid(arguments: [String]) async throws {
    try run(["-XMP-photoshop:City=Zernez"] + arguments + [url.path])
    #expect(
      try await export().note == "A caption or title of “IMG_1.jpg” names the place. The copy doesn’t include it.")
  }

  /// IPTC's records and comments are left out even when they name nothing.
  @Test func aTextThatIsOnlyElsewhereIsSaidToo() async throws {
    try run(["-XMP-photoshop:City=Zernez", "-IPTC:Caption-Abstract=Anna", url.path])
    let note = try await export().note
    #expect(note?.contains("“IMG_1.jpg”") == true && note?.contains("names the place") == false, "\(note ?? "none")")
  }

  @Test func aTextThatStaysIsNotSaid() async throws {
    try run(
      ["-XMP-photoshop:City=Zernez", "-IPTC:Caption-Abstract=Anna", "-XMP-dc:Description=Anna", "-Comment=Anna"]
        + ["-EXIF:ImageDescription=Anna", "-XMP-dc:Subject=Zernez", "-IPTC:Keywords=Zernez", url.path])
    let one = try await export()
    #expect(one.note == nil)
    try check(one.url)
  }
}
