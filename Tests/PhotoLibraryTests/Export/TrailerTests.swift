// The trailers of phones: movies that are found in them, and copies that keep nothing of them.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct TrailerTests {
  private let movie = HandMadeMovie.placed().data

  /// The way in which a phone says that a movie follows its picture.
  enum Maker: String, CaseIterable, Sendable {
    /// Only Samsung's trailer.
    case samsung
    /// The trailer, and XMP with the length of the movie alone.
    case samsungWithXMP
    /// The trailer, and XMP whose length reaches from the movie to the end of the file, as the format demands.
    case samsungToTheEnd
    case google
    case huawei
    /// Sound of a picture with sound, and no movie.
    case samsungSound
  }

  private static let unlisted = Set<Maker>([.huawei, .samsungSound])

  private func file(_ maker: Maker) throws -> (file: Data, picture: Int) {
    func picture(_ length: Int?, padding: Int = 0) throws -> Data {
      var metadata = try Samples.metadata()
      metadata.cameraMake = "samsung"
      let plain = try PhotoAssembly.photo(jpeg: try Samples.jpeg(), metadata: metadata, id: Asset.makeID())
      guard let length else { return plain }
      let xmp = Data(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" \
        xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" GCamera:MotionPhoto="1" \
        GCamera:MotionPhotoVersion="1" GCamera:MotionPhotoPresentationTimestampUs="200000"><Container:Directory>\
        <rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" Item:Semantic="Primary" \
        Item:Length="0" Item:Padding="\(padding)"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item \
        Item:Mime="video/mp4" Item:Semantic="MotionPhoto" Item:Length="\(length)"/></rdf:li></rdf:Seq>\
        </Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>
        """.utf8)
      return try JPEGSegments(parsing: plain).assemble(front: [
        JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
      ])
    }
    let trailer = HandMadeTrailer.samsung(movie: movie)
    let start = try #require(trailer.range(of: movie)).lowerBound
    let (front, back): (Data, Data) =
      switch maker {
      case .samsung: (try picture(nil), trailer)
      case .samsungWithXMP: (try picture(movie.count), trailer)
      case .samsungToTheEnd: (try picture(trailer.count - start, padding: start), trailer)
      case .google: (try picture(movie.count), movie)
      case .huawei: (try picture(nil), HandMadeTrailer.huawei(movie: movie))
      case .samsungSound:
        (
          try picture(nil),
          HandMadeTrailer.samsung([.init(kind: 0x0100, name: "SoundShot_000", content: Data(HandMadeMovie.sound(3)))])
        )
      }
    return (front + back, front.count)
  }

  private func asset(
    _ maker: Maker, in library: PhotoLibrary, _ scratch: Scratch
  ) async throws -> (asset: Asset, bytes: Data, picture: Int) {
    let (bytes, picture) = try file(maker)
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try bytes.write(to: url)
    return (try await library.createAsset(AssetCreationRequest(file: url)), bytes, picture)
  }

  /// Whether any sample of the movie is in there.
  private func hasSamples(_ data: Data, ofSound: Bool = true) -> Bool {
    (1..<12).contains { data.range(of: Data(HandMadeMovie.frame($0))) != nil }
      || ofSound && (0..<24).contains { data.range(of: Data(HandMadeMovie.sound($0))) != nil }
  }

  @Test(arguments: [Maker.samsung, .samsungWithXMP, .samsungToTheEnd, .google])
  func theMovieIsFound(maker: Maker) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, bytes, _) = try await asset(maker, in: library, scratch)
    #expect(asset.isLive)
    let start = UInt64(try #require(bytes.range(of: movie)).lowerBound)
    #expect(asset.movieRange == start..<start + UInt64(movie.count))
    let checked = try await library.verify()
    #expect(checked.isClean && checked.livePhotos == 1, "\(checked.problems)")
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .movie, into: folder)
    #expect(try report.exported.first.map { try Data(contentsOf: $0.url) } == movie, "\(report.refused)")
  }

  @Test(arguments: [Maker.samsung, .samsungWithXMP, .samsungToTheEnd, .google])
  func anApplePairIsMadeOfIt(maker: Maker) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _, _) = try await asset(maker, in: library, scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .appleLivePhoto, into: folder)
    let one = try #require(report.exported.first, "\(report.refused)")
    let (still, pair) = (try Data(contentsOf: one.url), try Data(contentsOf: try #require(one.companions.first)))
    #expect(try HandMadeMovie.samples(of: 0, in: pair) == (0..<12).map(HandMadeMovie.frame))
    #expect(try !hasSamples(still) && JPEGSegments(parsing: still).trailer.isEmpty)
  }

  /// A still is a picture, whatever its phone put behind it.
  @Test(arguments: Maker.allCases, [false, true])
  func aStillEndsWithItsPicture(maker: Maker, dropsSound: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, bytes, picture) = try await asset(maker, in: library, scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .still, ExportOptions(dropsSound: dropsSound), into: folder)
    let still = try Data(contentsOf: try #require(report.exported.first, "\(report.refused)").url)
    #expect(!hasSamples(still) && still.range(of: Data("SEF".utf8)) == nil)
    let (own, copy) = (try JPEGSegments(parsing: bytes.prefix(picture)), try JPEGSegments(parsing: still))
    #expect(copy.trailer.isEmpty && copy.data[copy.scan] == own.data[own.scan])
    let xmp = try JPEGHead(ReadableFile(report.exported[0].url.path, disk: Disk()))?.xmp
    #expect(xmp.flatMap { MotionPhotoDescription(xmp: $0) } == nil)
  }

  /// What is exported without sound has no trailer in which there could be some.
  @Test(arguments: Maker.allCases, [ExportForm.current, .original])
  func noSoundIsLeft(maker: Maker, form: ExportForm) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, _, _) = try await asset(maker, in: library, scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: form, ExportOptions(dropsSound: true), into: folder)
    let url = try #require(report.exported.first, "\(report.refused)").url
    let data = try Data(contentsOf: url)
    for sound in 0..<24 { #expect(data.range(of: Data(HandMadeMovie.sound(sound))) == nil, "\(sound)") }
    #expect(data.range(of: Data("SEF".utf8)) == nil && data.range(of: Data("LIVE_".utf8)) == nil)
    let file = try ReadableFile(url.path, disk: Disk())
    let head = try #require(try JPEGHead(file))
    let motion = try MotionPhoto(file, head: head)
    guard !Self.unlisted.contains(maker) else {
      #expect(try motion == nil && JPEGSegments(parsing: data).trailer.isEmpty)
      return
    }
    // It is a Motion Photo of the common format now: the movie follows the picture directly and ends with the file.
    let range = try #require(motion).movieRange
    #expect(try range.upperBound == file.size && Int(range.lowerBound) == JPEGSegments(parsing: data).end)
    let samples = try HandMadeMovie.samples(of: 0, in: Data(data.suffix(from: Int(range.lowerBound))))
    #expect(samples == (0..<12).map(HandMadeMovie.frame))
    if maker != .samsung { #expect(motion?.presentationTime == 0.2) }
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
  func otherProgramsFindTheMovieOfTheCopy() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, bytes, _) = try await asset(.samsung, in: library, scratch)
    let known = try #require(try Command.report(of: "exiftool", "-s3", "-EmbeddedVideoType", asset.url.path))
    #expect(known.contains("MotionPhoto_Data") && bytes.count > movie.count)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .current, ExportOptions(dropsSound: true), into: folder)
    let url = try #require(report.exported.first).url
    let read = try #require(
      try Command.report(of: "exiftool", "-a", "-s3", "-MotionPhoto", "-DirectoryItemSemantic", "-Trailer*", url.path))
    #expect(read.contains("MotionPhoto") && !read.contains("Samsung"), "\(read)")
  }

  /// Favorites, edits and reverting work as with any live photo.
  @Test func itIsChangedAsAnyOther() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, bytes, _) = try await asset(.samsung, in: library, scratch)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let favorite = try #require(try await library.asset(id: asset.id))
    #expect(favorite.isLive && favorite.isFavorite)
    let data = try Data(contentsOf: favorite.url)
    let range = try #require(favorite.movieRange)
    #expect(data[Int(range.lowerBound)..<Int(range.upperBound)] == movie)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    #expect(try Data(contentsOf: asset.url) == bytes)
    #expect(try await library.verify().isClean)
  }

  /// Lying directories: the file is a plain photo, or its movie is where it says.
  @Test func liesOfATrailerAreHarmless() async throws {
    let picture = try Samples.jpeg()
    let trailer = HandMadeTrailer.samsung(movie: movie)
    var numbers = SeededNumbers.fresh()
    let scratch = try Scratch()
    let path = scratch.path + "/a.jpg"
    let directory = try #require(trailer.range(of: Data("SEFH".utf8))).lowerBound
    for round in 0..<300 {
      var data = trailer
      for _ in 0...round % 3 {
        data[.random(in: directory..<data.count, using: &numbers)] =
          [0, 0xff, 1, .random(in: 0...255, using: &numbers)][
            round % 4]
      }
      if round % 7 == 0 { data.removeFirst(.random(in: 0..<directory, using: &numbers)) }
      try (picture + data).write(to: URL(fileURLWithPath: path))
      let file = try ReadableFile(path, disk: Disk())
      guard let range = try FileFacts(file)?.movieRange else { continue }
      #expect(range.upperBound <= file.size && range.lowerBound >= UInt64(picture.count))
    }
  }
}
