// The window's size between starts, and the bars around the picture in full screen.

import CameraCore
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct WindowModelTests {
  private func model(_ bench: LibraryBench) -> WindowModel {
    WindowModel(settings: bench.settings, camera: bench.camera, navigation: bench.navigation, clock: bench.clock)
  }

  @Test func theBarsGoAfterARestInFullScreenOnly() async throws {
    let bench = try await LibraryBench(count: 1)
    let model = model(bench)
    await bench.camera.start()
    model.moved()
    #expect(model.showsBars && bench.clock.sleeperCount == 0)
    model.followFullScreen(true)
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: .seconds(2))
    #expect(model.showsBars)
    // The rest begins again with each movement.
    model.moved()
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: .seconds(2))
    #expect(model.showsBars)
    bench.clock.advance(by: .seconds(1))
    await ModelBench.until { !model.showsBars }
    model.moved()
    #expect(model.showsBars)
    model.followFullScreen(false)
    await bench.clock.wait(forSleepers: 0)
    #expect(model.showsBars)
    try await bench.end()
  }

  @Test func theBarsStayWhileTheyAreUsedOrThereIsNoPicture() async throws {
    let bench = try await LibraryBench(count: 1)
    let model = model(bench)
    model.followFullScreen(true)
    #expect(model.showsBars && bench.clock.sleeperCount == 0, "there is no picture yet")
    await bench.camera.start()
    await bench.clock.wait(forSleepers: 1)
    model.hold("popover", true)
    model.hold("pointer", true)
    model.hold("popover", false)
    await bench.clock.wait(forSleepers: 0)
    #expect(model.showsBars)
    model.hold("pointer", false)
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: WindowModel.rest)
    await ModelBench.until { !model.showsBars }
    await bench.navigation.openPicture(bench.assets[0].id)
    await ModelBench.until { model.showsBars }
    try await bench.end()
  }

  @Test func theSizeIsRemembered() async throws {
    let bench = try await LibraryBench(count: 0)
    #expect(model(bench).size == nil)
    let size = AppSettings.WindowSize(width: 700, height: 500, isMaximized: true)
    model(bench).remember(size)
    #expect(model(bench).size == size)
    let data = try JSONEncoder().encode(bench.settings.values)
    #expect(try JSONDecoder().decode(AppSettings.self, from: data).window == size)
    try await bench.end()
  }

  @Test(arguments: [
    #"{"width": 0, "height": 5}"#, #"{"width": 700}"#, #"{"width": 700, "height": 70000}"#, #""large""#,
    #"{"width": 1e9, "height": 5, "isMaximized": true}"#,
  ]) func whatIsNoSizeIsLeftOut(json: String) throws {
    let settings = try JSONDecoder().decode(
      AppSettings.self, from: Data(#"{"window": \#(json), "isLiveOn": true}"#.utf8))
    #expect(settings.window == nil && settings.isLiveOn)
  }
}
