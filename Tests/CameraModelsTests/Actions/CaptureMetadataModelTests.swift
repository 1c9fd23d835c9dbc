// The dialogs of date and place: what they say, and what they change.

import CameraModels
import Foundation
import Testing

@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CaptureMetadataModelTests {
  private func model(_ bench: LibraryBench) -> CaptureMetadataModel {
    CaptureMetadataModel(
      library: bench.library, history: bench.history, grid: bench.grid, navigation: bench.navigation,
      editor: bench.editor, messages: bench.messages)
  }

  @Test func theFirstOfSeveralGetsTheDateAndUndoTakesItBack() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.grid.selectAll()
    let model = model(bench)
    await model.openDate()
    // The earliest, in its own time zone.
    #expect(model.dialog == .date && model.text == "2026-11-19 12:00:00" && model.zone == 0 && !model.canApply)
    model.setText("tomorrow")
    #expect(!model.canApply && model.note.contains("2026-11-21"))
    model.setText("2026-11-19 13:20")
    #expect(model.canApply && model.note.contains("1 hour, 20 minutes later"))
    await model.apply()
    #expect(model.dialog == nil && model.done == nil)
    #expect(bench.nextMessage() == "Dates of 3 items changed")
    let moved = try await bench.library.fetchAssets()
    #expect(moved.map(\.created) == bench.assets.map { $0.created.addingTimeInterval(4800) })
    await bench.history.undo()
    #expect(bench.nextMessage() == "Undone: Adjusting Date of 3 Items")
    #expect(try await bench.library.fetchAssets().map(\.created) == bench.assets.map(\.created))
    try await bench.end()
  }

  @Test func anotherTimeZoneKeepsTheMoment() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    let model = model(bench)
    await model.openDate()
    model.setZone(3600)
    #expect(model.text == "2026-11-21 13:00:00" && model.canApply)
    await model.apply()
    let asset = try #require(try await bench.library.fetchAssets().first)
    #expect(asset.created == bench.assets[0].created && asset.utcOffset == 3600)
    try await bench.end()
  }

  @Test func aPlaceIsGivenAndRemoved() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    bench.grid.selectAll()
    let model = model(bench)
    await model.openPlace()
    #expect(model.dialog == .place && !model.canApply && !model.canRemove)
    model.setText("46.948, 7.447")
    await ModelBench.until { model.canApply }
    #expect(model.note == "46.9480° N, 7.4470° E")
    await model.apply()
    #expect(bench.nextMessage() == "Places of 2 items changed")
    #expect(try await bench.library.fetchAssets().allSatisfy { $0.location != nil })
    bench.grid.selectAll()
    await model.openPlace()
    #expect(model.canRemove && !model.canApply && model.text == "46.948, 7.447")
    await model.removePlace()
    #expect(try await bench.library.fetchAssets().allSatisfy { $0.location == nil })
    #expect(bench.nextMessage() == "Places of 2 items removed")
    await bench.history.undo()
    await bench.history.undo()
    #expect(try await bench.library.fetchAssets().allSatisfy { $0.location == nil })
    try await bench.end()
  }
}
