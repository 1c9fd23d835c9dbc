// The history after a restart: what was done before can be undone, and a damaged file is no history.

import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct HistoryFileTests {
  /// The history of the next start of the program.
  private func restarted(_ bench: LibraryBench, now: Date = Date()) async -> ChangeHistory {
    await bench.history.saved()
    let history = ChangeHistory(
      library: bench.library, messages: bench.messages, edits: bench.edits, file: file(bench), now: { now })
    await history.load()
    // What it leaves out, it leaves out of the file as well, which the test's end removes.
    await history.saved()
    return history
  }

  private func file(_ bench: LibraryBench) -> HistoryFile {
    HistoryFile(url: bench.folder.appendingPathComponent("history.json"))
  }

  private func filled() async throws -> LibraryBench {
    let bench = try await LibraryBench(count: 2)
    await bench.history.load()
    await bench.grid.open()
    try await bench.edit(bench.assets[1], "warm")
    bench.grid.moveCursor(to: 0)
    await bench.pictures.trash()
    await ModelBench.until { bench.grid.list.count == 1 }
    return bench
  }

  @Test func deletionsAndEditsAreUndoneAfterARestart() async throws {
    let bench = try await filled()
    let history = await restarted(bench)
    #expect(history.undoTitle == "Undo Delete" && history.past == bench.history.past && !history.canRedo)
    await history.undo()
    await ModelBench.until { bench.grid.list.count == 2 }
    await history.undo()
    #expect(try await bench.library.adjustmentData(for: bench.assets[1].id) == nil)
    #expect(!history.canUndo)
    await history.saved()
    #expect(!FileManager.default.fileExists(atPath: file(bench).url.path), "nothing is left to undo")
    try await bench.end()
  }

  @Test func whatIsDoneBeforeTheFileIsReadComesAfterIt() async throws {
    let bench = try await filled()
    await bench.history.saved()
    let history = ChangeHistory(library: bench.library, messages: bench.messages, edits: bench.edits, file: file(bench))
    try await history.perform(ChangeName(.newAlbum, title: "Sea")) { $0.createAlbum(title: "Sea") }
    await history.load()
    #expect(history.past.map(\.name.kind) == [.edit, .delete, .newAlbum])
    await history.saved()
    try await bench.end()
  }

  @Test(arguments: ["", "{", "[]", #"{"version":2,"library":"","entries":[]}"#, #"{"version":1,"entries":[7,{}]}"#])
  func aDamagedFileIsNoHistory(text: String) async throws {
    let bench = try await filled()
    await bench.history.saved()
    try Data(text.utf8).write(to: file(bench).url)
    let history = await restarted(bench)
    #expect(!history.canUndo && bench.messages.messages.allSatisfy { !$0.text.contains("undone") })
    try await bench.end()
  }

  @Test func anEntryOfAnotherVersionIsLeftOut() async throws {
    let bench = try await filled()
    await bench.history.saved()
    let text = try String(contentsOf: file(bench).url, encoding: .utf8)
    try Data(text.replacing(#""delete""#, with: #""teleport""#).utf8).write(to: file(bench).url)
    let history = await restarted(bench)
    #expect(history.past.map(\.name.kind) == [.edit])
    try await bench.end()
  }

  @Test func anotherLibrarysHistoryAndAnOldOneAreNotTaken() async throws {
    let bench = try await filled()
    await bench.history.saved()
    #expect(await file(bench).load(for: "/elsewhere", now: Date()).isEmpty)
    #expect(await file(bench).load(for: bench.library.folder.path, now: Date()).count == 2)
    let later = Date().addingTimeInterval(Double(HistoryFile.longestAge + 1) * 86_400)
    #expect(await restarted(bench, now: later).past.isEmpty)
    try await bench.end()
  }

  @Test func onlyTheUserReadsItAndItStaysSmall() async throws {
    let bench = try await filled()
    await bench.history.saved()
    let attributes = try FileManager.default.attributesOfItem(atPath: file(bench).url.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let ids = (0..<40_000).map { _ in Asset.makeID() }
    for _ in 0..<4 { bench.history.add(ChangeName(.importing, count: ids.count), .added(ids)) }
    await bench.history.saved()
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: file(bench).url.path)[.size] as? Int)
    #expect(size <= HistoryFile.largestFile)
    let history = await restarted(bench)
    #expect((1..<bench.history.past.count).contains(history.past.count), "the newest are kept")
    for number in 0..<(ChangeHistory.entryLimit + 5) {
      bench.history.add(ChangeName(.newAlbum, title: "\(number)"), .added([]))
    }
    #expect(bench.history.past.count == ChangeHistory.entryLimit)
    #expect(bench.history.past.last?.name.title == "\(ChangeHistory.entryLimit + 4)")
    try await bench.end()
  }

  @Test func aFolderThatCanNotBeWrittenIsSaidOnce() async throws {
    let bench = try await LibraryBench(count: 0)
    let place = bench.folder.appendingPathComponent("file")
    try Data().write(to: place)
    let history = ChangeHistory(
      library: bench.library, messages: bench.messages, file: HistoryFile(url: place.appendingPathComponent("h.json")))
    await history.load()
    var texts: [String] = []
    for title in ["A", "B"] {
      try await history.perform(ChangeName(.newAlbum, title: title)) { $0.createAlbum(title: title) }
      await history.saved()
      // One that still waits isn't posted again in any case.
      while let text = bench.nextMessage() { texts.append(text) }
    }
    #expect(texts.count { $0.contains("after a restart") } == 1)
    await history.undo()
    #expect(history.past.count == 1, "it is there until the program ends")
    await history.saved()
    try await bench.end()
  }
}
