// Copies without the place of live photos of which one half alone names it, and of pictures with blocks that nobody reads.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LivePhotoPlaceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func xmp(_ attributes: String) throws -> Data {
    let text = """
      http://ns.adobe.com/xap/1.0/\0<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description r:about="" \
      xmlns:p="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="Ada" \
      \(attributes)/></r:RDF>
      """
    return try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(text.utf8))
  }

  /// A TIFF structure with tags of the first directory.
  private func exif(_ tags: [(tag: UInt64, type: UInt64, value: [UInt8])]) throws -> Data {
    var directory = HandMadeMovie.bytes(UInt64(tags.count), 2)
    var values: [UInt8] = []
    let start = 8 + 2 + 12 * tags.count + 4
    for (tag, type, value) in tags {
      // Short values stand in the entry itself.
      let place =
        value.count <= 4
        ? value + [UInt8](repeating: 0, count: 4 - value.count) : HandMadeMovie.words(UInt64(start + values.count))
      directory += HandMadeMovie.bytes(tag, 2) + HandMadeMovie.bytes(type, 2)
      directory += HandMadeMovie.words(UInt64(value.count)) + place
      if value.count > 4 { values += value + (value.count % 2 == 1 ? [0] : []) }
    }
    let block = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8] + directory + HandMadeMovie.words(0) + values
    return try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(block))
  }

  private func live(_ front: [Data], _ movie: HandMadeMovie) async throws -> (PhotoLibrary, Asset) {
    let data = movie.data
    let tagged = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: front)
    let photo = try PhotoAssembly.livePhoto(photo: tagged, movieLength: UInt64(data.count), photoDisplayTime: 0.1)
    let url = scratch.url.appendingPathComponent("IMG_1.MP.jpg")
    try (photo + data).write(to: url)
    let library = try await scratch.library()
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    #expect(asset.isLive)
    return (library, asset)
  }

  /// The bytes of all files of an export.
  private func export(
    _ library: PhotoLibrary, _ asset: Asset, _ form: ExportForm, longestSide: Int? = nil
  ) async throws -> (data: Data, note: String?) {
    let options = ExportOptions(longestSide: longestSide, dropsLocation: true)
    let folder = scratch.url.appendingPathComponent("out-\(form)-\(longestSide ?? 0)")
    let report = try await library.export([asset], as: form, options, into: folder, renderer: SilentRenderer())
    let one = try #require(report.exported.first, "\(report.refused)")
    let data = try [one.url, one.pairedURL].compactMap(\.self).map { try Data(contentsOf: $0) }.reduce(Data(), +)
    return (data, one.note)
  }

  private static let place = MP4Box(
    "loci", [0, 0, 0, 0, 0x15, 0xc7] + Array("Zernez\0\u{1}".utf8) + [UInt8](repeating: 1, count: 14))

  @Test(arguments: [ExportForm.still, .current, .appleLivePhoto], [nil, 160])
  func aStillDoesNotSayWhatItsMovieNames(form: ExportForm, longestSide: Int?) async throws {
    guard longestSide == nil || form == .still else { return }
    var movie = HandMadeMovie()
    movie.facts = [Self.place]
    let comment: [UInt8] = Array("Abend in Zernez\0".utf8)
    let (library, asset) = try await live(
      [exif([(0x010e, 2, comment)]), xmp("p:Headline='ZernezTrip' p:Credit='Ada'")], movie)
    let (data, note) = try await export(library, asset, form, longestSide: longestSide)
    #expect(data.range(of: Data("Zernez".utf8)) == nil, "the place is left")
    #expect(data.range(of: Data("Ada".utf8)) != nil)
    #expect(note?.contains("names its place") == true, "\(note ?? "no note")")
    await library.close()
  }

  /// The coordinates of a movie are those of its still.
  @Test func aStillDoesNotRepeatItsMoviesCoordinates() async throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("©xyz", [0, 18, 0x15, 0xc7] + Array("+46.7003+010.0981/".utf8))]
    let (library, asset) = try await live([xmp("p:Y='46.7003' p:Credit='Ada'")], movie)
    let (data, _) = try await export(library, asset, .still)
    #expect(data.range(of: Data("46.7003".utf8)) == nil && data.range(of: Data("Ada".utf8)) != nil)
    await library.close()
  }

  @Test(arguments: [ExportForm.movie, .current, .appleLivePhoto])
  func aMovieDoesNotSayWhatItsStillNames(form: ExportForm) async throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("©aut", [0, 15, 0x15, 0xc7] + Array("Fotohaus Zernez".utf8))]
    let (library, asset) = try await live([xmp("p:City='Zernez'")], movie)
    let (data, _) = try await export(library, asset, form)
    #expect(data.range(of: Data("Zernez".utf8)) == nil, "the place is left")
    await library.close()
  }

  /// A movie that is damaged names nothing, and refuses no still.
  @Test func aDamagedMovieRefusesNoStill() async throws {
    let (library, asset) = try await live([xmp("p:Credit='Ada'")], HandMadeMovie())
    var bytes = try Data(contentsOf: asset.url)
    let table = try #require(bytes.range(of: Data("mvhd".utf8)))
    bytes.replaceSubrange(table.lowerBound - 4..<table.lowerBound, with: [0, 0, 0, 3])
    let file = scratch.url.appendingPathComponent("broken.jpg")
    try bytes.write(to: file)
    let source = try AssetExporter.Source(
      file: ReadableFile(file.path, disk: Disk()), mediaType: .photo, movie: asset.movieRange, photoDisplayTime: nil)
    #expect(try source.allPlaces().isEmpty)
    await library.close()
  }

  // MARK: Blocks

  /// Maker notes of DNG, of printers, and profiles, whether the place is known or not.
  @Test(arguments: [true, false], [nil, 160])
  func blocksOfBytesAreNotKept(isKnown: Bool, longestSide: Int?) async throws {
    let trace: [UInt8] = Array("MakN\0\u{1}46.7003 10.0981 Zernez\0".utf8) + [0xff, 0xfe, 0]
    typealias Tag = (tag: UInt64, type: UInt64, value: [UInt8])
    let title: [UInt8] = Array("Ada\0".utf8).flatMap { [$0, 0] }
    // In the order of their numbers, as TIFF wants them.
    let tags: [Tag] = [
      (0x010f, 2, Array("Acme\0".utf8)), (0x8773, 7, trace), (0x9c9b, 1, title), (0xc4a5, 7, trace), (0xc634, 1, trace),
    ]
    let tagged = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      exif(tags), xmp(isKnown ? "p:City='Zernez'" : "p:Credit='Eve'"),
    ])
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try tagged.write(to: url)
    let library = try await scratch.library()
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    let (data, _) = try await export(library, asset, .still, longestSide: longestSide)
    for trace in ["Zernez", "46.7003", "MakN"] { #expect(data.range(of: Data(trace.utf8)) == nil, "\(trace) is left") }
    #expect(data.range(of: Data("Acme".utf8)) != nil)
    #expect(data.range(of: Data("Ada".utf8.flatMap { [$0, 0] })) != nil, "the title is gone")
    await library.close()
  }
}
