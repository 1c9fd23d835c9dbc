// The lock on hidden pictures: closed until the password was given, and closed again when the user leaves.

import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct HiddenLockTests {
  private let hidden = AssetCollection(.hidden).id

  /// A library with three pictures, one of them hidden, and the lock on.
  private func locked() async throws -> LibraryBench {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(true)
    _ = bench.messages.takeNext()
    await bench.lock.setOn(true)
    _ = bench.messages.takeNext()
    #expect(bench.lock.isClosed && bench.prompt.count == 1)
    return bench
  }

  @Test func itOpensWithThePasswordAndClosesWhenThePageIsLeft() async throws {
    let bench = try await locked()
    await bench.grid.select(collection: hidden)
    #expect(bench.prompt.count == 2 && !bench.lock.isClosed)
    await ModelBench.until { bench.grid.list.count == 1 }
    await bench.grid.select(collection: AssetCollection(.all).id)
    #expect(bench.lock.isClosed)
    bench.prompt.answer = .dismissed
    await bench.grid.select(collection: hidden)
    #expect(bench.grid.isLocked && bench.grid.list.count == 0 && bench.grid.emptyPage?.way == .unlock)
    bench.prompt.answer = .granted
    await bench.lock.unlock()
    await ModelBench.until { bench.grid.list.count == 1 }
    // The camera's page.
    bench.grid.close()
    #expect(bench.lock.isClosed && bench.grid.list.count == 0)
    await bench.grid.open()
    #expect(bench.grid.collection.kind == .smart(.all) && bench.prompt.count == 4, "it doesn't open on Hidden")
    try await bench.end()
  }

  @Test func itClosesWithTheWindowAndTheSession() async throws {
    let bench = try await locked()
    await bench.grid.select(collection: hidden)
    await ModelBench.until { bench.grid.list.count == 1 }
    let asset = try #require(bench.grid.list.assetIfRead(at: 0))
    bench.navigation.open(asset)
    #expect(bench.navigation.page == .viewer && !bench.lock.isClosed, "the viewer is a part of the visit")
    bench.navigation.setWindowHidden(true)
    #expect(bench.lock.isClosed && bench.navigation.page == .library)
    await ModelBench.until { bench.grid.list.count == 0 }
    bench.navigation.setWindowHidden(false)
    #expect(bench.lock.isClosed)
    await bench.lock.unlock()
    await ModelBench.until { bench.grid.list.count == 1 }
    bench.navigation.userLeft()
    #expect(bench.lock.isClosed)
    await ModelBench.until { bench.grid.list.count == 0 }
    try await bench.end()
  }

  @Test func anEditIsNotTakenAway() async throws {
    let bench = try await locked()
    await bench.grid.select(collection: hidden)
    await ModelBench.until { bench.grid.list.count == 1 }
    let asset = try #require(bench.grid.list.assetIfRead(at: 0))
    await bench.editor.open(asset)
    bench.navigation.setWindowHidden(true)
    #expect(!bench.lock.isClosed && bench.editor.state == .editing)
    bench.editor.cancel()
    await ModelBench.until { bench.lock.isClosed }
    try await bench.end()
  }

  @Test func anAnswerThatComesTooLateOpensNothing() async throws {
    let bench = try await locked()
    let (gate, sink) = AsyncStream.makeStream(of: Void.self)
    bench.prompt.gate = gate
    let unlocking = Task { await bench.grid.select(collection: hidden) }
    await ModelBench.until { bench.lock.isAsking }
    bench.navigation.userLeft()
    sink.yield()
    await unlocking.value
    #expect(bench.lock.isClosed && bench.grid.list.count == 0)
    try await bench.end()
  }

  @Test func onlyAPasswordSwitchesIt() async throws {
    let bench = try await locked()
    bench.prompt.answer = .refused
    await bench.lock.setOn(false)
    #expect(bench.lock.isOn && bench.nextMessage() == "The password wasn’t accepted.")
    bench.prompt.answer = .dismissed
    await bench.lock.setOn(false)
    #expect(bench.lock.isOn && bench.nextMessage() == nil)
    bench.prompt.answer = .granted
    await bench.lock.setOn(false)
    #expect(!bench.lock.isOn && !bench.settings.values.locksHidden)
    #expect(bench.nextMessage() == "Hidden items are no longer locked.")
    await bench.grid.select(collection: hidden)
    await ModelBench.until { bench.grid.list.count == 1 }
    try await bench.end()
  }

  @Test func whereNobodyAsksItSaysSo() async throws {
    let bench = try await LibraryBench(count: 1)
    bench.prompt.answer = .unavailable(reason: "no program shows prompts")
    await bench.lock.setOn(true)
    #expect(!bench.lock.isOn && bench.nextMessage()?.contains("no program shows prompts") == true)
    bench.prompt.answer = .granted
    await bench.lock.setOn(true)
    bench.prompt.answer = .unavailable(reason: "no program shows prompts")
    await bench.grid.select(collection: hidden)
    let text = try #require(bench.grid.emptyPage?.text)
    // How to get at the pictures all the same.
    #expect(text.contains("no program shows prompts") && text.contains("locksHidden") && text.contains("settings.json"))
    try await bench.end()
  }

  @Test func undoingShowsNothingWithoutThePassword() async throws {
    let bench = try await LibraryBench(count: 2)
    bench.history.mayShowHidden = { await bench.lock.permit() }
    await bench.grid.open()
    await bench.lock.setOn(true)
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(true)
    await ModelBench.until { bench.grid.list.count == 1 }
    bench.prompt.answer = .refused
    await bench.history.undo()
    #expect(bench.history.canUndo && bench.grid.list.count == 1)
    bench.prompt.answer = .granted
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 2 }
    #expect(bench.lock.isClosed, "one action is no visit")
    try await bench.end()
  }

  @Test func theSettingIsReadAndKept() throws {
    var settings = AppSettings()
    #expect(!settings.locksHidden)
    settings.locksHidden = true
    let data = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(AppSettings.self, from: data).locksHidden)
    #expect(try !JSONDecoder().decode(AppSettings.self, from: Data("{}".utf8)).locksHidden)
  }
}
