// MKV, WebM and AVI movies as assets: imported, marked, edited, reverted, exported and verified.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("Movies of other formats", .timeLimit(.minutes(30))) struct ForeignMovieTests {
  private static let names = ["clip.mkv", "clip.webm", "clip.AVI"]

  private static func file(_ name: String) -> Data {
    if name.hasSuffix("AVI") {
      let frames = (0..<10).flatMap { _ in HandMadeAVI.chunk("00dc", [1, 2, 3, 4]) }
      return Data(
        HandMadeAVI.file(HandMadeAVI.header(width: 64, height: 48, frames: 10), HandMadeAVI.list("movi", frames)))
    }
    typealias Make = HandMadeMatroska
    let information = Make.element(Make.information, Make.number(0x2a_d7b1, 1_000_000) + Make.float(0x4489, 1_000))
    let cluster = Make.element(Make.cluster, Make.frames(from: 0, at: [0, 50, 100]))
    return Data(
      Make.header(name.hasSuffix("webm") ? "webm" : "matroska")
        + Make.element(
          Make.segment, information + Make.tracks(Make.picture(width: 64, height: 48), Make.sound) + cluster))
  }

  private static func imported(
    _ name: String, into library: PhotoLibrary, _ scratch: Scratch
  ) async throws -> Asset {
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    try Self.file(name).write(to: card.appendingPathComponent(name))
    return try #require(try await library.importAssets(from: [card]).imported.first).asset
  }

  @Test(arguments: names) func theyAreAssets(_ name: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.imported(name, into: library, scratch)
    #expect(asset.mediaType == .video && asset.size == PixelSize(width: 64, height: 48))
    #expect(abs(try #require(asset.duration) - 1) < 0.2)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    #expect(try Data(contentsOf: asset.url) == Self.file(name))
    #expect(try await library.verify().isClean)
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await again.asset(id: asset.id)?.isFavorite == true)
  }

  @Test(arguments: names) func anEditIsAnMP4AndTheMovieComesBack(_ name: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.imported(name, into: library, scratch)
    for number in 1...2 {
      var request = AssetChangeRequest(for: asset.id)
      request.contentEditingOutput = ContentEditingOutput(
        photo: nil,
        pairedVideo: try await Samples.movie(in: library, name: "edit\(number).mp4", seconds: Double(number)),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      let change = request
      try await library.performChanges { $0.change(change) }
      let edited = try #require(try await library.asset(id: asset.id))
      #expect(edited.url.lastPathComponent == "clip.mp4")
      #expect(!FileManager.default.fileExists(atPath: asset.url.path))
      #expect(try await library.verify().isClean)
    }
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let back = try #require(try await library.asset(id: asset.id))
    #expect(back.url == asset.url)
    #expect(try Data(contentsOf: back.url) == Self.file(name))
    #expect(try await library.count() == 1)
    #expect(try await library.verify().isClean)
  }

  @Test(arguments: names) func cutOnesAreSaid(_ name: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    try Self.file(name).dropLast(3).write(to: card.appendingPathComponent(name))
    let report = try await library.importAssets(from: [card])
    #expect(report.imported.first?.fault != nil || report.refused.count == 1)
  }
}
