// Notifications about photos that were taken out of sight.

import CameraCore
import EngineInterface
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ShotNoticeTests {
  private let clock = ManualClock()

  /// A running camera with an observed window.
  @MainActor private final class Bench {
    let bench: ModelBench
    let viewer: ViewerModel
    let navigation: NavigationModel
    let notices: ShotNoticeModel

    init(_ settings: AppSettings, clock: ManualClock) async throws {
      bench = try await ModelBench(settings: settings, clock: clock)
      let (library, messages, images) = (bench.library, bench.messages, ImageManager())
      let players = ScriptedPlayers()
      viewer = ViewerModel(library: library, images: images, players: players, messages: messages)
      navigation = NavigationModel(
        camera: bench.model, strip: bench.strip,
        library: LibraryModel(library: library, images: images, messages: messages), viewer: viewer,
        editor: EditModel(
          editing: ScriptedEditing(library: library), library: library, reader: ScriptedFrames(), players: players,
          messages: messages), messages: messages, clock: clock)
      notices = ShotNoticeModel(
        camera: bench.model, library: library, images: images, viewer: viewer, strip: bench.strip,
        navigation: navigation, messages: messages)
      await bench.model.start()
      await bench.strip.start()
    }

    /// Plays the camera's part of the shots that were begun, and waits until they are saved.
    func finishShots() async {
      bench.captures.forEach(bench.expose)
      await bench.until { bench.model.activity == .idle }
    }
  }

  private func settings(_ change: (inout AppSettings) -> Void) -> AppSettings {
    var settings = AppSettings()
    change(&settings)
    return settings
  }

  private func countDown(_ bench: ModelBench) async {
    bench.model.pressShutter()
    while let remaining = bench.model.countdown.remaining {
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(1))
      await bench.until { bench.model.countdown.remaining != remaining }
    }
    await bench.until { bench.model.activity != .idle }
  }

  @Test func aCountedDownPhotoOfAnInactiveWindowIsToldUntilTheWindowIsLookedAt() async throws {
    let bench = try await Bench(settings { $0.capture.delay = .three }, clock: clock)
    bench.notices.setWindowActive(false)
    await countDown(bench.bench)
    await bench.finishShots()
    await bench.bench.until { bench.notices.notice != nil }
    let notice = try #require(bench.notices.notice)
    let asset = try #require(try await bench.bench.library.asset(id: notice.id))
    #expect(notice.title == "Photo taken" && notice.body == asset.url.lastPathComponent && !notice.isQuiet)
    #expect(await bench.notices.thumbnail(of: notice)?.size == PixelSize(width: 64, height: 48))
    bench.notices.setWindowActive(true)
    await bench.bench.until { bench.notices.notice == nil }
    await bench.notices.show(notice.id)
    #expect(bench.viewer.asset?.id == notice.id)
    bench.viewer.close()
    await bench.notices.show("gone")
    #expect(bench.viewer.asset == nil)
    #expect(bench.bench.messages.takeNext()?.text == "The photo is no longer in the library.")
    try await bench.bench.end()
  }

  @Test func whatIsSeenIsNotTold() async throws {
    let bench = try await Bench(settings { $0.capture.delay = .three }, clock: clock)
    await countDown(bench.bench)
    await bench.finishShots()
    #expect(bench.bench.model.timedShot != nil && bench.notices.notice == nil)
    // Nor is what was pressed for a moment ago.
    let last = bench.bench.model.timedShot
    bench.bench.model.setDelay(.none)
    bench.notices.setWindowActive(false)
    bench.bench.model.pressShutter()
    await bench.finishShots()
    #expect(bench.bench.model.timedShot == last && bench.notices.notice == nil)
    try await bench.bench.end()
  }

  @Test func aSeriesIsOneNotificationThatCounts() async throws {
    let bench = try await Bench(settings { $0.capture.interval = .fiveSeconds }, clock: clock)
    let series = bench.bench.model.intervals
    bench.bench.model.pressShutter()
    await bench.bench.until { series.taken == 1 }
    bench.navigation.setWindowHidden(true)
    await bench.finishShots()
    await bench.bench.until { bench.notices.notice != nil }
    #expect(bench.notices.notice?.title == "Photo taken" && bench.notices.notice?.isQuiet == false)
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(5))
    await bench.bench.until { series.taken == 2 }
    bench.bench.captures.last.map(bench.bench.expose)
    await bench.bench.until { bench.notices.notice?.isQuiet == true }
    #expect(bench.notices.notice?.title == "2 photos taken")
    series.stop()
    bench.navigation.setWindowHidden(false)
    await bench.bench.until { bench.notices.notice == nil }
    await bench.bench.until { bench.bench.model.activity == .idle }
    try await bench.bench.end()
  }
}
