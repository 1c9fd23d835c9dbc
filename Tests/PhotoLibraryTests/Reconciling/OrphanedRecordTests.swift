// Orphaned records: assets in the trash are found again after a restart; records of deleted ones are removed, and only
// those.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct OrphanedRecordTests {
  private func favorite(_ library: PhotoLibrary, second: Double = 0) async throws -> Asset {
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
    var request = AssetChangeRequest(for: asset.id, isFavorite: true)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 10),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
    return try #require(try await library.asset(id: asset.id))
  }

  private func hidden(_ scratch: Scratch) -> [String] {
    scratch.files().filter { $0.hasPrefix(".photome/assets") || $0.hasPrefix(".photome/originals") }
  }

  @Test func trashedAssetsAreFoundAfterARestart() async throws {
    let scratch = try Scratch()
    let first = try await scratch.library()
    let (one, two) = (try await favorite(first), try await favorite(first, second: 10))
    let bytes = try Data(contentsOf: one.url)
    try await first.trash([one.id])
    // A file manager trashes the whole month.
    let trash = scratch.path + "/Trash"
    try FileManager.default.moveItem(atPath: scratch.pictures.path + "/2026-11", toPath: trash + "/files/2026-11")
    try Data("[Trash Info]\nPath=\(scratch.pictures.path)/2026-11\nDeletionDate=2026-11-20T10:00:00\n".utf8)
      .write(to: URL(fileURLWithPath: trash + "/info/2026-11.trashinfo"))
    await first.close()
    let library = try await scratch.library()
    try await library.refresh()
    #expect(try await library.count() == 0)
    let found = try await library.trashedAssets()
    #expect(Set(found.map(\.id)) == [one.id, two.id] && Set(found.map(\.url)) == [one.url, two.url])
    let checked = try await library.verify()
    #expect(checked.isClean && checked.trashedRecords == 2 && checked.clearedRecords == 0)
    try await library.restore(found)
    let back = try #require(try await library.asset(id: one.id))
    #expect(back.isFavorite && back.isEdited && back.url == one.url)
    #expect(try Data(contentsOf: back.url) == bytes)
    #expect(try await library.asset(id: two.id)?.isFavorite == true)
    #expect(try await library.trashedAssets().isEmpty)
    #expect(try await library.verify().isClean)
  }

  private func emptyTrash(_ scratch: Scratch) throws {
    for name in ["files", "info"] {
      let folder = scratch.path + "/Trash/" + name
      for entry in try FileManager.default.contentsOfDirectory(atPath: folder) {
        try FileManager.default.removeItem(atPath: "\(folder)/\(entry)")
      }
    }
  }

  @Test func recordsOfAnEmptiedTrashGoToTheTrashAfterATimeOfGrace() async throws {
    let scratch = try Scratch()
    let days = Mutex(0.0)
    let library = try await scratch.library(now: { Samples.date + days.withLock { $0 } * 86_400 })
    let (gone, kept) = (try await favorite(library), try await favorite(library, second: 10))
    let original = try Data(contentsOf: await library.originalURL(of: gone))
    try await library.trash([gone.id])
    #expect(try await library.verify().trashedRecords == 1)
    #expect(hidden(scratch).count == 4)
    try emptyTrash(scratch)
    // Who empties the trash misses nothing; what was kept stays for a while.
    let early = try await library.verify()
    #expect(early.isClean && early.clearedRecords == 0 && early.orphanedRecords == 1, "\(early.problems)")
    days.withLock { $0 = 29 }
    #expect(try await library.clearOrphanedRecords().cleared == 0 && hidden(scratch).count == 4)
    // A clock that is set back starts nothing.
    days.withLock { $0 = -100 }
    #expect(try await library.clearOrphanedRecords().cleared == 0)
    days.withLock { $0 = 31 }
    let checked = try await library.verify()
    #expect(checked.isClean && checked.clearedRecords == 1 && checked.orphanedRecords == 0)
    #expect(hidden(scratch).allSatisfy { $0.contains(kept.id) } && hidden(scratch).count == 2)
    #expect(try await library.asset(id: kept.id)?.isEdited == true)
    // Said, and nothing is lost.
    var warnings = library.warnings().makeAsyncIterator()
    #expect(await warnings.next() == .movedToTrash(count: 1, days: 30))
    let trash = scratch.path + "/Trash/files/"
    let names = try FileManager.default.contentsOfDirectory(atPath: trash)
    #expect(Set(names) == ["\(gone.id).json", "\(gone.id).jpg"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: trash + "\(gone.id).jpg")) == original)
  }

  @Test func aPictureThatIsNowhereIsSaidUntilItIsForgotten() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, plain) = (
      try await favorite(library),
      try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(shade: 60), metadata: Samples.metadata(date: Samples.date + 20)))
    )
    for url in [asset.url, plain.url] { try FileManager.default.removeItem(at: url) }
    for _ in 0..<2 {
      let found = try await library.verify()
      #expect(found.problems.map(\.kind) == [.gone, .gone], "\(found.problems)")
      #expect(Set(found.problems.map(\.path)) == [asset.url.path, plain.url.path])
      #expect(Set(found.problems.map(\.assetID)) == [asset.id, plain.id])
    }
    #expect(hidden(scratch).count == 2)
    #expect(try await library.forgetMissing() == 2)
    let found = try await library.verify()
    #expect(found.isClean, "\(found.problems)")
    #expect(hidden(scratch).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/Trash/files").count == 2)
    // What PhotoMe deletes for good itself is not missed.
    let last = try await favorite(library, second: 30)
    try await library.performChanges { $0.deletePermanently([last.id]) }
    #expect(try await library.verify().isClean)
    #expect(hidden(scratch).isEmpty)
  }

  @Test func whatIsOutOfReachCanNotBeForgotten() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await favorite(library)
    let before = hidden(scratch)
    // The month was on a disk of its own, whose mount point is empty now.
    try library.index.writing { try $0.execute(sql: "UPDATE asset SET isElsewhere = 1") }
    let month = asset.url.deletingLastPathComponent()
    let away = scratch.url.appendingPathComponent("away")
    try FileManager.default.moveItem(at: month, to: away)
    try FileManager.default.createDirectory(at: month, withIntermediateDirectories: true)
    #expect(try await library.forgetMissing() == 0)
    #expect(hidden(scratch) == before)
    #expect(try await library.verify().problems.map(\.kind) == [.away])
    try FileManager.default.removeItem(at: month)
    try FileManager.default.moveItem(at: away, to: month)
    try await library.refresh()
    #expect(try await library.asset(id: asset.id)?.isEdited == true)
    #expect(try await library.verify().isClean)
    await library.close()
  }

  @Test func foldersThatAreNotLookedIntoAreCounted() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await favorite(library)
    let root = scratch.pictures.path
    for name in [".hidden", "2026-11/deep", "2026-12"] {
      try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(atPath: "\(root)/archive", withDestinationPath: scratch.path)
    try FileManager.default.createSymbolicLink(atPath: "\(root)/unplugged", withDestinationPath: "/nowhere")
    let found = try await library.verify()
    #expect(found.isClean && found.skippedFolders == [".hidden", "2026-11/deep", "archive", "unplugged"])
  }

  @Test func recordsThatMayBeNeededAgainAreKept() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await favorite(library)
    let before = hidden(scratch)
    func check(_ why: Comment) async throws {
      let count = try await library.clearOrphanedRecords()
      #expect(count.cleared == 0, why)
      #expect(hidden(scratch) == before, why)
    }
    // In a folder below the month's, which the library doesn't scan.
    let deep = scratch.pictures.appendingPathComponent("2026-11/deep")
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    let below = deep.appendingPathComponent("renamed.jpg")
    try FileManager.default.moveItem(at: asset.url, to: below)
    try await check("The file is further down.")
    // While a file isn't a picture yet, as during synchronization.
    let bytes = try Data(contentsOf: below)
    try FileManager.default.removeItem(at: below)
    let half = try scratch.put(bytes.prefix(200), "2026-11/half.jpg")
    try await check("A file is unclear.")
    try FileManager.default.removeItem(at: half)
    // Trash that can't be listed.
    let trash = scratch.path + "/Trash"
    try FileManager.default.createDirectory(atPath: trash, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: trash + "/info"))
    try await check("The Trash can't be read.")
    try FileManager.default.removeItem(atPath: trash)
    // And back it comes.
    try bytes.write(to: asset.url)
    try await library.refresh()
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
  }

  @Test func recordsThatCameFirstAreKept() async throws {
    let scratch = try Scratch()
    let other = try Scratch()
    let library = try await scratch.library()
    let asset = try await favorite(library)
    // Another machine gets the records before the pictures.
    try FileManager.default.createDirectory(at: other.pictures, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: scratch.pictures.appendingPathComponent(".photome/assets"),
      to: other.pictures.appendingPathComponent("assets"))
    try FileManager.default.createDirectory(
      atPath: other.pictures.path + "/.photome", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: other.pictures.appendingPathComponent("assets"), to: other.pictures.appendingPathComponent(".photome/assets"))
    let second = try await other.library()
    let checked = try await second.verify()
    #expect(checked.clearedRecords == 0 && checked.orphanedRecords == 1)
    try other.put(Data(contentsOf: asset.url), "2026-11/" + asset.url.lastPathComponent)
    try await second.refresh()
    #expect(try await second.asset(id: asset.id)?.isFavorite == true)
  }
}
