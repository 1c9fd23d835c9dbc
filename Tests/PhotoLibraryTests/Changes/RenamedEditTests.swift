// Edits in another format than their originals, whose files get other names, and get the old ones back.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct RenamedEditTests {
  private static func gif(_ color: UInt8 = 20) -> Data {
    let frames = [color, color + 20].map { HandMadeGIF.Frame(width: 64, height: 48, color: $0) }
    return HandMadeGIF(width: 64, height: 48, frames: frames).data
  }

  /// A library with a GIF that has been edited.
  private struct Bench {
    let scratch: Scratch
    let library: PhotoLibrary
    /// As it was before.
    let asset: Asset

    init(isEdited: Bool = true) async throws {
      scratch = try Scratch()
      library = try await scratch.library()
      try scratch.put(gif(), "dance.GIF")
      try await library.refresh()
      asset = try #require(try await library.fetchAssets().first)
      if isEdited { try await library.editPhoto(asset.id, shade: 60) }
    }

    func path(_ name: String) -> String { "\(scratch.pictures.path)/\(name)" }
    func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func current(in library: PhotoLibrary? = nil) async throws -> Asset {
      try #require(try await (library ?? self.library).asset(id: asset.id))
    }

    func name(in library: PhotoLibrary? = nil) async throws -> String {
      try await current(in: library).url.lastPathComponent
    }

    func revert(in library: PhotoLibrary? = nil) async throws {
      try await (library ?? self.library).performChanges { $0.change(.revert(asset.id)) }
      #expect(try await (library ?? self.library).verify().isClean)
      #expect(scratch.remains().isEmpty)
    }
  }

  @Test func aNameThatIsTakenStaysWithItsPicture() async throws {
    let bench = try await Bench(isEdited: false)
    let other = try Samples.jpeg(shade: 90)
    try bench.scratch.put(other, "dance.jpg")
    try await bench.library.refresh()
    try await bench.library.editPhoto(bench.asset.id, shade: 60)
    let name = try await bench.name()
    #expect(name != "dance.jpg" && name.hasPrefix("dance") && name.hasSuffix(".jpg"))
    #expect(try bench.data("dance.jpg") == other && !bench.exists("dance.GIF"))
    // Meanwhile the old name is another picture's.
    let second = Self.gif(50)
    try bench.scratch.put(second, "\(name.dropLast(4)).GIF")
    try await bench.library.refresh()
    try await bench.revert()
    let back = try await bench.name()
    #expect(back.hasSuffix(".GIF") && !bench.exists(name))
    #expect(try bench.data(back) == Self.gif() && bench.data("\(name.dropLast(4)).GIF") == second)
    #expect(try await bench.library.count() == 3)
  }

  @Test func twoOfOneNameInDifferentCaseKeepThem() async throws {
    let bench = try await Bench(isEdited: false)
    try bench.scratch.put(Self.gif(50), "DANCE.gif")
    try await bench.library.refresh()
    let ids = try await bench.library.fetchAssets().map(\.id)
    #expect(ids.count == 2)
    let requests = try ids.map { id in
      var request = AssetChangeRequest(for: id)
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: 60),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      return request
    }
    try await bench.library.performChanges { changes in for request in requests { changes.change(request) } }
    #expect(bench.exists("dance.jpg") && bench.exists("DANCE.jpg"))
    try await bench.library.performChanges { changes in for id in ids { changes.change(.revert(id)) } }
    #expect(try bench.data("dance.GIF") == Self.gif() && bench.data("DANCE.gif") == Self.gif(50))
    #expect(try await bench.library.verify().isClean)
  }

  @Test func theNameThatAnotherProgramGaveStays() async throws {
    let bench = try await Bench()
    try FileManager.default.moveItem(atPath: bench.path("dance.jpg"), toPath: bench.path("party.jpeg"))
    try await bench.library.refresh()
    #expect(try await bench.name() == "party.jpeg")
    try await bench.library.editPhoto(bench.asset.id, shade: 70)
    #expect(try await bench.name() == "party.jpeg")
    try await bench.revert()
    #expect(try await bench.name() == "party.GIF")
    #expect(try bench.data("party.GIF") == Self.gif())
  }

  @Test func itComesBackFromTheTrashAndIsReverted() async throws {
    let bench = try await Bench()
    let edited = try bench.data("dance.jpg")
    let trashed = try await bench.library.trash([bench.asset.id])
    #expect(!bench.exists("dance.jpg"))
    // Its old name is another one's meanwhile, and so is the present one.
    try bench.scratch.put(try Samples.jpeg(shade: 90), "dance.jpg")
    try bench.scratch.put(Self.gif(50), "dance.GIF")
    try await bench.library.refresh()
    try await bench.library.restore(trashed)
    let name = try await bench.name()
    #expect(try bench.data(name) == edited && name.hasSuffix(".jpg"))
    #expect(try await bench.current().isEdited)
    try await bench.revert()
    let back = try await bench.name()
    #expect(back.hasSuffix(".GIF") && back != "dance.GIF")
    #expect(try bench.data(back) == Self.gif() && bench.data("dance.GIF") == Self.gif(50))
  }

  @Test func aNewIndexKnowsItAndSoDoesAnImport() async throws {
    let bench = try await Bench()
    await bench.library.close()
    let fresh = try await PhotoLibrary.open(
      at: bench.scratch.pictures, index: bench.scratch.url.appendingPathComponent("other.sqlite"))
    try await fresh.refresh()
    #expect(try await fresh.count() == 1)
    #expect(try await bench.current(in: fresh).isEdited)
    let card = bench.scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    try Self.gif().write(to: card.appendingPathComponent("again.gif"))
    let report = try await fresh.importAssets(from: [card])
    #expect(report.imported.isEmpty && report.duplicates.map(\.assetID) == [bench.asset.id])
    try await bench.revert(in: fresh)
    #expect(try await bench.name(in: fresh) == "dance.GIF")
    #expect(try bench.data("dance.GIF") == Self.gif())
    await fresh.close()
  }

  @Test func aVersionOfAnotherProgramIsKeptBesideTheOriginal() async throws {
    let bench = try await Bench()
    let painted = try Samples.jpeg(shade: 200)
    try painted.write(to: URL(fileURLWithPath: bench.path("dance.jpg")))
    try await bench.library.refresh()
    #expect(try await bench.current().isEdited)
    try await bench.revert()
    let all = try await bench.library.fetchAssets()
    let contents = try all.map { try Data(contentsOf: $0.url) }
    #expect(contents.contains(painted) && contents.contains(Self.gif()), "\(all.map(\.url.path))")
  }

  @Test func anEditWithoutItsRecordFindsItsOriginal() async throws {
    let bench = try await Bench()
    await bench.library.close()
    try FileManager.default.removeItem(atPath: bench.path(".photome/assets/\(bench.asset.id).json"))
    let fresh = try await PhotoLibrary.open(
      at: bench.scratch.pictures, index: bench.scratch.url.appendingPathComponent("other.sqlite"))
    try await fresh.refresh()
    let asset = try #require(try await fresh.fetchAssets().first)
    #expect(asset.id == bench.asset.id && !asset.isEdited)
    try await fresh.editPhoto(asset.id, shade: 70)
    try await bench.revert(in: fresh)
    #expect(try await bench.name(in: fresh) == "dance.gif")
    #expect(try bench.data("dance.gif") == Self.gif())
    await fresh.close()
  }
}
