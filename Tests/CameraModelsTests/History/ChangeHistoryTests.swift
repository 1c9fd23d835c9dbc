// The window's history over a real library: every change is undone and redone in order, and says so when it can't be.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ChangeHistoryTests {
  /// Everything that the history can change, in a form that can be compared.
  private func state(_ bench: LibraryBench) async throws -> [String] {
    var options = FetchOptions()
    options.includesHidden = true
    var lines: [String] = []
    for asset in try await bench.library.fetch(options).allAssets() {
      let albums = try await bench.library.fetchAlbums(of: asset.id).map(\.title)
      let edit = try await bench.library.adjustmentData(for: asset.id).map { String(decoding: $0.data, as: UTF8.self) }
      lines.append("\(asset.id) \(asset.isFavorite) \(asset.isHidden) \(albums) \(edit ?? "-")")
    }
    let albums = try await bench.library.fetchAlbums().map { "album \($0.id) \($0.title) \($0.listID ?? "-")" }
    let lists = try await bench.library.fetchLists().map { "folder \($0.id) \($0.title) \($0.listID ?? "-")" }
    return lines + albums + lists
  }

  private func id(_ title: String, _ bench: LibraryBench) throws -> String {
    let tree = bench.grid.tree
    let id = tree.albums.first { $0.title == title }?.id ?? tree.lists.first { $0.title == title }?.id
    return try #require(id)
  }

  @Test func everyChangeIsUndoneAndRedoneInOrder() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    var states = [try await state(bench)]
    var names: [String] = []
    func note(_ name: String) async throws {
      names.append(name)
      states.append(try await state(bench))
      #expect(bench.history.undoTitle == "Undo \(name)")
      #expect(bench.history.past.count == names.count, "\(name)")
    }
    bench.grid.selectAll()
    await bench.pictures.toggleFavorite()
    try await note("Adding 3 Items to Favorites")
    bench.grid.stopSelecting()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.toggleFavorite()
    try await note("Remove From Favorites")
    await bench.albums.createList(title: "Trips")
    try await note("New Folder “Trips”")
    bench.grid.selectAll()
    await bench.pictures.createAlbum(title: "Sea")
    try await note("New Album “Sea”")
    await bench.grid.loadAlbums()
    await bench.albums.move(try id("Sea", bench), to: try id("Trips", bench))
    try await note("Moving “Sea”")
    await bench.albums.rename(try id("Sea", bench), to: "Ocean")
    try await note("Renaming “Sea”")
    await bench.albums.delete(try id("Trips", bench))
    try await note("Deleting Folder “Trips”")
    await bench.grid.select(collection: try id("Ocean", bench))
    bench.grid.moveCursor(to: 1)
    await bench.pictures.removeFromAlbum()
    try await note("Remove From “Ocean”")
    await ModelBench.until { bench.grid.list.count == 2 }
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(true)
    try await note("Hide")
    await bench.albums.delete(try id("Ocean", bench))
    try await note("Deleting Album “Ocean”")
    try await bench.edit(bench.assets[1], "warm")
    try await note("Edit")
    await bench.grid.select(collection: AssetCollection(.all).id)
    await ModelBench.until { bench.grid.list.count == 2 }
    bench.grid.selectAll()
    await bench.pictures.trash()
    try await note("Deleting 2 Items")

    for step in names.indices.reversed() {
      await bench.history.undo()
      #expect(try await state(bench) == states[step], "Undo \(names[step])")
      #expect(bench.history.redoTitle == "Redo \(names[step])")
    }
    #expect(!bench.history.canUndo && bench.history.future.count == names.count)
    for step in names.indices {
      await bench.history.redo()
      #expect(try await state(bench) == states[step + 1], "Redo \(names[step])")
    }
    #expect(!bench.history.canRedo)
    while bench.history.canUndo { await bench.history.undo() }
    #expect(try await state(bench) == states[0])
    try await bench.end()
  }

  @Test func aNewChangeDiscardsWhatWasUndone() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    await bench.albums.createAlbum(title: "A")
    await bench.history.undo()
    #expect(bench.history.canRedo)
    await bench.albums.createAlbum(title: "B")
    #expect(!bench.history.canRedo && bench.history.undoTitle == "Undo New Album “B”")
    try await bench.end()
  }

  @Test func theButtonOfAMessageUndoesItsOwnChange() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.trash()
    let message = try #require(bench.messages.takeNext())
    guard case .undo(let entry) = message.action else {
      Issue.record("no button")
      return
    }
    await bench.albums.createAlbum(title: "Sea")
    await bench.history.undo(entry)
    let undone = try #require(bench.history.future.last)
    #expect(bench.messages.takeNext()?.action == Message.Action.redo(undone.id))
    await ModelBench.until { bench.grid.list.count == 2 }
    #expect(bench.history.past.map(\.name.kind) == [.newAlbum], "what came after it stays")
    await bench.history.undo(entry)
    #expect(bench.messages.takeNext() == nil && bench.grid.albums.count == 1, "only once")
    try await bench.end()
  }

  @Test func pressesThatComeTogetherAreDoneOneAfterAnother() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    for title in ["A", "B", "C"] { await bench.albums.createAlbum(title: title) }
    let history = bench.history
    let undos = (0..<3).map { _ in Task { await history.undo() } }
    let presses = undos + [Task { await history.redo() }]
    for press in presses { await press.value }
    await bench.grid.loadAlbums()
    #expect(bench.grid.albums.map(\.title) == ["A"])
    try await bench.end()
  }

  @Test func whatCanNotBeUndoneSaysWhyAndGoes() async throws {
    let bench = try await LibraryBench(count: 4)
    await bench.grid.open()
    let assets = bench.assets
    // Deleted for good by another program.
    bench.grid.moveCursor(to: 0)
    await bench.pictures.toggleFavorite()
    try await bench.library.performChanges { $0.deletePermanently([assets[0].id]) }
    await bench.history.undo()
    #expect(bench.nextMessage() == "“Favorite” can’t be undone anymore: what it changed is no longer in the library.")
    // Edited again by another program.
    try await bench.edit(assets[1], "warm")
    try await bench.edits.restore(RecordingEdits.adjustment("cold"), of: assets[1]) { _ in }
    await bench.history.undo()
    #expect(bench.nextMessage()?.contains("edited again since") == true)
    #expect(try await bench.library.adjustmentData(for: assets[1].id) == RecordingEdits.adjustment("cold"))
    // An earlier edit that can't be made here.
    bench.history.add(
      ChangeName(.revert),
      .edited(
        EditChange(
          asset: assets[1].id, before: RecordingEdits.adjustment("lost"), after: RecordingEdits.adjustment("cold"))))
    await bench.history.undo()
    #expect(bench.nextMessage()?.contains("isn’t installed") == true)
    // Renamed again, and one of two emptied from the trash.
    await bench.albums.createAlbum(title: "Sea")
    let sea = try id("Sea", bench)
    await bench.albums.rename(sea, to: "Ocean")
    try await bench.library.performChanges { $0.change(AssetCollectionChangeRequest(for: sea, title: "Lake")) }
    await bench.history.undo()
    #expect(bench.nextMessage()?.contains("changed again since") == true)
    #expect(bench.history.past.map(\.name.kind) == [.newAlbum])
    try await bench.library.performChanges { $0.change(AssetChangeRequest(for: assets[1].id, isHidden: true)) }
    await ModelBench.until { bench.grid.list.count == 2 }
    bench.grid.selectAll()
    await bench.pictures.trash()
    _ = bench.nextMessage()
    let trashed = try await bench.library.trashedAssets()
    #expect(trashed.count == 2)
    try FileManager.default.removeItem(at: trashed[0].trashedURL)
    await bench.history.undo()
    #expect(bench.nextMessage()?.contains("1 item is no longer in the Trash") == true)
    await ModelBench.until { bench.grid.list.count == 1 }
    try await bench.end()
  }

  @Test func aFullDiskKeepsTheEntry() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-history-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let isFull = Mutex(false)
    let library = try await PhotoLibrary.open(
      at: folder.appendingPathComponent("PhotoMe"), index: folder.appendingPathComponent("index.sqlite"),
      disk: Disk(fault: { step, _ in step == .write && isFull.withLock { $0 } ? ENOSPC : nil }))
    let messages = MessageModel()
    let history = ChangeHistory(library: library, messages: messages)
    let album = try await library.performChanges { $0.createAlbum(title: "Sea").id }
    try await history.perform(ChangeName(.rename, title: "Sea")) {
      $0.change(AssetCollectionChangeRequest(for: album, title: "Ocean"))
    }
    isFull.withLock { $0 = true }
    await history.undo()
    #expect(messages.takeNext()?.text.contains("is full") == true)
    #expect(history.canUndo)
    isFull.withLock { $0 = false }
    await history.undo()
    #expect(try await library.fetchAlbums().map(\.title) == ["Sea"])
    await library.close()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func importsAreUndoneIntoTheTrash() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    let transfers = TransferModel(library: bench.library, messages: bench.messages, history: bench.history)
    let file = bench.folder.appendingPathComponent("new.jpg")
    try (SampleMedia.jpeg + Data([0])).write(to: file)
    await transfers.importFiles([file])
    let message = try #require(bench.messages.takeNext())
    #expect(message.text == "1 item imported." && message.canBeUndone)
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 1 }
    #expect(FileManager.default.fileExists(atPath: file.path), "the source stays")
    #expect(try await bench.library.trashedAssets().count == 1)
    await bench.history.redo()
    await ModelBench.until { bench.grid.list.count == 2 }
    try await bench.end()
  }

  @Test func theEditorsSavesAndRevertsAreNoted() async throws {
    let bench = try await LibraryBench(count: 1)
    bench.editor.changes = bench.history
    let asset = bench.assets[0]
    try await bench.edits.restore(RecordingEdits.adjustment("warm"), of: asset) { _ in }
    let edited = try #require(try await bench.library.asset(id: asset.id))
    // The scripted editor leaves the library alone: then there is nothing to undo.
    bench.editing.script.withLock { $0.isEdited = true }
    await bench.editor.open(edited)
    bench.editor.askRevert()
    await bench.editor.confirm()
    #expect(bench.editor.state == .closed && !bench.history.canUndo)
    // One that does its work.
    bench.editing.script.withLock { $0.performs = true }
    await bench.editor.open(edited)
    bench.editor.askRevert()
    await bench.editor.confirm()
    #expect(bench.history.undoTitle == "Undo Revert to Original")
    await bench.history.undo()
    #expect(try await bench.library.adjustmentData(for: asset.id) == RecordingEdits.adjustment("warm"))
    try await bench.end()
  }

  @Test func namesAreThoseOfTheirKinds() {
    #expect(ChangeName(.delete, count: 3).text == "Deleting 3 Items")
    #expect(ChangeName(.delete).text == "Delete")
    #expect(ChangeName(.addToAlbum, count: 2, title: "Sea").text == "Adding 2 Items to “Sea”")
    #expect(ChangeName(.addToAlbum, title: "Sea").text == "Add to “Sea”")
    #expect(
      Set(ChangeName.Kind.allCases.map { ChangeName($0, title: "x").text }).count == ChangeName.Kind.allCases.count)
  }
}
