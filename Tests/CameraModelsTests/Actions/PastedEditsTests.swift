// Copied edits that are pasted onto one or several pictures.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct PastedEditsTests {
  private func look() -> AdjustmentRecipe {
    var recipe = AdjustmentRecipe(.init(Effect.all[1], intensity: 0.5))
    recipe.adjustments.warmth = 0.25
    recipe.geometry.straighten = 3
    return recipe
  }

  private func select(_ indexes: Range<Int>, in bench: LibraryBench) {
    bench.grid.startSelecting()
    for index in indexes { bench.grid.toggleSelection(at: index) }
  }

  @Test func aLookIsPastedOntoSeveralPictures() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.editing.script.withLock { $0.recipe = look() }
    #expect(!bench.pictures.canPasteEdits)
    select(0..<1, in: bench)
    await bench.pictures.copyEdits()
    #expect(bench.nextMessage()?.contains("copied") == true && bench.pictures.canPasteEdits)
    bench.grid.stopSelecting()
    #expect(!bench.pictures.canPasteEdits, "nothing is selected")
    var own = AdjustmentRecipe()
    own.geometry.isFlipped = true
    bench.editing.script.withLock { $0.recipe = own }
    select(1..<3, in: bench)
    await bench.pictures.pasteEdits()
    #expect(bench.editor.queue.progress.count == 2)
    await bench.editor.queue.finished()
    let expected = look().pasted(onto: own)
    #expect(bench.editing.script.withLock { $0.saved } == [expected, expected])
    #expect(expected.geometry == own.geometry, "how it lies stays its own")
    #expect(bench.nextMessage() == "Edits pasted onto 2 items.")
    try await bench.end()
  }

  @Test func whatCannotTakeThemIsNamed() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    bench.editing.script.withLock { $0.recipe = look() }
    select(0..<1, in: bench)
    await bench.pictures.copyEdits()
    _ = bench.nextMessage()
    bench.editing.script.withLock {
      $0.recipe = AdjustmentRecipe()
      $0.saving = .unusableFile(path: "/x", reason: "it is damaged")
    }
    await bench.pictures.pasteEdits()
    await bench.editor.queue.finished()
    let text = try #require(bench.nextMessage())
    #expect(text.contains(bench.assets[0].url.lastPathComponent) && text.contains("it is damaged"), "\(text)")
    try await bench.end()
  }

  @Test func aPictureWithoutAnEditHasNothingToCopy() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    select(0..<1, in: bench)
    await bench.pictures.copyEdits()
    #expect(bench.nextMessage()?.contains("has no edits") == true && bench.editor.copied == nil)
    bench.editing.script.withLock { $0.opening = .unusableFile(path: "/x", reason: "another app edited it") }
    await bench.pictures.copyEdits()
    #expect(bench.nextMessage()?.contains("another app edited it") == true)
    try await bench.end()
  }
}
