// Assets of two files on file systems of other kinds, and across disks.

import CameraCore
import EngineInterface
import ForeignDisks
import Foundation
import Testing

@testable import PhotoLibrary

/// A live photo of another program on sticks, cards and shares: imported from another disk, edited, renamed, trashed,
/// exported, with the disk mounted anew in between.
@Suite("Assets of several files on other file systems", .timeLimit(.minutes(30))) struct PairGroundTests {
  private let scratch: Scratch
  private let photo: Data
  private let movie: Data

  init() throws {
    scratch = try Scratch()
    photo = try AppleSamples.photo(AppleSamples.mark)
    movie = AppleSamples.movie(AppleSamples.mark)
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
  }

  /// The mount point.
  private var disk: String { scratch.path + "/disk" }
  private var pictures: URL { URL(fileURLWithPath: disk + "/Pictures/PhotoMe", isDirectory: true) }

  private func library(_ kind: FileSystemKind, mount: UInt64) async throws -> PhotoLibrary {
    let disk = Disk(system: SimulatedFileSystem(kind, at: disk, mount: mount, isOnly: true))
    let library = try await PhotoLibrary.open(
      at: pictures, index: scratch.index, disk: disk, trash: DesktopTrash(disk: disk, home: scratch.path + "/Trash"),
      thumbnails: DesktopThumbnails(folder: scratch.thumbnails))
    try await library.refresh()
    return library
  }

  /// A folder of the computer's own disk with the files of a pair.
  private func card(_ names: [String], _ contents: [Data], in folder: String = "card") throws -> URL {
    let card = scratch.url.appendingPathComponent(folder, isDirectory: true)
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for (name, data) in zip(names, contents) { try data.write(to: card.appendingPathComponent(name)) }
    return card
  }

  private func only(_ library: PhotoLibrary) async throws -> Asset {
    let assets = try await library.fetchAssets()
    #expect(assets.count == 1, "\(assets.map(\.url.path))")
    return try #require(assets.first)
  }

  private func expectBoth(_ asset: Asset) throws {
    #expect(asset.isLive && !asset.isEdited)
    #expect(try Data(contentsOf: asset.url) == photo && Data(contentsOf: asset.movieURL) == movie)
  }

  private func edit(_ asset: Asset, in library: PhotoLibrary) async throws {
    let video = try await Samples.movie(in: library, name: "edit.mp4")
    let output = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 9), pairedVideo: video, photoDisplayTime: 1,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("{}".utf8)))
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output)) }
  }

  @Test(arguments: FileSystemKind.all, [["IMG_1.JPG", "IMG_1.MOV"], ["IMG_1.JPG", "img_1.mov"]])
  func bothFilesGoAllTheWay(kind: FileSystemKind, names: [String]) async throws {
    var library = try await library(kind, mount: 1)
    let report = try await library.importAssets(from: [card(names, [photo, movie])], move: true)
    let asset = try #require(report.imported.first?.asset, "\(report)")
    #expect(report.imported.count == 1 && report.imported[0].keptSource == nil && report.refused.isEmpty)
    try expectBoth(asset)
    func mount(_ number: UInt64) async throws -> PhotoLibrary {
      await library.close()
      return try await self.library(kind, mount: number)
    }
    library = try await mount(2)
    #expect(try await only(library).id == asset.id)
    // Edited, and taken back after the disk was somewhere else.
    try await edit(asset, in: library)
    library = try await mount(3)
    let edited = try await only(library)
    #expect(edited.id == asset.id && edited.isEdited && edited.isLive)
    #expect(try await library.verify().isClean)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    try expectBoth(try await only(library))
    // Another program renames both, in its own case.
    let system = SimulatedFileSystem(kind, at: disk, mount: 3)
    let month = asset.url.deletingLastPathComponent().path
    let old = try await only(library)
    #expect(rename(old.url.path, month + "/Beach.JPG") == 0 && rename(old.movieURL.path, month + "/beach.Mov") == 0)
    try await library.refresh()
    try expectBoth(try await only(library))
    library = try await mount(4)
    let renamed = try await only(library)
    #expect(renamed.url.lastPathComponent == "Beach.JPG" && renamed.id == asset.id)
    try expectBoth(renamed)
    // To the trash of the disk, and back from there.
    let trashed = try await library.trash([asset.id])
    #expect(try await library.fetchAssets().isEmpty)
    library = try await mount(5)
    let listed = try await library.trashedPictures()
    #expect(listed.count == 1 && listed[0].asset.isLive && listed[0].trashed.url == trashed[0].url)
    try await library.restore(listed.map(\.trashed))
    let restored = try await only(library)
    #expect(restored.id == asset.id && restored.url == renamed.url)
    try expectBoth(restored)
    // A copy of both onto the same disk, and onto another one.
    for folder in [disk + "/Copies", scratch.path + "/copies"] {
      let folder = URL(fileURLWithPath: folder, isDirectory: true)
      let exported = try await library.export([restored], as: .current, into: folder)
      #expect(exported.refused.isEmpty && exported.exported.first?.companions.count == 1)
      #expect(try Data(contentsOf: folder.appendingPathComponent("Beach.JPG")) == photo)
      #expect(try Data(contentsOf: folder.appendingPathComponent("Beach.Mov")) == movie)
    }
    #expect(try await library.verify().problems.isEmpty)
    #expect(Disk(system: system).names(in: month)?.sorted() == ["Beach.JPG", "beach.Mov"])
    await library.close()
  }

  /// Nothing but the time of the files says that they are one, and FAT keeps even seconds only.
  @Test(arguments: FileSystemKind.all) func aPairByTimeStaysOne(kind: FileSystemKind) async throws {
    let shot = Date(timeIntervalSince1970: 1_795_242_667.9)
    let names = ["DSC_1.JPG", "dsc_1.mov"]
    let card = try card(names, [try Samples.jpeg(), Samples.mp4(brand: "qt  ")])
    for (name, time) in zip(names, [0, -3.1]) {
      try FileManager.default.setAttributes(
        [.modificationDate: shot.addingTimeInterval(time)], ofItemAtPath: card.path + "/" + name)
    }
    var library = try await library(kind, mount: 1)
    let asset = try #require(try await library.importAssets(from: [card]).imported.first?.asset)
    #expect(asset.isLive)
    // Each writes the file anew.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    try await edit(asset, in: library)
    await library.close()
    library = try await self.library(kind, mount: 2)
    #expect(try await only(library).isEdited)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try await only(library).isLive)
    let date = AssetChangeRequest(
      for: asset.id, creationDate: Date(timeIntervalSince1970: 1_600_000_000), timeZone: .gmt)
    try await library.performChanges { $0.change(date) }
    #expect(try await only(library).isLive)
    await library.close()
  }

  /// The photo is on one disk and its movie on another one; the library is on a third.
  @Test(arguments: FileSystemKind.all) func theHalvesOfTwoDisksFindEachOther(kind: FileSystemKind) async throws {
    for (turn, names) in [["IMG_1.JPG", "IMG_1.MOV"], ["beach.JPG", "film.MOV"]].enumerated() {
      let scratch = try PairGroundTests()
      let one = try scratch.card([names[0]], [photo], in: "one")
      let other = try scratch.card([names[1]], [movie], in: "other")
      let library = try await scratch.library(kind, mount: 1)
      let report = try await library.importAssets(from: turn == 0 ? [one, other] : [other, one], move: true)
      #expect(report.refused.isEmpty && report.imported.allSatisfy { $0.keptSource == nil })
      try scratch.expectBoth(try await scratch.only(library))
      await library.close()
    }
  }
}
