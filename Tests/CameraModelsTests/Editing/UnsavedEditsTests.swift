// The file of edits that aren't saved yet: a sudden end loses none, and what can't be read is kept.

import CameraCore
import Dispatch
import Foundation
import PhotoEffects
import Synchronization
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct UnsavedEditsTests {
  private func file(_ bench: LibraryBench) -> UnsavedEditsFile {
    UnsavedEditsFile(url: bench.folder.appendingPathComponent("unsaved.json"))
  }

  private func look(_ index: Int) -> AdjustmentRecipe { AdjustmentRecipe(.init(Effect.all[index], intensity: 1)) }

  /// The editor of the next start, before it has read the file.
  private func restarted(_ bench: LibraryBench) -> EditModel {
    let next = EditModel(
      editing: bench.editing, library: bench.library, reader: ScriptedFrames(), players: ScriptedPlayers(),
      messages: bench.messages, presets: bench.editor.presets)
    next.queue.file = file(bench)
    return next
  }

  private func kept(_ bench: LibraryBench) async throws -> [Asset.ID: AdjustmentRecipe] {
    try await file(bench).load(for: bench.library.folder.path).recipes
  }

  /// Writes a file as an earlier start has left it.
  private func leave(_ edits: UnsavedEdits, in bench: LibraryBench) async throws {
    try await file(bench).save(edits, for: bench.library.folder.path)
  }

  private func text(_ bench: LibraryBench) throws -> String {
    try String(contentsOf: file(bench).url, encoding: .utf8)
  }

  /// Saves an edit of a picture that never ends.
  private func beginSaving(_ asset: Asset, _ effect: Int, with model: EditModel, in bench: LibraryBench) async {
    bench.editing.script.withLock { $0.hangs = true }
    await model.open(asset)
    model.select(effect: Effect.all[effect])
    model.save()
  }

  private func end(_ bench: LibraryBench, _ model: EditModel) async throws {
    model.cancel()
    await model.confirm()
    for asset in bench.assets { model.queue.discard(asset.id) }
    await model.queue.finished()
    await model.queue.kept()
    try await bench.end()
  }

  @Test func aSuddenEndLosesNoSettings() async throws {
    let bench = try await LibraryBench(count: 2)
    let (model, asset) = (bench.editor, bench.assets[0])
    model.queue.file = file(bench)
    await model.queue.load()
    await beginSaving(asset, 0, with: model, in: bench)
    await model.queue.kept()
    // Another start, while this one stands for a program that was killed. The other picture isn't in the library anymore.
    #expect(try await kept(bench) == [asset.id: look(0)])
    try await leave(UnsavedEdits(recipes: [asset.id: look(0), "gone": look(0)]), in: bench)
    let next = restarted(bench)
    await next.queue.load()
    #expect(bench.messages.takeNext()?.action == .editAgain(asset.id) && bench.messages.takeNext() == nil)
    await next.open(asset)
    #expect(next.recipe == look(0) && next.hasChanges)
    await next.queue.forgetting?.value
    await next.queue.kept()
    #expect(try await kept(bench) == [asset.id: look(0)], "the next start may be killed as well")
    next.dismiss()
    next.cancel()
    #expect(next.asking == .discard)
    await next.confirm()
    await next.queue.kept()
    #expect(!FileManager.default.fileExists(atPath: file(bench).url.path), "discarded")
    try await end(bench, model)
  }

  /// A new index knows no picture before its first scan has ended.
  @Test func settingsOfPicturesThatAreNotKnownYetStay() async throws {
    let bench = try await LibraryBench(count: 2)
    let ids = bench.assets.map(\.id)
    try await bench.library.trash([ids[1]])
    try await leave(UnsavedEdits(recipes: [ids[0]: look(0), ids[1]: look(1)]), in: bench)
    let next = restarted(bench)
    await next.queue.load()
    await next.queue.forgetting?.value
    await next.queue.kept()
    #expect(try await kept(bench) == [ids[0]: look(0), ids[1]: look(1)], "it may come back from the trash")
    #expect(try await bench.library.unusedIDs(among: [ids[0], ids[1], "gone"]) == ["gone"])
    try await end(bench, next)
  }

  /// As one on a disk that is mounted in the library, while it is away.
  @Test func settingsOfPicturesThatMayComeBackStay() async throws {
    let bench = try await LibraryBench(count: 2)
    let (id, path) = (bench.assets[1].id, bench.assets[1].url)
    let away = bench.library.folder.deletingLastPathComponent().appendingPathComponent("away.jpg")
    try FileManager.default.moveItem(at: path, to: away)
    #expect(try await bench.library.unusedIDs(among: [id, "gone"]) == ["gone"])
    try FileManager.default.moveItem(at: away, to: path)
    #expect(try await bench.library.unusedIDs(among: [id, "gone"]) == ["gone"])
    try await end(bench, bench.editor)
  }

  /// Nothing is known of what came while the program wasn't running before it is looked for.
  @Test func settingsOfPicturesThatTheScanFindsStay() async throws {
    let bench = try await LibraryBench(count: 2)
    let id = bench.assets[1].id
    try bench.library.index.writing { db in
      try db.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [id])
      try db.execute(sql: "DELETE FROM departed")
    }
    #expect(try await bench.library.unusedIDs(among: [id, "gone"]) == ["gone"])
    try await end(bench, bench.editor)
  }

  @Test func settingsOfTheLastTimeStayUntilTheirEditIsSaved() async throws {
    let bench = try await LibraryBench(count: 1)
    let asset = bench.assets[0]
    try await leave(UnsavedEdits(recipes: [asset.id: look(0)]), in: bench)
    let next = restarted(bench)
    await next.queue.load()
    await beginSaving(asset, 1, with: next, in: bench)
    await next.queue.kept()
    #expect(try await kept(bench) == [asset.id: look(1)])
    next.queue.cancel(asset.id)
    await next.queue.finished()
    bench.editing.script.withLock { $0.hangs = false }
    await next.open(asset)
    #expect(next.recipe == look(1))
    next.save()
    await next.queue.finished()
    await next.queue.kept()
    #expect(bench.editing.script.withLock { $0.saved } == [look(1)])
    #expect(!FileManager.default.fileExists(atPath: file(bench).url.path))
    try await end(bench, next)
  }

  @Test func nothingIsWrittenBeforeTheFileIsRead() async throws {
    let bench = try await LibraryBench(count: 3)
    let ids = bench.assets.map(\.id)
    try await leave(UnsavedEdits(recipes: [ids[0]: look(0), ids[1]: look(0)]), in: bench)
    let before = try text(bench)
    let next = restarted(bench)
    // An editor that is opened and closed, an edit that is being saved, and one that is saved.
    await next.open(bench.assets[0])
    #expect(!next.hasChanges)
    next.cancel()
    await next.open(bench.assets[1])
    next.select(effect: Effect.all[1])
    next.save()
    await next.queue.finished()
    await beginSaving(bench.assets[2], 2, with: next, in: bench)
    await next.queue.kept()
    #expect(try text(bench) == before)
    await next.queue.load()
    await next.queue.kept()
    #expect(try await kept(bench) == [ids[0]: look(0), ids[2]: look(2)], "the saved one is newer")
    #expect(next.queue.unsaved == [ids[0]: look(0)])
    try await end(bench, next)
  }

  @Test func anEditThatIsSavedWhileTheFileIsReadIsNotReplaced() async throws {
    // The record whose next reading waits.
    let armed = Mutex<String?>(nil)
    let mayGoOn = DispatchSemaphore(value: 0)
    let (reached, sink) = AsyncStream.makeStream(of: Void.self)
    let disk = Disk { step, path in
      let mustWait = armed.withLock { record in
        guard step == .read, record == path else { return false }
        record = nil
        return true
      }
      if mustWait {
        sink.yield()
        mayGoOn.wait()
      }
      return nil
    }
    let bench = try await LibraryBench(count: 1, disk: disk)
    let asset = bench.assets[0]
    // Without anything to remember, it has no record.
    try await bench.library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    try await leave(UnsavedEdits(recipes: [asset.id: look(0)]), in: bench)
    let next = restarted(bench)
    bench.editing.script.withLock { $0.hangs = true }
    await next.open(asset)
    await next.preview.finished()
    next.select(effect: Effect.all[1])
    armed.withLock { $0 = bench.library.layout.record(asset.id) }
    let loading = Task { await next.queue.load() }
    for await _ in reached { break }
    next.save()
    mayGoOn.signal()
    await loading.value
    await next.queue.kept()
    #expect(next.queue.unsaved.isEmpty)
    #expect(try await kept(bench) == [asset.id: look(1)])
    #expect(bench.messages.takeNext() == nil)
    try await end(bench, next)
  }

  @Test func settingsThatAreNotKnownStayInTheFile() async throws {
    let bench = try await LibraryBench(count: 2)
    let ids = bench.assets.map(\.id)
    let unknown: [JSONValue] = [
      .object(["asset": .text(ids[0]), "recipe": .object(["hologram": .number(0.5)]), "since": .integer(7)]),
      .object(["collection": .array([.null, .bool(true)])]), .text("?"),
    ]
    try await leave(UnsavedEdits(recipes: [ids[1]: look(0)], others: unknown), in: bench)
    let next = restarted(bench)
    await next.queue.load()
    await next.open(bench.assets[1])
    next.cancel()
    await next.confirm()
    await next.queue.kept()
    var edits = try await file(bench).load(for: bench.library.folder.path)
    #expect(edits == UnsavedEdits(others: unknown))
    // An edit of the same picture takes the place of its settings.
    await beginSaving(bench.assets[0], 1, with: next, in: bench)
    await next.queue.kept()
    edits = try await file(bench).load(for: bench.library.folder.path)
    #expect(edits == UnsavedEdits(recipes: [ids[0]: look(1)], others: Array(unknown[1...])))
    try await end(bench, next)
  }

  @Test(arguments: [
    (#"{"version": 2, "library": "/", "edits": {}}"#, "newer version"),
    (#"{"version": 1, "library": "/elsewhere", "edits": []}"#, "another library"),
    (#"{"version": 1, "library": "/", "edits": [{"asset": "a""#, "damaged"),
    ("", "damaged"), ("\0", "large"), ("/", "can’t be read"),
  ])
  func aFileThatCannotBeReadIsSetAside(text: String, reason: String) async throws {
    let bench = try await LibraryBench(count: 1)
    let (url, asset) = (file(bench).url, bench.assets[0])
    let aside = bench.folder.appendingPathComponent("unsaved.unreadable.json")
    switch text {
    case "/": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    case "\0": try Data(repeating: 0x20, count: 17 << 20).write(to: url)
    default: try Data(text.utf8).write(to: url)
    }
    let next = restarted(bench)
    await next.queue.load()
    let said = try #require(bench.nextMessage())
    #expect(said.contains(reason) && said.contains("unsaved.unreadable.json"), "\(said)")
    await next.open(asset)
    next.cancel()
    await next.queue.kept()
    #expect(FileManager.default.fileExists(atPath: url.path) && !FileManager.default.fileExists(atPath: aside.path))
    await beginSaving(asset, 0, with: next, in: bench)
    await next.queue.kept()
    #expect(try await kept(bench) == [asset.id: look(0)] && bench.nextMessage() == nil)
    if text.count > 1 { #expect(try String(contentsOf: aside, encoding: .utf8) == text) }
    #expect(FileManager.default.fileExists(atPath: aside.path))
    // Once: what comes next is this version's.
    next.queue.discard(asset.id)
    await next.queue.finished()
    await next.queue.kept()
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try await end(bench, next)
  }
}
