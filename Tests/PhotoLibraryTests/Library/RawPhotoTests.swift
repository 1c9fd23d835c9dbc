// Pictures with a DNG beside them: one asset of two files, whatever becomes of it.

import CameraCore
import Foundation
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct RawPhotoTests {
  private static let name = "2026-11/IMG_20261121_073106_123"

  @Test func aRawPhotoIsOneAssetOfTwoFiles() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == ["\(Self.name).dng", "\(Self.name).jpg"])
    #expect(try await library.fetchAssets() == [asset])
    let raw = try #require(await library.rawFile(of: asset))
    #expect(raw.path == scratch.pictures.path + "/\(Self.name).dng")
    let head = try #require(try DNGHead(ReadableFile(raw.path, disk: Disk())))
    #expect((head.size, head.uniqueID) == (PixelSize(width: 32, height: 18), asset.id))
    #expect(head.preview != nil)
    #expect(try await library.verify().isClean)
    // A second one at the same instant gets another name, the same for both.
    let second = try await library.addRawPhoto()
    #expect(second.url.path == scratch.pictures.path + "/\(Self.name)_2.jpg")
    #expect(await library.rawFile(of: second)?.path == scratch.pictures.path + "/\(Self.name)_2.dng")
    await library.close()
  }

  @Test func aNameIsTakenThatIsFreeForBothFiles() async throws {
    let scratch = try Scratch()
    try scratch.put(Data("theirs".utf8), "\(Self.name).dng")
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    #expect(asset.url.path == scratch.pictures.path + "/\(Self.name)_2.jpg")
    #expect(await library.rawFile(of: asset) != nil)
    await library.close()
  }

  @Test func aNewIndexFindsTheSame() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    await library.close()
    try scratch.removeIndex()
    let next = try await scratch.library()
    try await next.refresh()
    #expect(try await next.fetchAssets().map(\.id) == [asset.id])
    #expect(await next.rawFile(of: asset) != nil)
    #expect(try await next.verify().isClean)
    await next.close()
  }

  @Test func theTrashHasBothAndGivesBothBack() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let before = try Data(contentsOf: #require(await library.rawFile(of: asset)))
    let trashed = try await library.trash([asset.id])
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == [])
    #expect(try await library.fetchAssets().isEmpty)
    // Meanwhile another file has taken the picture's name.
    try scratch.put(Samples.jpeg(shade: 3), "\(Self.name).jpg")
    try await library.refresh()
    try await library.restore(trashed)
    let restored = try #require(try await library.asset(id: asset.id))
    #expect(restored.url.path == scratch.pictures.path + "/\(Self.name)_2.jpg")
    let raw = try #require(await library.rawFile(of: restored))
    #expect(raw.lastPathComponent == "IMG_20261121_073106_123_2.dng")
    #expect(try Data(contentsOf: raw) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/Trash/info").isEmpty)
    await library.close()
  }

  @Test func deletingDeletesBoth() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = [try await library.addRawPhoto(), try await library.addRawPhoto(second: 1)]
    try await library.performChanges { $0.deletePermanently([assets[0].id]) }
    #expect(scratch.files().filter { $0.hasPrefix("2026") }.count == 2)
    let trashed = try await library.trash([assets[1].id])
    try await library.deletePermanently(trashed)
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/Trash/files").isEmpty)
    await library.close()
  }

  @Test func theRawPictureOfAnotherIsLeftAlone() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let other = try await library.addRawPhoto(second: 5)
    let raw = try #require(await library.rawFile(of: other))
    // The name alone proves nothing.
    let copy = scratch.pictures.appendingPathComponent("\(Self.name).dng")
    try FileManager.default.copyItem(at: raw, to: copy)
    #expect(await library.rawFile(of: asset) == nil)
    try await library.performChanges { $0.deletePermanently([asset.id]) }
    #expect(FileManager.default.fileExists(atPath: copy.path))
    await library.close()
  }

  @Test func anEditThatTakesTheMovieAwayRenamesBoth() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto(pairedVideo: Samples.movie(in: library))
    #expect(asset.isLive)
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == ["\(Self.name).MP.dng", "\(Self.name).MP.jpg"])
    try await library.editPhoto(asset.id, shade: 7)
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.url.lastPathComponent == "IMG_20261121_073106_123.jpg")
    #expect(await library.rawFile(of: edited)?.lastPathComponent == "IMG_20261121_073106_123.dng")
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let reverted = try #require(try await library.asset(id: asset.id))
    #expect(await library.rawFile(of: reverted)?.lastPathComponent == "IMG_20261121_073106_123.MP.dng")
    #expect(try await library.verify().isClean)
    await library.close()
  }

  @Test func anExportTakesBothUnlessItChangesThePicture() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let raw = try Data(contentsOf: #require(await library.rawFile(of: asset)))
    for form in [ExportForm.original, .current] {
      let folder = scratch.url.appendingPathComponent("\(form)", isDirectory: true)
      let report = try await library.export([asset], as: form, into: folder)
      let exported = try #require(report.exported.first)
      #expect(exported.companions.first?.lastPathComponent == "IMG_20261121_073106_123.dng")
      #expect(try exported.companions.first.map { try Data(contentsOf: $0) } == raw)
    }
    let folder = scratch.url.appendingPathComponent("shared", isDirectory: true)
    let shared = try await library.export(
      [asset], as: .current, ExportOptions(dropsLocation: true), into: folder)
    #expect(shared.exported.first?.companions.first == nil)
    await library.close()
  }

  @Test func aDamagedRawPictureIsFound() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    #expect(try await library.verify().isClean)
    let raw = try #require(await library.rawFile(of: asset))
    let bytes = try Data(contentsOf: raw)
    try bytes.dropLast(9).write(to: raw)
    #expect(try await library.verify().problems.map(\.kind) == [.cutShort])
    // It still goes with its picture.
    _ = try await library.trash([asset.id])
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == [])
    await library.close()
  }

  @Test func aStagedShotIsRecoveredWithItsRawPicture() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(), rawFrame: Samples.rawFrame())
    let alone = "IMG_20261121_073109_000_\(String(repeating: "b", count: 32)).dng"
    try Data("half".utf8).write(to: library.movieFolder.appendingPathComponent(alone))
    let token = LibraryFolder.makeToken()
    let incoming = scratch.pictures.appendingPathComponent(".photome/incoming")
    try FileManager.default.moveItem(at: library.movieFolder, to: incoming.appendingPathComponent(token))
    await library.close()
    let next = try await scratch.library()
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == ["\(Self.name).dng", "\(Self.name).jpg"])
    #expect(next.recovery.contains(.removedLeftover(name: alone)))
    try await next.refresh()
    let asset = try #require(try await next.asset(id: staged.id))
    #expect(await next.rawFile(of: asset) != nil)
    await next.close()
  }

  @Test func aStagedShotIsCommittedWithItsRawPicture() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(), rawFrame: Samples.rawFrame())
    let asset = try await library.createAsset(
      AssetCreationRequest(staged: staged, pairedVideo: Samples.movie(in: library), photoDisplayTime: 1))
    #expect(asset.isLive)
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == ["\(Self.name).MP.dng", "\(Self.name).MP.jpg"])
    #expect(await library.rawFile(of: asset) != nil)
    await library.close()
  }
}
