// The pictures of a library in the trash: listed with their marks, deleted for good, and followed.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct TrashedPictureTests {
  private func shot(_ library: PhotoLibrary, second: Double = 0) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(shade: UInt8(second)),
        metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
  }

  @Test func theyAreListedWithTheirMarks() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (one, two) = (try await shot(library), try await shot(library, second: 1))
    try await library.performChanges { changes in
      changes.change(AssetChangeRequest(for: one.id, isFavorite: true))
      changes.change(AssetChangeRequest(for: two.id, isHidden: true))
    }
    #expect(try await library.trashedPictures().isEmpty)
    let trashed = try await library.trash([one.id, two.id])
    let listed = try await library.trashedPictures()
    let first = try #require(listed.first { $0.trashed.id == one.id })
    #expect(listed.count == 2 && first.asset.isFavorite && !first.asset.isHidden)
    #expect(
      first.asset.url == trashed[0].trashedURL && first.asset.size == one.size && first.id == first.asset.url.path)
    #expect(listed.first { $0.trashed.id == two.id }?.asset.isHidden == true)
    #expect(try await library.stillTrashed(trashed).map(\.trashedURL) == trashed.map(\.trashedURL))
    try await library.restore(trashed)
    #expect(try await library.trashedPictures().isEmpty)
    #expect(try await library.stillTrashed(trashed).isEmpty)
  }

  @Test func aFileThatTookANameInTheTrashIsAnotherOne() async throws {
    let scratch = try Scratch()
    let clock = Date(timeIntervalSince1970: 1_795_300_000)
    let library = try await scratch.library(now: { clock })
    let asset = try await shot(library)
    let trashed = try await library.trash([asset.id])
    // The trash was emptied, and another picture of the same name was deleted a day later.
    for url in [trashed[0].trashedURL, trashed[0].info] { try FileManager.default.removeItem(at: url) }
    try scratch.put(Samples.jpeg(shade: 200), "2026-11/" + asset.url.lastPathComponent)
    await library.close()
    let later = try await scratch.library(now: { clock.addingTimeInterval(86_400 + 100) })
    try await later.refresh()
    let other = try #require(try await later.fetchAssets().first)
    let second = try await later.trash([other.id])
    #expect(second[0].trashedURL == trashed[0].trashedURL)
    #expect(try await later.stillTrashed(trashed).isEmpty)
    #expect(try await later.stillTrashed(second).map(\.trashedURL) == second.map(\.trashedURL))
    // Restored, and deleted again: the same picture at another time.
    try await later.restore(second)
    _ = try await later.trash([other.id])
    #expect(try await later.stillTrashed(second).map(\.id) == [other.id])
  }

  @Test func datesOfDeletionMayBeReadInAnotherTimeZone() throws {
    let url = URL(fileURLWithPath: "/a.jpg")
    func trashed(_ seconds: Double) -> TrashedAsset {
      TrashedAsset(
        id: "", url: url, trashedURL: url, info: url, deleted: Date(timeIntervalSince1970: 1_000_000 + seconds))
    }
    let first = trashed(0.4)
    for shift in [0, -0.4, 3600, -3600, 20_700, -45_900] { #expect(trashed(shift).isDeleted(asWith: first)) }
    for shift in [100, 3700, -450, 172_800] as [Double] { #expect(!trashed(shift).isDeleted(asWith: first)) }
  }

  @Test func deletingThereForGoodLeavesNothing() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (one, two) = (try await shot(library), try await shot(library, second: 1))
    let output = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 9),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    try await library.performChanges { changes in
      changes.change(AssetChangeRequest(for: one.id, isFavorite: true, contentEditingOutput: output))
      changes.change(AssetChangeRequest(for: two.id, isFavorite: true))
    }
    _ = try await library.trash([one.id, two.id])
    let listed = try await library.trashedPictures()
    let first = try #require(listed.first { $0.trashed.id == one.id })
    try await library.deletePermanently([first.trashed])
    #expect(try await library.trashedPictures().map(\.trashed.id) == [two.id])
    #expect(!FileManager.default.fileExists(atPath: first.trashed.trashedURL.path))
    #expect(!FileManager.default.fileExists(atPath: first.trashed.info.path))
    #expect(!scratch.files().contains { $0.contains(one.id) }, "neither its record nor its original")
    #expect(scratch.files().contains { $0.contains(two.id) })
    #expect(try await library.verify().isClean, "it isn't missed")
    // Another program was quicker.
    try await library.deletePermanently([first.trashed])
    try await library.restore(listed.filter { $0.trashed.id == two.id }.map(\.trashed))
    #expect(try await library.asset(id: two.id)?.isFavorite == true)
  }

  /// A picture in the trash that can't be read.
  enum Unreadable: CaseIterable {
    /// Another picture of the library.
    case known
    /// Which the index has never seen.
    case foreign
    /// Which had the name of the deleted one, and nobody knows anymore which of both the record is of.
    case namesake
  }

  @Test(arguments: Unreadable.allCases) func anUnreadablePictureInTheTrashKeepsItsOwnOnly(which: Unreadable)
    async throws
  {
    let scratch = try Scratch()
    var library = try await scratch.library()
    let (one, two) = (try await shot(library), try await shot(library, second: 1))
    for asset in [one, two] { try await library.retouch(asset.id) }
    let trashed = try await library.trash([one.id, two.id])
    switch which {
    case .known: try Data("damaged".utf8).write(to: trashed[1].trashedURL)
    case .foreign, .namesake:
      let path = which == .foreign ? two.url.path + ".jpg" : one.url.path
      try Data("damaged".utf8).write(to: scratch.url.appendingPathComponent("Trash/files/other.jpg"))
      let info = "[Trash Info]\nPath=\(path)\nDeletionDate=2026-11-21T07:31:06\n"
      try Data(info.utf8).write(to: scratch.url.appendingPathComponent("Trash/info/other.jpg.trashinfo"))
    }
    if which == .namesake {
      await library.close()
      try scratch.removeIndex()
      library = try await scratch.library()
      try await library.refresh()
    }
    try await library.deletePermanently([trashed[0]])
    #expect(!FileManager.default.fileExists(atPath: trashed[0].trashedURL.path))
    #expect(scratch.files().filter { $0.contains(one.id) }.count == (which == .namesake ? 2 : 0), "\(scratch.files())")
    #expect(scratch.files().filter { $0.contains(two.id) }.count == 2, "\(scratch.files())")
    await library.close()
  }

  @Test func aCopyThatIsStillThereKeepsTheRecord() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let trashed = try await library.trash([asset.id])
    // A file manager that copies it out of the trash.
    try FileManager.default.copyItem(at: trashed[0].trashedURL, to: asset.url)
    try await library.refresh()
    #expect(try await library.trashedPictures().count == 1)
    // With the id from before, which the copy has by now.
    try await library.deletePermanently(trashed)
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
    #expect(try await library.trashedPictures().isEmpty)
  }

  @Test func onlyWhatIsInTheTrashIsDeleted() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let victim = scratch.url.appendingPathComponent("victim.jpg")
    try Data("mine".utf8).write(to: victim)
    let forged = TrashedAsset(id: asset.id, url: asset.url, trashedURL: victim, info: victim, deleted: nil)
    await #expect(throws: PhotoLibraryError.self) { try await library.deletePermanently([forged]) }
    #expect(
      FileManager.default.fileExists(atPath: victim.path) && FileManager.default.fileExists(atPath: asset.url.path))
  }

  @Test func theTrashIsFollowedFromItsFirstFolder() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    // There is no trash yet.
    var changes = library.trashChanges().makeAsyncIterator()
    let trashed = try await library.trash([asset.id])
    _ = try #require(await changes.next())
    // Now there is one, and another program empties it.
    var later = library.trashChanges().makeAsyncIterator()
    for url in [trashed[0].trashedURL, trashed[0].info] { try FileManager.default.removeItem(at: url) }
    _ = try #require(await later.next())
    #expect(try await library.trashedPictures().isEmpty)
  }
}
