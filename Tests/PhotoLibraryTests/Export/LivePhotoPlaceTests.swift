// Copies without the place of live photos of which one half alone names it.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LivePhotoPlaceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func live(_ front: [Data], _ movie: HandMadeMovie) throws -> URL {
    let data = movie.data
    let tagged = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: front)
    let photo = try PhotoAssembly.livePhoto(photo: tagged, movieLength: UInt64(data.count), photoDisplayTime: 0.1)
    let url = scratch.url.appendingPathComponent("IMG_1.MP.jpg")
    try (photo + data).write(to: url)
    return url
  }

  /// The bytes of all files of an export.
  private func export(
    _ url: URL, _ form: ExportForm, longestSide: Int? = nil
  ) async throws -> (data: Data, note: String?) {
    let one = try await scratch.exportedWithoutPlace(url, as: form, longestSide: longestSide)
    let data = try [one.url, one.companions.first].compactMap(\.self).map { try Data(contentsOf: $0) }.reduce(Data(), +)
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
    let url = try live(
      [TaggedPicture.exif([(0x010e, 2, comment)]), TaggedPicture.xmp("p:Headline='ZernezTrip' p:Credit='Ada'")], movie)
    let (data, note) = try await export(url, form, longestSide: longestSide)
    #expect(data.range(of: Data("Zernez".utf8)) == nil, "the place is left")
    #expect(data.range(of: Data("Ada".utf8)) != nil)
    #expect(note?.contains("names the place") == true, "\(note ?? "no note")")
  }

  /// The coordinates of a movie are those of its still.
  @Test func aStillDoesNotRepeatItsMoviesCoordinates() async throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("©xyz", [0, 18, 0x15, 0xc7] + Array("+46.7003+010.0981/".utf8))]
    let (data, _) = try await export(live([TaggedPicture.xmp("p:Y='46.7003' p:Credit='Ada'")], movie), .still)
    #expect(data.range(of: Data("46.7003".utf8)) == nil && data.range(of: Data("Ada".utf8)) != nil)
  }

  @Test(arguments: [ExportForm.movie, .current, .appleLivePhoto])
  func aMovieDoesNotSayWhatItsStillNames(form: ExportForm) async throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("©aut", [0, 15, 0x15, 0xc7] + Array("Fotohaus Zernez".utf8))]
    let (data, _) = try await export(live([TaggedPicture.xmp("p:City='Zernez'")], movie), form)
    #expect(data.range(of: Data("Zernez".utf8)) == nil, "the place is left")
  }

  /// A movie that is damaged names nothing, and refuses no still.
  @Test func aDamagedMovieRefusesNoStill() async throws {
    let url = try live([TaggedPicture.xmp("p:Credit='Ada'")], HandMadeMovie())
    let library = try await scratch.library()
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    #expect(asset.isLive)
    var bytes = try Data(contentsOf: url)
    let table = try #require(bytes.range(of: Data("mvhd".utf8)))
    bytes.replaceSubrange(table.lowerBound - 4..<table.lowerBound, with: [0, 0, 0, 3])
    let file = scratch.url.appendingPathComponent("broken.jpg")
    try bytes.write(to: file)
    let source = try AssetExporter.Source(
      file: ReadableFile(file.path, disk: Disk()), mediaType: .photo, movie: asset.movieRange, photoDisplayTime: nil)
    #expect(try source.allPlaces().isEmpty)
    await library.close()
  }
}
