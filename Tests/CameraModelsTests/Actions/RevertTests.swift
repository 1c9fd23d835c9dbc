// Reverting pictures to their originals outside the editor.

import CameraModels
import Foundation
import Testing

@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct RevertTests {
  private func isEdited(_ bench: LibraryBench) async throws -> [Bool] {
    try await bench.library.fetchAssets().map(\.isEdited)
  }

  @Test func theEditsOfTheTargetsAreGoneAndComeBackWithUndo() async throws {
    let bench = try await LibraryBench(count: 3)
    try await bench.edit(bench.assets[1], "one")
    await bench.grid.open()
    await ModelBench.until { bench.grid.list.assetIfRead(at: 1)?.isEdited == true }
    bench.grid.moveCursor(to: 0)
    #expect(!bench.navigation.isAnyTargetEdited)
    await bench.pictures.revert()
    #expect(bench.messages.takeNext() == nil, "an original stays as it is")
    bench.grid.moveCursor(to: 1)
    #expect(bench.navigation.isAnyTargetEdited)
    await bench.pictures.revert()
    #expect(try await isEdited(bench) == [false, false, false])
    let name = bench.assets[1].url.lastPathComponent
    #expect(bench.nextMessage() == "“\(name)” reverted to the original")
    await bench.history.undo()
    #expect(try await isEdited(bench) == [false, true, false])
    #expect(
      try await bench.library.adjustmentData(for: bench.assets[1].id) == RecordingEdits.adjustment("one"))
    try await bench.end()
  }

  @Test func ofSeveralOnlyTheEditedOnesAreCounted() async throws {
    let bench = try await LibraryBench(count: 3)
    for asset in bench.assets.dropFirst() { try await bench.edit(asset, "an edit") }
    await bench.grid.open()
    bench.grid.selectAll()
    await ModelBench.until { bench.navigation.isAnyTargetEdited }
    await bench.pictures.revert()
    #expect(try await isEdited(bench) == [false, false, false])
    #expect(bench.nextMessage() == "2 items reverted to the original")
    // They are a single step, back and forth, as far as it is possible.
    await bench.history.undo()
    #expect(try await isEdited(bench) == [false, true, true])
    #expect(bench.nextMessage() == "Undone: Reverting 2 Items")
    await bench.history.redo()
    #expect(try await isEdited(bench) == [false, false, false])
    #expect(bench.nextMessage() == "Redone: Reverting 2 Items")
    try await bench.edits.restore(RecordingEdits.adjustment("another"), of: bench.assets[1]) { _ in }
    await bench.history.undo()
    #expect(try await isEdited(bench) == [false, true, true])
    #expect(bench.nextMessage()?.hasSuffix("1 item was left alone: it has been edited again since.") == true)
    try await bench.end()
  }

  @Test func anEditThatIsLostLeavesTheOthersToUndo() async throws {
    let bench = try await LibraryBench(count: 2)
    let (first, second) = (bench.assets[0], bench.assets[1])
    try await bench.edits.restore(RecordingEdits.adjustment("kept"), of: second) { _ in }
    let changes = [(first, "lost"), (second, "other")].map {
      EditChange(asset: $0.0.id, before: RecordingEdits.adjustment($0.1), after: nil)
    }
    try await bench.library.performChanges { $0.change(.revert(second.id)) }
    bench.history.add(ChangeName(.revert, count: 2), .severalEdited(changes))
    await bench.history.undo()
    #expect(try await bench.library.adjustmentData(for: second.id) == RecordingEdits.adjustment("other"))
    #expect(bench.nextMessage()?.contains("1 item was left alone: the program isn’t installed.") == true)
    #expect(bench.history.future.count == 1)
    try await bench.end()
  }
}
