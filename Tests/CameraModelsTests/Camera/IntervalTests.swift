// Series of photos: the instants, the number, what is missed, and how the shutter begins and ends them.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct IntervalTests {
  private let clock = ManualClock()

  private func makeBench(_ change: (inout AppSettings) -> Void = { _ in }) async throws -> ModelBench {
    var settings = AppSettings()
    settings.capture.interval = .fiveSeconds
    change(&settings)
    let bench = try await ModelBench(settings: settings, clock: clock)
    await bench.model.start()
    return bench
  }

  private func finish(_ bench: ModelBench) async throws {
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func theShutterBeginsAndEndsASeries() async throws {
    let bench = try await makeBench()
    let series = bench.model.intervals
    bench.model.pressShutter()
    for count in 1...3 {
      await bench.until { series.taken == count }
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(5))
    }
    await bench.until { series.taken == 4 }
    #expect(series.isRunning && series.text == "4 photos, every 5 s")
    #expect(bench.model.shutter.name == "Stop Taking Photos")
    #expect(bench.model.burst.pressBegan() == nil, "a held shutter is no burst")
    bench.model.pressShutter()
    #expect(!series.isRunning && series.text == nil)
    #expect(bench.messages.takeNext()?.text == "4 photos taken.")
    #expect(bench.captures.count == 4)
    try await finish(bench)
  }

  @Test func itEndsAfterItsNumberAndCountsWhatIsMissed() async throws {
    let bench = try await makeBench { $0.capture.intervalCount = .ten }
    let series = bench.model.intervals
    bench.model.pressPhoto()
    await bench.until { series.taken == 1 }
    // No camera at the next instant.
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.session == nil }
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(5))
    await bench.until { series.missed == 1 }
    #expect(series.text?.hasSuffix(" · 1 photo missed") == true)
    // The machine sleeps for a while.
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(18))
    await bench.until { series.missed == 4 }
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(600))
    await bench.until { !series.isRunning }
    #expect(series.taken == 1 && series.missed == 9)
    #expect(bench.messages.takeNext()?.text.hasPrefix("1 photo taken. 9 photos were missed. ") == true)
    try await finish(bench)
  }

  @Test func itFollowsACountdownAndWithoutACameraThePressSaysWhy() async throws {
    let bench = try await makeBench { $0.capture.delay = .three }
    bench.model.pressShutter()
    #expect(!bench.model.intervals.isRunning && bench.model.countdown.isRunning)
    bench.model.countdown.cancel()
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.session == nil }
    bench.model.pressShutter()
    #expect(!bench.model.intervals.isRunning && bench.messages.takeNext() != nil)
    try await finish(bench)
  }

  @Test func photosThatAreNotSavedAreMissedAndEndTheSeries() async throws {
    let bench = try await makeBench()
    let series = bench.model.intervals
    bench.model.pressShutter()
    for count in 1...IntervalModel.patience {
      while bench.captures.count < count { await Task.yield() }
      bench.captures.suffix(1).forEach { $0.sink.finish(throwing: CameraError.notRunning) }
      await bench.until { series.missed == count }
      #expect(series.taken == 0 && series.isRunning == (count < IntervalModel.patience))
      guard series.isRunning else { break }
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(5))
    }
    await bench.model.waitForShots()
    let texts = bench.messages.messages.map(\.text)
    #expect(texts.count == 1 && texts[0].hasPrefix("0 photos taken. 3 photos were missed. "))
    try await bench.end()
  }

  @Test func onlySoManyPhotosWaitForTheDisk() async throws {
    let bench = try await makeBench()
    let series = bench.model.intervals
    bench.model.pressShutter()
    for count in 1...IntervalModel.mostWaiting {
      await bench.until { series.taken == count }
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(5))
    }
    await bench.until { series.missed == 1 }
    #expect(series.taken == IntervalModel.mostWaiting && bench.captures.count == IntervalModel.mostWaiting)
    // One is saved: there is room for another.
    bench.captures.prefix(1).forEach(bench.expose)
    while series.taken == IntervalModel.mostWaiting {
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(5))
      while clock.sleeperCount == 0 { await Task.yield() }
    }
    #expect(series.taken == IntervalModel.mostWaiting + 1 && bench.captures.count == IntervalModel.mostWaiting + 1)
    bench.model.pressShutter()
    #expect(bench.messages.takeNext()?.text.contains("The disk can’t keep up.") == true)
    try await finish(bench)
  }

  @Test func theMachineStaysAwakeForASeriesWhileThereIsACamera() async throws {
    let bench = try await makeBench()
    #expect(bench.model.sleepInhibition == nil)
    bench.model.pressShutter()
    #expect(bench.model.sleepInhibition == "Photos are being taken at an interval")
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.session == nil }
    #expect(bench.model.intervals.isRunning && bench.model.sleepInhibition == nil)
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam]))
    await bench.until { bench.model.session != nil }
    #expect(bench.model.sleepInhibition != nil)
    bench.model.pressShutter()
    #expect(bench.model.sleepInhibition == nil)
    try await finish(bench)
  }

  @Test func whatIsChosenMeanwhileMakesNoSeriesOfAPhotoThatIsCountedDown() async throws {
    let bench = try await makeBench {
      $0.capture.delay = .three
      $0.capture.interval = .none
    }
    bench.model.pressShutter()
    bench.model.setInterval(.fiveSeconds)
    for remaining in [2, 1, 0] {
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(1))
      await bench.until { bench.model.countdown.remaining ?? 0 == remaining }
    }
    #expect(!bench.model.intervals.isRunning && bench.captures.count == 1)
    bench.model.intervals.stop()
    try await finish(bench)
  }

  @Test func eachPhotoOfASeriesGetsTheFlash() async throws {
    let bench = try await makeBench { $0.capture.flash = .on }
    bench.camera.with { $0.levels = [0.5] }
    bench.model.pressShutter()
    for count in 1...2 {
      await bench.until { bench.model.flash.isLit }
      #expect(bench.captures.count == count - 1, "the frame is chosen in its light")
      while bench.captures.count < count {
        await clock.wait(forSleepers: 1)
        clock.advance(by: FlashModel.step)
        while bench.captures.count < count, clock.sleeperCount == 0 { await Task.yield() }
      }
      bench.captures.suffix(1).forEach(bench.expose)
      await bench.until { !bench.model.flash.isLit }
      await bench.until { bench.model.intervals.taken == count }
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(5))
    }
    await bench.until { bench.model.flash.isLit }
    bench.model.pressShutter()
    await bench.until { !bench.model.flash.isLit }
    #expect(bench.captures.count == 2 && bench.messages.takeNext()?.text == "2 photos taken.")
    #expect(bench.model.flash.litCount == 3)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func photosOfASeriesShareTheLight() async throws {
    let bench = try await makeBench { $0.capture.flash = .on }
    bench.camera.with { $0.levels = [0.5] }
    let photos = Task {
      let one = await bench.model.takePhotoOfSeries()
      let two = await bench.model.takePhotoOfSeries()
      return one != nil && two != nil
    }
    while bench.captures.isEmpty {
      await clock.wait(forSleepers: 1)
      clock.advance(by: FlashModel.step)
      while bench.captures.isEmpty, clock.sleeperCount == 0 { await Task.yield() }
    }
    // The second one is begun while the first has no frame yet: it finds the exposure settled.
    #expect(await photos.value)
    #expect(bench.model.flash.isLit && bench.captures.count == 2)
    bench.captures.prefix(1).forEach(bench.expose)
    #expect(bench.model.flash.isLit)
    bench.captures.suffix(1).forEach(bench.expose)
    await bench.until { !bench.model.flash.isLit }
    #expect(bench.model.flash.litCount == 1)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func theChoicesAreKept() throws {
    var settings = AppSettings()
    settings.capture.interval = .tenMinutes
    settings.capture.intervalCount = .fifty
    #expect(try JSONDecoder().decode(AppSettings.self, from: JSONEncoder().encode(settings)) == settings)
    let json = Data(#"{"capture": {"interval": 7, "intervalCount": -1}}"#.utf8)
    let options = try JSONDecoder().decode(AppSettings.self, from: json).capture
    #expect(options.interval == .none && options.intervalCount == .unlimited)
    #expect(ShotCount.allCases.map(\.title) == ["No Limit", "10", "50", "100"])
    #expect(ShotInterval.allCases.map(\.title) == ["Off", "5 s", "30 s", "1 min", "10 min", "1 h"])
  }
}
