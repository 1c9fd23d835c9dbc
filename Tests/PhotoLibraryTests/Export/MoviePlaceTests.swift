// Copies of movies without the place, by the reading of another program.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30)), .enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
struct MoviePlaceTests {
  private static let texts: [[String]] = [
    ["-ItemList:Genre=Zernez"], ["-ItemList:Author=Fotohaus Zernez"], ["-ItemList:Artist=Zernez"],
    ["-UserData:Genre=Zernez"], ["-UserData:Author=Zernez"], ["-ItemList:Copyright=Zernez Tourismus"],
    ["-Keys:Artist=Zernez"], ["-Keys:Genre=Zernez"], ["-Keys:Publisher=Zernez"], ["-Track1:HandlerDescription=Zernez"],
    ["-Keys:GPSCoordinates=46.7,10.1,1474"], ["-ItemList:GPSCoordinates=46.7,10.1,1474"],
    ["-UserData:GPSCoordinates=46.7,10.1,1474"], ["-ItemList:Title=Zernez"], ["-XMP-dc:Description=Zernez"],
    ["-XMP-exif:GPSLatitude=46.7", "-XMP-exif:GPSLongitude=10.1"],
  ]

  /// - Parameter naming: How the movie names its place where nobody doubts it.
  @Test(
    arguments: ["-XMP-photoshop:City=Zernez", "-Keys:LocationName=Zernez", "-UserData:LocationName=Zernez"],
    [false, true])
  func nothingNamesThePlace(naming: String, isFragmented: Bool) async throws {
    let scratch = try Scratch()
    var movie = HandMadeMovie.selfContained()
    movie.facts = [MP4Box("©mod", [0, 8, 0x15, 0xc7] + Array("A camera".utf8))]
    let place =
      [UInt8](Data([0, 0, 0, 0, 0x15, 0xc7])) + Array("Zernez\0\u{1}".utf8) + [UInt8](repeating: 1, count: 14)
    movie.facts.append(MP4Box("loci", place))
    movie.facts.append(MP4Box("©aut", [0, 15, 0x15, 0xc7] + Array("Fotohaus Zernez".utf8)))
    movie.facts.append(MP4Box("©gen", [0, 6, 0x15, 0xc7] + Array("Zernez".utf8)))
    movie.facts.append(MP4Box("auth", [0, 0, 0, 0, 0x15, 0xc7] + Array("Zernez\0".utf8)))
    movie.facts.append(MP4Box("cprt", [0, 0, 0, 0, 0x15, 0xc7] + Array("Ada\0".utf8)))
    movie.isFragmented = isFragmented
    let url = scratch.url.appendingPathComponent("a.mp4")
    try movie.data.write(to: url)
    var all = ["-charset", "UTF8", "-overwrite_original", "-n", "-m", "-Keys:Make=Acme", naming]
    for arguments in Self.texts where !isFragmented { all += arguments }
    if !isFragmented {
      let result = try Command.run("exiftool", all + [url.path], at: scratch.url)
      try #require(result.status == 0, "\(result.errors)")
      let before = try #require(try Command.report(of: "exiftool", "-a", "-G1", "-n", url.path))
      #expect(before.contains("Zernez") && before.contains("46.7"), "\(before)")
    }
    let one = try await scratch.exportedWithoutPlace(url, as: .movie)
    let data = try Data(contentsOf: one.url)
    for trace in ["Zernez", "46.7", "LocationName", "location"] {
      #expect(data.range(of: Data(trace.utf8)) == nil, "\(trace)")
    }
    let lines = try #require(try Command.report(of: "exiftool", "-a", "-u", "-G1", "-n", "-ee", one.url.path))
      .split(separator: "\n").filter { !$0.contains("File ") && !$0.contains("Directory") }
    for trace in ["Zernez", "46.7", "GPS"] { #expect(!lines.contains { $0.contains(trace) }, "\(trace): \(lines)") }
    #expect(lines.contains { $0.contains("A camera") } && data.range(of: Data("Ada".utf8)) != nil)
    #expect(try HandMadeMovie.samples(of: 0, in: data) == (0..<12).map(HandMadeMovie.frame))
    if !isFragmented {
      #expect(one.note?.contains("“a.mp4”") == true, "\(one.note ?? "no note")")
    }
  }

  /// A credit that names no place stays, and nothing is said.
  @Test func otherNamesStay() async throws {
    let scratch = try Scratch()
    let url = scratch.url.appendingPathComponent("a.mp4")
    try HandMadeMovie.selfContained().data.write(to: url)
    let result = try Command.run(
      "exiftool",
      ["-overwrite_original", "-ItemList:Artist=Ada", "-Keys:Author=Eve", "-Keys:Make=Acme", url.path], at: scratch.url)
    try #require(result.status == 0, "\(result.errors)")
    let one = try await scratch.exportedWithoutPlace(url, as: .movie)
    let names = try #require(try Command.report(of: "exiftool", "-s3", "-Artist", "-Author", "-Make", one.url.path))
    #expect(names == "Ada\nEve\nAcme\n" && one.note == nil)
  }

  /// The packet behind the samples isn't rendered.
  @Test func aSmallerMovieKeepsItsPacket() async throws {
    let scratch = try Scratch()
    let url = scratch.url.appendingPathComponent("a.mp4")
    try HandMadeMovie.selfContained().data.write(to: url)
    let result = try Command.run(
      "exiftool", ["-overwrite_original", "-XMP-dc:Description=Abend", "-XMP-photoshop:City=Zernez", url.path],
      at: scratch.url)
    try #require(result.status == 0, "\(result.errors)")
    let library = try await scratch.library()
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    for (dropsLocation, read) in [(false, "Abend\nZernez\n"), (true, "")] {
      let options = ExportOptions(longestSide: 160, dropsLocation: dropsLocation, dropsSound: true)
      let target = scratch.url.appendingPathComponent("out-\(dropsLocation).mp4")
      let one = try await library.export(asset, as: .movie, options, to: target, renderer: SilentRenderer())
      #expect(
        try Command.report(of: "exiftool", "-s3", "-XMP-dc:Description", "-XMP-photoshop:City", target.path) == read)
      #expect((one.note != nil) == dropsLocation)
    }
  }

  /// Its picture loses the caption when it is rendered, before the copy is put together.
  @Test func aSmallerLivePhotosLostCaptionIsSaid() async throws {
    let scratch = try Scratch()
    let movie = HandMadeMovie().data
    let tagged = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      TaggedPicture.xmp("p:City='Zernez' p:Headline='Abend in Zernez'")
    ])
    let photo = try PhotoAssembly.livePhoto(photo: tagged, movieLength: UInt64(movie.count), photoDisplayTime: 0.1)
    let url = scratch.url.appendingPathComponent("IMG_1.MP.jpg")
    try (photo + movie).write(to: url)
    let library = try await scratch.library()
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    #expect(asset.isLive)
    let options = ExportOptions(longestSide: 160, dropsLocation: true, dropsSound: true)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export(
      [asset], as: .current, options, into: folder, renderer: SilentRenderer())
    let one = try #require(report.exported.first, "\(report.refused)")
    #expect(one.note?.contains("names the place") == true, "\(one.note ?? "no note")")
    #expect(try Data(contentsOf: one.url).range(of: Data("Zernez".utf8)) == nil)
  }
}
