// Orphaned records: assets in the trash are found again after a restart; records of deleted ones are removed, and only
// those.

import CameraCore
import Foundation
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

  @Test func recordsOfAnEmptiedTrashAreRemoved() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (gone, kept) = (try await favorite(library), try await favorite(library, second: 10))
    try await library.trash([gone.id])
    #expect(try await library.verify().trashedRecords == 1)
    #expect(hidden(scratch).count == 4)
    try FileManager.default.removeItem(atPath: scratch.path + "/Trash")
    // Also without anyone asking, once after opening; whoever is first has done it.
    let checked = try await library.verify()
    #expect(checked.isClean && checked.clearedRecords == 1 && checked.orphanedRecords == 0)
    #expect(hidden(scratch).allSatisfy { $0.contains(kept.id) } && hidden(scratch).count == 2)
    #expect(try await library.asset(id: kept.id)?.isEdited == true)
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
