// The page “Recently Deleted”: what is in the trash, live, with its two actions.

import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct RecentlyDeletedTests {
  private let trash = AssetCollection.recentlyDeleted.id

  /// A library with some of its pictures in the trash, which the page shows.
  private func opened(count: Int, deleted: Int) async throws -> LibraryBench {
    let bench = try await LibraryBench(count: count)
    await bench.grid.open()
    if deleted > 0 { _ = try await bench.history.trash(bench.assets.prefix(deleted).map(\.id)) }
    await bench.grid.select(collection: trash)
    #expect(bench.grid.isShowingDeleted && bench.grid.list.count == deleted)
    return bench
  }

  @Test func itListsTheTrashAndNothingElseCanBeDoneThere() async throws {
    let bench = try await opened(count: 3, deleted: 2)
    #expect(bench.grid.title == "Recently Deleted" && bench.grid.subtitle == "2 items")
    #expect(bench.grid.sidebar.rows.contains { $0.id == trash })
    let asset = try #require(bench.grid.list.assetIfRead(at: 0))
    // The day of deletion: the picture itself was taken on another one.
    #expect(bench.grid.titleOfDay(beginningAt: 0) == bench.grid.dayTitle(of: asset))
    #expect(bench.grid.dayTitle(of: asset) != DayTitle().title(DayTitle.day(of: asset)))
    #expect(bench.grid.spokenName(of: asset).contains("deleted"))
    #expect(asset.url.path.hasPrefix(bench.folder.appendingPathComponent("Trash").path))
    #expect(!bench.grid.click(at: 0, extends: false, toggles: false), "a click selects it")
    #expect(bench.deleted.targetCount == 1 && bench.navigation.targetCount == 0 && !bench.navigation.canEdit)
    #expect(await bench.navigation.targets().isEmpty)
    await bench.navigation.openPicture(asset.id)
    #expect(bench.viewer.asset == nil)
    await bench.pictures.toggleFavorite()
    await bench.pictures.trash()
    #expect(try await bench.library.count() == 1)
    try await bench.end()
  }

  @Test func whatIsRestoredIsBackAndCanBeUndone() async throws {
    let bench = try await opened(count: 3, deleted: 3)
    bench.grid.toggleSelection(at: 0)
    bench.grid.toggleSelection(at: 2)
    await bench.deleted.restore()
    #expect(bench.nextMessage() == "2 items restored")
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(try await bench.library.count() == 2 && !bench.grid.isSelecting)
    #expect(bench.history.undoTitle == "Undo Restoring 2 Items")
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 3 }
    // Two of them are in another place of the trash now.
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 0 }
    #expect(try await bench.library.count() == 3)
    try await bench.end()
  }

  @Test func deletingForGoodAsksFirst() async throws {
    let bench = try await opened(count: 2, deleted: 2)
    bench.grid.selectAll()
    bench.deleted.askToDelete()
    #expect(bench.deleted.question?.title == "Permanently Delete 2 Items?")
    bench.deleted.keepPending()
    await bench.deleted.deletePending()
    #expect(bench.deleted.question == nil && bench.grid.list.count == 2, "the answer was no")
    bench.grid.stopSelecting()
    bench.grid.toggleSelection(at: 0)
    bench.deleted.askToDelete()
    await bench.deleted.deletePending()
    #expect(bench.nextMessage()?.contains("permanently deleted") == true)
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(bench.history.past.map(\.name.kind) == [.delete], "it can't be undone")
    // The other one of that deletion still can.
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 0 }
    #expect(try await bench.library.count() == 1)
    try await bench.end()
  }

  @Test func whatOtherProgramsDoThereIsFollowedQuietly() async throws {
    let bench = try await opened(count: 3, deleted: 2)
    bench.grid.toggleSelection(at: 0)
    bench.grid.toggleSelection(at: 1)
    let gone = try #require(bench.grid.list.assetIfRead(at: 0))
    try FileManager.default.removeItem(at: gone.url)
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(bench.grid.selection == [0] && bench.grid.isSelecting, "the selection stays with its picture")
    _ = try await bench.library.trash([bench.assets[2].id])
    await ModelBench.until { bench.grid.list.count == 2 }
    #expect(bench.messages.messages.isEmpty && bench.grid.emptyPage == nil)
    try FileManager.default.removeItem(at: bench.folder.appendingPathComponent("Trash/files"))
    await ModelBench.until { bench.grid.list.count == 0 }
    #expect(bench.grid.emptyPage?.title == "No Deleted Items" && bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func theSearchFindsFormerNames() async throws {
    let bench = try await opened(count: 2, deleted: 2)
    await bench.grid.search(bench.assets[1].url.deletingPathExtension().lastPathComponent)
    #expect(bench.grid.list.count == 1)
    #expect(
      bench.grid.list.assetIfRead(at: 0).flatMap { bench.grid.recentlyDeleted.picture($0.id) }?.trashed.id
        == bench.assets[1].id)
    await bench.grid.search("")
    #expect(bench.grid.list.count == 2)
    await bench.grid.select(collection: AssetCollection(.all).id)
    #expect(bench.grid.list.count == 0 && bench.grid.recentlyDeleted.pictures.isEmpty)
    try await bench.end()
  }

  @Test func hiddenPicturesAreLeftOutWhileTheyAreLocked() async throws {
    let bench = try await LibraryBench(count: 2)
    let ids = bench.assets.map(\.id)
    try await bench.library.performChanges { $0.change(AssetChangeRequest(for: ids[0], isHidden: true)) }
    _ = try await bench.history.trash(ids)
    await bench.grid.select(collection: trash)
    #expect(bench.grid.list.count == 2)
    await bench.lock.setOn(true)
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(
      bench.grid.list.assetIfRead(at: 0).flatMap { bench.grid.recentlyDeleted.picture($0.id) }?.trashed.id == ids[1])
    try await bench.end()
  }

  @Test func aPageThatIsOpenedAgainReadsTheTrashAgain() async throws {
    let bench = try await opened(count: 2, deleted: 1)
    bench.grid.close()
    _ = try await bench.library.trash([bench.assets[1].id])
    await bench.grid.open()
    #expect(bench.grid.list.count == 2)
    try await bench.end()
  }
}
