// An id belongs to the picture that had it, whatever other programs do to its file.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct IdentityTests {
  private func edited(_ library: PhotoLibrary, _ id: Asset.ID) async throws {
    var request = AssetChangeRequest(for: id, isFavorite: true, isHidden: true)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 10),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { changes in
      changes.change(change)
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [id]))
    }
  }

  /// A hidden favorite with an edit, in an album.
  private func precious(_ library: PhotoLibrary, second: Double = 0) async throws -> Asset {
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
    try await edited(library, asset.id)
    return try #require(try await library.asset(id: asset.id))
  }

  private func kept(_ scratch: Scratch) -> [String] {
    scratch.files().filter { $0.hasPrefix(".photome/assets") || $0.hasPrefix(".photome/originals") }
  }

  /// Two starts, each with all that a start does by itself, and a verification.
  private func restartTwice(_ scratch: Scratch) async throws {
    for _ in 0..<2 {
      let library = try await scratch.library()
      try await library.refresh()
      try await library.clearOrphanedRecords()
      _ = try await library.verify()
      await library.close()
    }
  }

  // MARK: Changed files

  enum Editor: String, CaseIterable { case stripsMetadata, turnsPixels }

  @Test(arguments: Editor.allCases, [true, false])
  func aPictureThatAnotherProgramSavesKeepsWhatItHad(editor: Editor, isOpen: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await precious(library)
    let before = kept(scratch)
    if !isOpen { await library.close() }
    let bytes = try Data(contentsOf: asset.url)
    let changed =
      editor == .stripsMetadata ? ForeignEditors.stripped(bytes) : try Samples.jpeg(width: 180, height: 320, shade: 10)
    try changed.write(to: asset.url, options: .atomic)
    if isOpen { try await library.refresh() }
    if isOpen { await library.close() }
    try await restartTwice(scratch)
    #expect(kept(scratch) == before)
    let again = try await scratch.library()
    try await again.refresh()
    let now = try #require(try await again.asset(at: asset.url))
    #expect(now.id == asset.id && now.isFavorite && now.isHidden && now.isEdited)
    #expect(try await again.fetchAlbums(of: asset.id).map(\.title) == ["Bern"])
    await again.close()
    // The index holds nothing that the records don't.
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
    let fresh = try await scratch.library()
    try await fresh.refresh()
    #expect(try await fresh.asset(at: asset.url)?.id == asset.id)
    #expect(try await fresh.count() == 1)
    await fresh.close()
  }

  @Test func aMovieThatIsWrittenAnewKeepsItsAlbum() async throws {
    let scratch = try Scratch()
    let url = try scratch.put(Samples.mp4(), "2026-11/VID_20261121_073200_000.mp4")
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try #require(try await library.asset(at: url))
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await library.close()
    try Samples.mp4(mediaBytes: 6000).write(to: url, options: .atomic)
    try await restartTwice(scratch)
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await again.asset(at: url)?.id == asset.id)
    #expect(try await again.asset(at: url)?.isFavorite == true)
    await again.close()
  }

  /// Another camera's file under the same name is another picture.
  @Test func anotherPictureUnderTheSameNameGetsNothing() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await precious(library)
    let other = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(shade: 200), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(99)),
      id: AssetIdentity.makeID())
    try other.write(to: asset.url, options: .atomic)
    try await library.refresh()
    let now = try #require(try await library.asset(at: asset.url))
    #expect(now.id != asset.id && !now.isFavorite && !now.isEdited && !now.isHidden)
    let found = try await library.verify()
    #expect(found.problems.contains { $0.assetID == asset.id && $0.path == asset.url.path }, "\(found.problems)")
  }

  @Test func picturesThatSwapTheirNamesSwapNothingElse() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let one = try await precious(library)
    let two = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(shade: 50), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(10))))
    await library.close()
    let aside = scratch.url.appendingPathComponent("aside")
    try FileManager.default.moveItem(at: one.url, to: aside)
    try FileManager.default.moveItem(at: two.url, to: one.url)
    try FileManager.default.moveItem(at: aside, to: two.url)
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await again.asset(at: two.url)?.id == one.id)
    #expect(try await again.asset(at: one.url)?.id == two.id)
    await again.close()
  }

  // MARK: Copies

  /// An imported picture with an edit, and its copies with names that come first.
  @Test(arguments: ["a.jpg", "2026-11/A.jpg", "2026-11/IMG_20261121_073106_123.jpg"], [true, false])
  func aCopyStealsNothing(name: String, isOpen: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let url = try scratch.put(
      PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: Samples.metadata(), id: AssetIdentity.makeID()),
      "2026-11/DSC_0001.jpg")
    try await library.refresh()
    let asset = try #require(try await library.asset(at: url))
    try await edited(library, asset.id)
    let before = kept(scratch)
    if !isOpen { await library.close() }
    let copy = scratch.pictures.appendingPathComponent(name)
    try FileManager.default.copyItem(at: url, to: copy)
    let again = isOpen ? library : try await scratch.library()
    try await again.refresh()
    #expect(try await again.asset(at: url)?.id == asset.id)
    let second = try #require(try await again.asset(at: copy))
    #expect(second.id != asset.id && !second.isEdited && !second.isFavorite)
    // Nor in an index that is made anew.
    await again.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
    let fresh = try await scratch.library()
    try await fresh.refresh()
    #expect(try await fresh.asset(at: url)?.id == asset.id)
    let third = try #require(try await fresh.asset(at: copy))
    try await fresh.performChanges { $0.deletePermanently([third.id]) }
    #expect(kept(scratch) == before && FileManager.default.fileExists(atPath: url.path))
    await fresh.close()
  }

  /// Two scans of one form, whose pictures begin alike: of files without an id of their own, it is made from the
  /// beginning.
  @Test(arguments: ["a.jpg", "b.jpg"]) func aPictureThatBeginsAsAnotherIsMissed(lost: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let jpeg = try Samples.jpeg()
    var long = jpeg.dropLast(2) + Data((0..<100_000).map { UInt8($0 % 199) }) + jpeg.suffix(2)
    try scratch.put(Data(long), "2026-11/a.jpg")
    long.insert(contentsOf: [1, 2, 3], at: long.endIndex - 4)
    try scratch.put(Data(long), "2026-11/b.jpg")
    try await library.refresh()
    let before = try await library.fetchAssets()
    #expect(before.count == 2 && Set(before.map(\.id)).count == 2)
    let kept = try #require(before.first { $0.url.lastPathComponent != lost })
    try FileManager.default.removeItem(at: library.folder.appendingPathComponent("2026-11/" + lost))
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.id) == [kept.id])
    #expect(try await library.verify().problems.map(\.kind) == [.gone])
    await library.close()
  }

  @Test func anImportStealsNothingAndPrintsTheRightIds() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let camera = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(), metadata: Samples.metadata(), id: AssetIdentity.makeID())
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    let file = card.appendingPathComponent("DSC_0001.jpg")
    try camera.write(to: file)
    let first = try #require(try await library.importAssets(from: [file]).imported.first?.asset)
    try await edited(library, first.id)
    let rendered = try Data(contentsOf: first.url)
    // The camera's file with other tags, and with still others: neither is a duplicate.
    let (one, two) = (card.appendingPathComponent("D1.jpg"), card.appendingPathComponent("D.jpg"))
    try ForeignEditors.tagged(camera, "Bern").write(to: one)
    try ForeignEditors.tagged(camera, "Basel").write(to: two)
    let report = try await library.importAssets(from: [one, two])
    #expect(report.imported.count == 2, "\(report)")
    #expect(Set(report.imported.map(\.asset.id) + [first.id]).count == 3)
    for imported in report.imported {
      let asset = try #require(try await library.asset(id: imported.asset.id))
      #expect(asset.url == imported.asset.url && !asset.isEdited && !asset.isFavorite)
    }
    let still = try #require(try await library.asset(id: first.id))
    #expect(still.url == first.url && still.isEdited)
    #expect(try Data(contentsOf: still.url) == rendered)
  }

  // MARK: Absent folders

  enum Absence: String, CaseIterable { case danglingLink, emptyFolder, otherTrash }

  @Test(arguments: Absence.allCases) func whatIsOutOfReachIsNotForgotten(absence: Absence) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await precious(library)
    let before = kept(scratch)
    if absence == .otherTrash { try await library.trash([asset.id]) }
    await library.close()
    let month = asset.url.deletingLastPathComponent().path
    let archive = scratch.path + "/archive"
    switch absence {
    case .danglingLink:
      try FileManager.default.moveItem(atPath: month, toPath: archive)
      try FileManager.default.createSymbolicLink(atPath: month, withDestinationPath: scratch.path + "/unplugged")
    case .emptyFolder:
      try FileManager.default.moveItem(atPath: month, toPath: archive)
      try FileManager.default.createDirectory(atPath: month, withIntermediateDirectories: true)
    case .otherTrash:
      // As a sandbox hides it.
      try FileManager.default.moveItem(atPath: scratch.path + "/Trash", toPath: archive)
    }
    for _ in 0..<2 {
      let again = try await PhotoLibrary.open(
        at: scratch.pictures, index: scratch.index, disk: Disk(),
        trash: absence == .otherTrash ? DesktopTrash(home: scratch.path + "/Other") : scratch.trash)
      try await again.refresh()
      try await again.clearOrphanedRecords()
      let found = try await again.verify()
      #expect(found.problems.contains { $0.assetID == asset.id && $0.path == asset.url.path }, "\(found.problems)")
      #expect(!found.isClean)
      await again.close()
    }
    #expect(kept(scratch) == before)
    if absence == .otherTrash {
      try FileManager.default.moveItem(atPath: archive, toPath: scratch.path + "/Trash")
    } else {
      try FileManager.default.removeItem(atPath: month)
      try FileManager.default.moveItem(atPath: archive, toPath: month)
    }
    let again = try await scratch.library()
    try await again.refresh()
    if absence == .otherTrash { try await again.restore(try await again.trashedAssets()) }
    let back = try #require(try await again.asset(id: asset.id))
    #expect(back.url == asset.url && back.isEdited && back.isHidden && back.isFavorite)
    #expect(try await again.verify().isClean)
    await again.close()
  }

  // MARK: File systems without case

  @Test(arguments: [true, false]) func aNameInAnotherCaseIsTheSamePicture(isFolder: Bool) async throws {
    let scratch = try Scratch()
    let disk = Disk(system: CaselessFileSystem(root: scratch.pictures.path))
    let library = try await scratch.library(disk: disk)
    let url = try scratch.put(
      PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: Samples.metadata(), id: AssetIdentity.makeID()),
      "Bern/img.jpg")
    try await library.refresh()
    let asset = try #require(try await library.asset(at: url))
    try await edited(library, asset.id)
    await library.close()
    let renamed = scratch.pictures.appendingPathComponent(isFolder ? "BERN/img.jpg" : "Bern/IMG.JPG")
    try FileManager.default.moveItem(
      at: isFolder ? url.deletingLastPathComponent() : url,
      to: isFolder ? renamed.deletingLastPathComponent() : renamed)
    let again = try await scratch.library(disk: disk)
    try await again.refresh()
    #expect(try await again.fetchAssets(limit: nil).isEmpty)
    #expect(try await again.count() == 1)
    #expect(try await again.asset(id: asset.id)?.url.path == renamed.path)
    // Rebuilding heals what an earlier version has doubled.
    try again.index.writing { db in
      try db.execute(
        sql: """
          CREATE TEMP TABLE ghost AS SELECT * FROM asset;
          UPDATE ghost SET number = number + 100, id = 'ghost', path = lower(path), folder = lower(folder);
          INSERT INTO asset SELECT * FROM ghost; DROP TABLE ghost;
          """)
    }
    #expect(try await again.rebuild() == 1)
    #expect(try await again.asset(id: asset.id)?.url.path == renamed.path)
    await again.close()
  }
}
