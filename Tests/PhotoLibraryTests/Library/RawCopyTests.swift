// Copies of pictures with raw ones: whose DNG it is.

import CameraCore
import Foundation
import MediaFormats
import StillCodecs
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct RawCopyTests {
  private static let name = "2026-11/IMG_20261121_073106_123"

  /// A conversion to PNG, beside the picture, as other programs save it: with the EXIF of the original.
  private static func convert(_ asset: Asset, in library: PhotoLibrary, _ scratch: Scratch) async throws -> Asset {
    let image = DecodedImage.plain(PixelSize(width: 64, height: 48), red: 9)
    let png = try PhotoAssembly.photo(
      StillCodecs.encode(image, as: .png), metadata: Samples.metadata(), id: asset.id)
    try scratch.put(png, "\(name).png")
    try await library.refresh()
    let copy = try #require(try await library.fetchAssets().first { $0.url.pathExtension == "png" })
    #expect(copy.id != asset.id)
    return copy
  }

  @Test func aConvertedCopyHasNoPartInTheDNG() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let copy = try await Self.convert(asset, in: library, scratch)
    #expect(await library.rawFile(of: copy) == nil)
    try await library.performChanges { $0.deletePermanently([copy.id]) }
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == ["\(Self.name).dng", "\(Self.name).jpg"])
    #expect(await library.rawFile(of: asset) != nil)
    await library.close()
  }

  @Test func deletingAConvertedCopyInTheTrashLeavesTheDNGThere() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let copy = try await Self.convert(asset, in: library, scratch)
    let trashed = try await library.trash([asset.id, copy.id])
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == [])
    try await library.deletePermanently([try #require(trashed.first { $0.id == copy.id })])
    try await library.restore([try #require(trashed.first { $0.id == asset.id })])
    let restored = try #require(try await library.asset(id: asset.id))
    #expect(await library.rawFile(of: restored) != nil)
    await library.close()
  }

  @Test func emptyingTheTrashRemovesTheDNGOnce() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let copy = try await Self.convert(asset, in: library, scratch)
    let trashed = try await library.trash([copy.id, asset.id])
    try await library.deletePermanently(trashed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/Trash/files").isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/Trash/info").isEmpty)
    await library.close()
  }

  /// A copied pair, moved to another folder by a file manager.
  private static func movedPair(_ library: PhotoLibrary, _ scratch: Scratch) async throws -> Asset {
    for (from, to) in [(Self.name, "b/x"), ("b/x", "c/x")] {
      for ending in [".jpg", ".dng"] {
        let source = scratch.pictures.appendingPathComponent(from + ending)
        let target = scratch.pictures.appendingPathComponent(to + ending)
        try FileManager.default.createDirectory(
          at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        if to.hasPrefix("b") {
          try FileManager.default.copyItem(at: source, to: target)
        } else {
          try FileManager.default.moveItem(at: source, to: target)
        }
      }
      try await library.refresh()
    }
    return try await moved(in: library)
  }

  /// The copy that was moved. Once it was in the trash, or was edited and reverted, it has the id of a copy at its new path.
  private static func moved(in library: PhotoLibrary) async throws -> Asset {
    try #require(try await library.fetchAssets().first { $0.url.path.hasSuffix("/c/x.jpg") })
  }

  @Test func aCopiedPairStaysOneWhereverItIsMoved() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let copy = try await Self.movedPair(library, scratch)
    #expect(copy.id != asset.id)
    #expect(await library.rawFile(of: copy)?.path == scratch.pictures.path + "/c/x.dng")
    let trashed = try await library.trash([copy.id])
    #expect(scratch.files().filter { $0.hasPrefix("c/") } == [])
    try await library.restore(trashed)
    #expect(scratch.files().filter { $0.hasPrefix("c/") } == ["c/x.dng", "c/x.jpg"])
    let again = try await library.trash([try await Self.moved(in: library).id])
    try await library.deletePermanently(again)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/Trash/files").isEmpty)
    #expect(await library.rawFile(of: asset) != nil)
    await library.close()
  }

  @Test func anEditedCopyKeepsItsDNG() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await library.addRawPhoto()
    let copy = try await Self.movedPair(library, scratch)
    try await library.editPhoto(copy.id, shade: 7)
    let edited = try #require(try await library.asset(id: copy.id))
    #expect(await library.rawFile(of: edited) != nil)
    try await library.performChanges { $0.change(.revert(copy.id)) }
    let reverted = try await Self.moved(in: library)
    try await library.performChanges { $0.deletePermanently([reverted.id]) }
    #expect(scratch.files().filter { $0.hasPrefix("c/") } == [])
    await library.close()
  }

  @Test func theDNGInTheTrashLeavesNoThumbnails() async throws {
    for restores in [false, true] {
      let scratch = try Scratch()
      let library = try await scratch.library()
      let asset = try await library.addRawPhoto()
      let trashed = try await library.trash([asset.id])
      let raw = scratch.path + "/Trash/files/IMG_20261121_073106_123.dng"
      #expect(FileManager.default.fileExists(atPath: raw))
      try scratch.plantThumbnails(of: raw)
      if restores { try await library.restore(trashed) } else { try await library.deletePermanently(trashed) }
      #expect(try scratch.thumbnails(of: raw) == [])
      await library.close()
    }
  }

  @Test(arguments: [false, true]) func anImportTakesThePair(isMove: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addRawPhoto()
    let folder = scratch.url.appendingPathComponent("exported", isDirectory: true)
    _ = try await library.export([asset], as: .current, into: folder)
    // Another picture's, and nobody's.
    let foreign = folder.appendingPathComponent("other.dng")
    try FileManager.default.copyItem(
      at: folder.appendingPathComponent("IMG_20261121_073106_123.dng"), to: foreign)
    try Samples.jpeg(shade: 3).write(to: folder.appendingPathComponent("other.jpg"))
    let before = try Data(contentsOf: foreign)
    await library.close()

    let other = try Scratch()
    let next = try await other.library()
    let report = try await next.importAssets(from: [folder], move: isMove)
    #expect(report.refused.map(\.path) == [foreign.path])
    #expect(report.imported.count == 2)
    let imported = try #require(try await next.asset(id: asset.id))
    let raw = try #require(await next.rawFile(of: imported))
    #expect(try Data(contentsOf: raw) == before)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(left.filter { $0.hasPrefix("IMG") }.count == (isMove ? 0 : 2))
    #expect(left.contains("other.dng"))
    if !isMove {
      let again = try await next.importAssets(from: [folder])
      #expect(again.imported.isEmpty && again.refused.map(\.path) == [foreign.path])
      try FileManager.default.removeItem(at: raw)
      // A library that took only the picture earlier.
      let third = try await next.importAssets(from: [folder])
      #expect(third.refused.count == 2)
    }
    await next.close()
  }

  @Test func aGivenNameIsThePicturesWhateverItsFormat() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var request = try AssetCreationRequest(
      photo: StillCodecs.encode(.plain(PixelSize(width: 64, height: 48), red: 9), as: .png),
      metadata: Samples.metadata())
    request.rawFrame = try Samples.rawFrame()
    let asset = try await library.createAsset(request)
    let file = scratch.url.appendingPathComponent("out/foo.png")
    let exported = try await library.export(asset, as: .current, to: file)
    #expect([exported.url, exported.companions.first].map { $0?.lastPathComponent } == ["foo.png", "foo.dng"])
    await library.close()
  }
}
