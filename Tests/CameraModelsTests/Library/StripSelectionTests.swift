// The selection in the strip: clicks, ranges, what is left of it, and what is done with it.

import CameraModels
import Foundation
import PhotoLibrary
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct StripSelectionTests {
  private func bench(_ count: Int) async throws -> (LibraryBench, ThumbnailStripModel, [Asset.ID]) {
    let bench = try await LibraryBench(count: count)
    await bench.strip.start()
    return (bench, bench.strip, bench.assets.map(\.id))
  }

  @Test func clicksOpenOrSelect() async throws {
    let (bench, strip, ids) = try await bench(5)
    #expect(strip.isLoaded && strip.selection.isEmpty)
    #expect(strip.click(at: 1, extends: false, toggles: false))
    #expect(!strip.click(at: 1, extends: false, toggles: true))
    #expect(strip.selection == [ids[1]] && strip.selectedID == ids[1])
    #expect(!strip.click(at: 3, extends: true, toggles: false))
    #expect(strip.selection == Set(ids[1...3]) && strip.selectedID == ids[1])
    #expect(strip.selectedAssets.map(\.id) == Array(ids[1...3]))
    #expect(!strip.click(at: 1, extends: false, toggles: true))
    #expect(strip.selection == Set(ids[2...3]) && strip.selectedID == ids[2])
    #expect(!strip.click(at: 5, extends: false, toggles: false), "there is none")
    // A menu on one of them means all, on another one that alone.
    #expect(!strip.target(at: 3) && strip.selection.count == 2)
    #expect(strip.target(at: 0) && strip.selection == [ids[0]])
    strip.selectionChanged(to: [0, 4])
    #expect(strip.selection == [ids[0], ids[4]] && strip.selectedID == ids[0])
    strip.selectedID = nil
    #expect(strip.selection.isEmpty && strip.selectedAssets.isEmpty)
    try await bench.end()
  }

  @Test func whatIsDeletedLeavesTheSelectionAndComesBackByUndo() async throws {
    let (bench, strip, ids) = try await bench(3)
    await bench.pictures.trash()
    #expect(strip.items.count == 3 && bench.messages.messages.isEmpty, "nothing is selected")
    strip.toggleSelection(at: 0)
    strip.toggleSelection(at: 2)
    await bench.pictures.trash()
    await ModelBench.until { strip.items.map(\.id) == [ids[1]] }
    #expect(strip.selection.isEmpty && strip.selectedID == nil)
    let message = try #require(bench.messages.takeNext())
    #expect(message.text == "2 items moved to the Trash" && message.canBeUndone)
    await bench.history.undo()
    await ModelBench.until { strip.items.count == 3 }
    #expect(strip.selection.isEmpty)
    try await bench.end()
  }

  @Test func aDragCarriesTheSelection() async throws {
    let (bench, strip, ids) = try await bench(3)
    strip.toggleSelection(at: 0)
    strip.toggleSelection(at: 1)
    strip.prepareDrag(at: 1)
    #expect(strip.draggedAssets?.map(\.id) == [ids[0], ids[1]])
    // One that isn't selected goes alone.
    strip.prepareDrag(at: 2)
    #expect(strip.draggedAssets == nil)
    #expect(strip.target(at: 2) && strip.draggedAssets?.map(\.id) == [ids[2]])
    try await bench.end()
  }

  @Test func anEmptyStripIsKnownToBeEmpty() async throws {
    let bench = try await LibraryBench(count: 0)
    #expect(!bench.strip.isLoaded)
    await bench.strip.start()
    #expect(bench.strip.isLoaded && bench.strip.items.isEmpty)
    try await bench.end()
  }
}
