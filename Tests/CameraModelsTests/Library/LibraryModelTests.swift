// The library's page over a real library: the list, its updates, the selection, and actions on it.

import CameraCore
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct LibraryModelTests {
  @Test func itListsEverythingAndFollows() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    #expect(bench.shown == bench.assets.map(\.id))
    var copy = bench.shown
    // Applying the edits keeps a copy of the list up to date.
    bench.grid.list.edited = { edits, _ in
      for edit in edits {
        let inserted = (edit.position..<edit.position + edit.insertedCount).map { _ in "?" }
        copy.replaceSubrange(edit.position..<edit.position + edit.removedCount, with: inserted)
      }
      for index in copy.indices where copy[index] == "?" {
        copy[index] = bench.grid.list.assetIfRead(at: index)?.id ?? ""
      }
    }
    let new = try await bench.add(day: 1)
    await ModelBench.until { bench.grid.list.count == 4 }
    #expect(bench.shown.first == new.id)
    #expect(copy == bench.shown)
    let last = try #require(bench.assets.last)
    try FileManager.default.removeItem(at: last.url)
    await ModelBench.until { bench.grid.list.count == 3 }
    #expect(!bench.shown.contains(last.id))
    #expect(copy == bench.shown)
    try await bench.end()
  }

  @Test func whatHappensWhileItIsClosedIsThereWhenItOpens() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    bench.grid.close()
    try await bench.add(day: 1)
    await bench.grid.open()
    #expect(bench.grid.list.count == 2)
    try await bench.end()
  }

  @Test func itNeverOpensOnHiddenPictures() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(true)
    await bench.grid.select(collection: AssetCollection(.hidden).id)
    #expect(bench.shown == [bench.assets[0].id])
    bench.grid.close()
    #expect(bench.grid.list.count == 0)
    await bench.grid.open()
    #expect(bench.grid.collection.kind == .smart(.all) && bench.shown == [bench.assets[1].id])
    try await bench.end()
  }

  @Test func collectionsAndSearchNarrowIt() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    func days() -> [AssetCollection] {
      bench.grid.sidebar.rows.compactMap(\.collection).filter { $0.id.hasPrefix("moment:") }
    }
    // November 21, 20 and 19.
    let month = try #require(bench.grid.sidebar.rows.last { $0.expansion != nil })
    guard case .group(let november, count: 3, isExpanded: false) = month.content else {
      Issue.record("\(month.content)")
      return
    }
    #expect(november.kind == .month(Month(day: 20_778)) && days().isEmpty)
    bench.grid.sidebar.setExpanded(true, month.id)
    #expect(days().count == 3)
    await bench.grid.select(collection: days()[1].id)
    #expect(bench.shown == [bench.assets[1].id])
    await bench.grid.select(collection: november.id)
    #expect(bench.shown == bench.assets.map(\.id))
    bench.grid.sidebar.setExpanded(false, month.id)
    #expect(days().isEmpty)
    await bench.grid.select(collection: AssetCollection(.all).id)
    let name = bench.assets[2].url.deletingPathExtension().lastPathComponent
    await bench.grid.search("  \(name) ")
    #expect(bench.shown == [bench.assets[2].id])
    await bench.grid.search("nothing of the kind")
    #expect(bench.grid.list.count == 0)
    await bench.grid.search("")
    #expect(bench.grid.list.count == 3)
    await bench.grid.select(collection: "nonsense")
    #expect(bench.messages.takeNext()?.text.contains("nonsense") == true)
    try await bench.end()
  }

  @Test func selectionFollowsItsPictures() async throws {
    let bench = try await LibraryBench(count: 4)
    await bench.grid.open()
    bench.grid.toggleSelection(at: 1)
    bench.grid.extendSelection(to: 2)
    #expect(bench.grid.selection == [1, 2])
    #expect(bench.grid.isSelecting)
    // One is inserted before them, and one of them is deleted.
    try await bench.add(day: 1)
    await ModelBench.until { bench.grid.selection == [2, 3] }
    try FileManager.default.removeItem(at: bench.assets[1].url)
    await ModelBench.until { bench.grid.selection == [2] }
    #expect(try await bench.grid.selectedAssets().map(\.id) == [bench.assets[2].id])
    // Deleting the last one ends selection mode.
    try FileManager.default.removeItem(at: bench.assets[2].url)
    await ModelBench.until { !bench.grid.isSelecting }
    #expect(bench.grid.selection.isEmpty)
    try await bench.end()
  }

  @Test func theCursorSelectsOneAndSelectingBeginsWithNone() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.grid.moveCursor(to: 1)
    #expect(bench.grid.selection == [1] && !bench.grid.isSelecting)
    bench.grid.toggleSelection(at: 2)
    #expect(bench.grid.selection == [2] && bench.grid.isSelecting)
    bench.grid.moveCursor(to: 0)
    #expect(bench.grid.selection == [2], "while selecting the cursor selects nothing")
    bench.grid.selectAll()
    #expect(bench.grid.selection.count == 3)
    bench.grid.stopSelecting()
    #expect(bench.grid.selection.isEmpty && !bench.grid.isSelecting)
    bench.grid.selectionChanged(to: [0, 1])
    #expect(bench.grid.isSelecting, "Shift and the arrow keys select several")
    try await bench.end()
  }

  @Test func clicksOpenSelectAndExtend() async throws {
    let bench = try await LibraryBench(count: 4)
    let grid = bench.grid
    await grid.open()
    #expect(grid.click(at: 1, extends: false, toggles: false))
    #expect(grid.selection.isEmpty && !grid.isSelecting, "opening selects nothing")
    #expect(!grid.click(at: 1, extends: false, toggles: true))
    #expect(grid.selection == [1] && grid.isSelecting)
    #expect(!grid.click(at: 3, extends: true, toggles: true), "Shift wins over Ctrl")
    #expect(grid.selection == [1, 2, 3])
    #expect(!grid.click(at: 2, extends: false, toggles: false), "in selection mode every click selects")
    #expect(grid.selection == [1, 3])
    try await bench.end()
  }

  @Test func oneOfSeveralSelectedStandsForAll() async throws {
    let bench = try await LibraryBench(count: 3)
    let grid = bench.grid
    await grid.open()
    #expect(grid.target(at: 1))
    #expect(grid.selection == [1] && !grid.isSelecting)
    grid.startSelecting()
    #expect(!grid.target(at: 0) && !grid.target(at: 2))
    #expect(grid.selection == [0, 2])
    #expect(!grid.target(at: 2))
    #expect(grid.selection == [0, 2], "the others stay selected")
    try await bench.end()
  }

  @Test func hidingTwiceIsHiding() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(false)
    #expect(bench.grid.list.count == 2 && bench.messages.takeNext() == nil, "it isn't hidden")
    await bench.pictures.setHidden(true)
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(bench.messages.takeNext()?.text.contains("moved to") == true)
    await bench.grid.select(collection: AssetCollection(.hidden).id)
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(true)
    #expect(bench.grid.list.count == 1 && bench.messages.takeNext() == nil, "it stays hidden")
    await bench.pictures.setHidden(false)
    await ModelBench.until { bench.grid.list.count == 0 }
    try await bench.end()
  }

  @Test func theNewAlbumsPromptNamesItsPictures() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    #expect(bench.pictures.newAlbumNote == nil && !bench.navigation.isInAlbum)
    bench.grid.moveCursor(to: 0)
    #expect(bench.pictures.newAlbumNote == "The selected item will be added to the album.")
    bench.grid.selectAll()
    #expect(bench.pictures.newAlbumNote == "The 2 selected items will be added to the album.")
    await bench.pictures.createAlbum(title: "Sea")
    await ModelBench.until { bench.grid.albums.count == 1 }
    await bench.grid.select(collection: try #require(bench.grid.albums.first).id)
    #expect(bench.navigation.isInAlbum)
    bench.grid.close()
    #expect(!bench.navigation.isInAlbum, "the album isn't shown")
    try await bench.end()
  }

  @Test func favoritesAreMarkedTogether() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.toggleFavorite()
    await ModelBench.until { bench.grid.list.assetIfRead(at: 0)?.isFavorite == true }
    // Not all of them are favorites: so all of them become favorites.
    bench.grid.selectAll()
    await bench.pictures.toggleFavorite()
    await bench.grid.select(collection: AssetCollection(.favorites).id)
    #expect(bench.grid.list.count == 3)
    bench.grid.selectAll()
    await bench.pictures.toggleFavorite()
    await ModelBench.until { bench.grid.list.count == 0 }
    try await bench.end()
  }

  @Test func deletingGoesToTheTrashAndBack() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.grid.toggleSelection(at: 0)
    bench.grid.toggleSelection(at: 2)
    #expect(!bench.history.canUndo)
    await bench.pictures.trash()
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(!FileManager.default.fileExists(atPath: bench.assets[0].url.path))
    let message = try #require(bench.messages.takeNext())
    #expect(message.canBeUndone && message.text.contains("2 items"))
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 3 }
    #expect(bench.shown == bench.assets.map(\.id))
    #expect(!bench.history.canUndo && bench.history.canRedo)
    try await bench.end()
  }

  @Test func whatLeftTheTrashCanNotComeBack() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.trash()
    _ = bench.messages.takeNext()
    try FileManager.default.removeItem(at: bench.folder.appendingPathComponent("Trash"))
    await bench.history.undo()
    #expect(bench.messages.takeNext()?.text.contains("no longer in the Trash") == true)
    #expect(!bench.history.canUndo)
    try await bench.end()
  }

  @Test func albumsAreMadeFilledAndDeleted() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.grid.toggleSelection(at: 0)
    await bench.pictures.createAlbum(title: "   ")
    await bench.pictures.createAlbum(title: " Sea ")
    await ModelBench.until { bench.grid.albums.count == 1 }
    let album = try #require(bench.grid.albums.first)
    #expect(album.title == "Sea")
    bench.grid.toggleSelection(at: 1)
    await bench.pictures.add(toAlbum: album.id)
    #expect(bench.messages.takeNext()?.text.contains("“Sea”") == true)
    await ModelBench.until { bench.grid.sidebar.rows.contains { $0.id == album.id } }
    await bench.grid.select(collection: album.id)
    #expect(Set(bench.shown) == Set(bench.assets[0...1].map(\.id)))
    bench.grid.moveCursor(to: 0)
    await bench.pictures.removeFromAlbum()
    await ModelBench.until { bench.grid.list.count == 1 }
    // The page can't show an album that was deleted.
    await bench.albums.delete(album.id)
    await ModelBench.until { bench.grid.collection.kind == .smart(.all) && bench.grid.list.count == 3 }
    try await bench.end()
  }

  @Test func whereThereIsNoTrashItAsksOnce() async throws {
    let bench = try await LibraryBench(count: 2, hasTrash: false)
    await bench.grid.open()
    bench.grid.toggleSelection(at: 0)
    await bench.pictures.trash()
    let question = try #require(bench.pictures.pendingDeletion?.question)
    #expect(question.title.contains(bench.assets[0].url.lastPathComponent), "\(question.title)")
    #expect(FileManager.default.fileExists(atPath: bench.assets[0].url.path))
    #expect(bench.messages.takeNext() == nil && !bench.history.canUndo)
    bench.pictures.keepPending()
    await bench.pictures.deletePending()
    #expect(FileManager.default.fileExists(atPath: bench.assets[0].url.path), "the answer was no")
    bench.grid.selectAll()
    await bench.pictures.trash()
    #expect(bench.pictures.pendingDeletion?.question.title.contains("2 Items") == true)
    await bench.pictures.deletePending()
    #expect(bench.pictures.pendingDeletion == nil)
    await ModelBench.until { bench.grid.list.count == 0 }
    #expect(!FileManager.default.fileExists(atPath: bench.assets[1].url.path))
    #expect(bench.messages.takeNext()?.canBeUndone == false)
    try await bench.end()
  }

  @Test func aListThatCanNotBeReadSaysSo() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    try bench.setReadable(false)
    // Pages that were read are still shown.
    #expect(bench.grid.list.assetIfRead(at: 0) != nil && bench.grid.list.failure == nil)
    await bench.grid.tryAgain()
    #expect(bench.grid.list.failure?.contains("index") == true)
    try bench.setReadable(true)
    await bench.grid.tryAgain()
    #expect(bench.grid.list.failure == nil)
    #expect(bench.shown == bench.assets.map(\.id))
    try bench.setReadable(false)
    #expect(await bench.grid.list.index(of: bench.assets[0].id) == nil)
    #expect(bench.grid.list.failure != nil)
    try await bench.end()
  }

  @Test func aThousandChangesAreOneEdit() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.grid.open()
    for day in stride(from: 0, to: 280, by: 2) { try await bench.add(day: day) }
    await ModelBench.until { bench.grid.list.count == 140 }
    bench.grid.close()
    for day in stride(from: 1, to: 280, by: 2) { try await bench.add(day: day) }
    var copy = [Int](repeating: 0, count: 140)
    var editCount = 0
    bench.grid.list.edited = { edits, _ in
      editCount += edits.count
      for edit in edits {
        copy.replaceSubrange(
          edit.position..<edit.position + edit.removedCount, with: [Int](repeating: 1, count: edit.insertedCount))
      }
    }
    await bench.grid.open()
    #expect(bench.grid.list.count == 280)
    #expect(copy.count == 280)
    #expect(editCount == 1)
    // Scrolling doesn't wait for the index: a page far down isn't read at first, but later.
    await withCheckedContinuation { continuation in
      bench.grid.list.pageArrived = { continuation.resume() }
      #expect(bench.grid.list.assetIfRead(at: 279) == nil)
      #expect(bench.grid.list.assetIfRead(at: 278) == nil, "asked for once")
    }
    #expect(bench.grid.list.assetIfRead(at: 279) != nil)
    try bench.setReadable(false)
    #expect(await bench.grid.list.asset(at: 200) == nil)
    #expect(bench.grid.list.failure?.contains("index") == true)
    try await bench.end()
  }
}
