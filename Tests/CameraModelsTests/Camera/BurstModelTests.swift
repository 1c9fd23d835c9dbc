// Bursts: how long a press is, the pace, and everything that ends one. With a clock that the test advances.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct BurstModelTests {
  private let clock = ManualClock()

  private func makeBench(_ change: (inout AppSettings) -> Void = { _ in }) async throws -> ModelBench {
    var settings = AppSettings()
    change(&settings)
    let bench = try await ModelBench(settings: settings, clock: clock)
    await bench.model.start()
    return bench
  }

  /// Advances the clock once something sleeps, and returns when a photo more was asked for.
  private func next(_ bench: ModelBench, after time: Duration) async {
    let before = bench.model.burst.count
    await clock.wait(forSleepers: 1)
    clock.advance(by: time)
    // A burst begins with none, for an instant.
    await bench.until { (bench.model.burst.count ?? 0) > (before ?? 0) }
  }

  /// Lets the shots end that were begun, and returns when they have.
  private func finish(_ bench: ModelBench) async {
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
  }

  @Test func aLongPressTakesPhotosUntilItEnds() async throws {
    let bench = try await makeBench()
    let burst = bench.model.burst
    let press = burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    for _ in 0..<4 { await next(bench, after: .milliseconds(100)) }
    #expect(burst.count == 5 && burst.isRunning)
    #expect(burst.pressEnded(press), "it is no press anymore")
    #expect(!burst.isRunning)
    let ids = Set(bench.captures.map(\.settings.group?.id))
    #expect(bench.captures.allSatisfy { $0.settings.isOfBurst })
    #expect(bench.captures.count == 5 && ids.count == 1 && !ids.contains(nil))
    await finish(bench)
    #expect(bench.model.exposureCount == 1, "a burst clicks once, also when it is over before its frames are told of")
    let assets = try await bench.library.fetchAssets()
    #expect(assets.count == 5 && Set(assets.map(\.burstID)) == ids)
    // The next burst is another one.
    #expect(burst.pressBegan() != nil)
    await next(bench, after: BurstModel.threshold)
    await bench.until { burst.count == 1 }
    #expect(bench.captures.last?.settings.group.map { !ids.contains($0.id) } == true)
    burst.stop()
    bench.captures.suffix(1).forEach(bench.expose)
    await bench.model.waitForShots()
    #expect(bench.model.exposureCount == 2)
    try await bench.end()
  }

  @Test func anUnpluggedMicrophoneIsSaidWhenLiveIsBack() async throws {
    let bench = try await makeBench { $0.isLiveOn = true }
    await bench.until { bench.model.live.isActive }
    let press = bench.model.burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    await bench.until { bench.model.burst.count == 1 }
    while bench.messages.takeNext() != nil {}
    bench.camera.say(.sound(.silent(reason: "It was unplugged.")))
    await bench.until { bench.model.live.sound == .silent(reason: "It was unplugged.") }
    #expect(bench.messages.messages.isEmpty, "the photos of a burst have no sound anyway")
    #expect(bench.model.burst.pressEnded(press))
    #expect(bench.messages.takeNext()?.text == "Live photos have no sound. It was unplugged.")
    await finish(bench)
    try await bench.end()
  }

  @Test func aMovieThatEndsDuringABurstLeavesLiveAtRest() async throws {
    let bench = try await makeBench { $0.isLiveOn = true }
    let recorder = ScriptedRecorder()
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    await movies.start()
    let shots = Task { await bench.model.burst.take(9) }
    await bench.until { bench.model.burst.count == 1 }
    recorder.end()
    await movies.waitForEnd()
    #expect(!bench.model.live.isActive && bench.model.live.rest?.contains("burst") == true)
    bench.model.burst.stop()
    #expect(bench.model.live.isActive)
    await finish(bench)
    _ = await shots.value
    try await bench.end()
  }

  @Test func theKeyPhotoDoesNotWaitForAMovieOrLaterShots() async throws {
    let bench = try await makeBench()
    let recorder = ScriptedRecorder()
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    let burst = bench.model.burst
    let press = burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    await next(bench, after: .milliseconds(100))
    #expect(burst.pressEnded(press))
    let photos = bench.captures
    await movies.start()
    bench.model.takePhoto()
    photos.forEach(bench.expose)
    await bench.model.choosing?.value
    let frames = try await bench.library.burst(try #require(photos.first?.settings.group?.id))
    #expect(frames.map(\.isKeyPhoto) == [true, false])
    #expect(bench.captures.count == 3 && !bench.model.shots.isEmpty, "the later shot isn't saved yet")
    recorder.end()
    bench.captures.suffix(1).forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func aBurstGrowsInOnePlaceOfTheStripAndGetsAKeyPhoto() async throws {
    let bench = try await makeBench()
    await bench.strip.start()
    let burst = bench.model.burst
    let press = burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    for _ in 0..<3 { await next(bench, after: .milliseconds(100)) }
    bench.captures.prefix(2).forEach(bench.expose)
    await bench.until { bench.strip.items.first?.count == 2 }
    #expect(bench.strip.items.count == 1)
    #expect(burst.pressEnded(press))
    await finish(bench)
    await bench.model.choosing?.value
    await bench.until { bench.strip.items.first?.asset?.isKeyPhoto == true }
    let item = try #require(bench.strip.items.first)
    #expect(bench.strip.items.count == 1 && item.count == 4 && item.asset?.groupCount == 4)
    #expect(item.spokenName.hasPrefix("Burst, 4 photos, "))
    let frames = try await bench.library.burst(try #require(item.asset?.burstID))
    // Equal pictures are equally sharp: the first counts.
    #expect(frames.map(\.isKeyPhoto) == [true, false, false, false] && item.id == frames[0].id)
    try await bench.end()
  }

  @Test func aShortPressIsOne() async throws {
    let bench = try await makeBench()
    let press = bench.model.burst.pressBegan()
    #expect(press != nil)
    await clock.wait(forSleepers: 1)
    clock.advance(by: .milliseconds(399))
    #expect(!bench.model.burst.pressEnded(press))
    await clock.wait(forSleepers: 0)
    clock.advance(by: .seconds(9))
    await Task {}.value
    #expect(bench.captures.isEmpty && !bench.model.burst.isRunning)
    try await bench.end()
  }

  @Test func aSecondPressEndsTheHeldBurstAndNeitherReleaseIsAPress() async throws {
    let bench = try await makeBench()
    let burst = bench.model.burst
    let press = burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    await bench.until { burst.count == 1 }
    let second = burst.pressBegan()
    #expect(second != nil && !burst.isRunning, "another finger ends it")
    #expect(burst.pressEnded(second), "and is no press")
    #expect(burst.pressEnded(press), "nor is the first one")
    #expect(!burst.isRunning)
    await finish(bench)
    #expect(bench.captures.count == 1)
    try await bench.end()
  }

  @Test func escapeEndsABurstThatNobodyHolds() async throws {
    let bench = try await makeBench()
    #expect(!bench.model.escapeShutter())
    let shots = Task { await bench.model.burst.take(9) }
    await bench.until { bench.model.burst.count == 1 }
    #expect(bench.model.shutter == .burst && bench.model.escapeShutter())
    #expect(!bench.model.burst.isRunning && bench.model.shutter == .photo)
    let again = Task { await bench.model.burst.take(9) }
    await bench.until { bench.model.burst.count == 1 }
    bench.model.pressShutter()
    #expect(!bench.model.burst.isRunning && bench.captures.count == 2, "a press ends it and takes nothing")
    await finish(bench)
    _ = await (shots.value, again.value)
    try await bench.end()
  }

  @Test func aShortPressThatIsCanceledTakesNothing() async throws {
    let bench = try await makeBench()
    let press = bench.model.burst.pressBegan()
    await bench.model.setSessionLocked(true)
    #expect(bench.model.burst.pressEnded(press), "the press is over")
    await bench.model.setSessionLocked(false)
    let next = bench.model.burst.pressBegan()
    #expect(!bench.model.burst.pressEnded(next), "the next one counts")
    try await bench.end()
  }

  @Test func whereAnOptionIsInTheWayAHeldShutterIsAPressAndSaysSo() async throws {
    let changes: [((inout AppSettings) -> Void, String)] = [
      ({ $0.capture.delay = .three }, "the countdown"), ({ $0.capture.flash = .on }, "the flash"),
      ({ $0.capture.interval = .minute }, "interval shooting"), ({ $0.capture.booth = .grid }, "the photo booth"),
      (
        {
          $0.capture.delay = .ten
          $0.capture.flash = .on
          $0.capture.booth = .strip
        }, "the countdown, the flash, and the photo booth"
      ),
    ]
    for (change, words) in changes {
      let bench = try await makeBench(change)
      let burst = bench.model.burst
      let text = "To take a burst, turn off \(words)."
      #expect(burst.pressBegan() == nil)
      await clock.wait(forSleepers: 1)
      #expect(bench.messages.messages.isEmpty, "it may be a short press")
      clock.advance(by: BurstModel.threshold)
      await bench.until { !bench.messages.messages.isEmpty }
      #expect(!burst.pressEnded(nil) && !burst.isRunning)
      #expect(bench.messages.takeNext()?.text == text)
      #expect(burst.pressBegan() == nil)
      await clock.wait(forSleepers: 1)
      #expect(!burst.pressEnded(nil))
      await clock.wait(forSleepers: 0)
      clock.advance(by: .seconds(9))
      await Task {}.value
      #expect(bench.messages.messages.isEmpty, "a short press")
      await bench.model.toggleBurst()
      #expect(!burst.isRunning && bench.captures.isEmpty && bench.messages.takeNext()?.text == text)
      try await bench.end()
    }
  }

  @Test func theAutomaticFlashStaysDarkInABurst() async throws {
    let bench = try await makeBench { $0.capture.flash = .auto }
    bench.camera.with { $0.levels = [0.1] }
    let press = bench.model.burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    #expect(bench.model.burst.pressEnded(press))
    #expect(bench.captures.count == 1 && bench.model.flash.litCount == 0)
    await finish(bench)
    try await bench.end()
  }

  @Test func whatRestsInABurstIsNamed() async throws {
    let bench = try await makeBench {
      $0.isLiveOn = true
      $0.photoFormat = .heic
      $0.photoQuality = .quality
    }
    await bench.until { bench.model.live.isActive }
    let press = bench.model.burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    #expect(bench.messages.takeNext()?.text == "Bursts are saved as JPEG, without Live and “Best in Dim Light”.")
    let settings = try #require(bench.captures.first).settings
    #expect(settings.format == .jpeg && settings.quality == .balanced && !settings.isLive)
    #expect(bench.model.burst.pressEnded(press))
    await finish(bench)
    try await bench.end()
  }

  @Test func withoutACameraAndForMoviesAHeldShutterIsAPress() async throws {
    let bench = try await makeBench { $0.recordsMovies = true }
    bench.model.movies = MovieModel(
      service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    #expect(bench.model.burst.pressBegan() == nil)
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.session == nil }
    bench.settings.update { $0.recordsMovies = false }
    #expect(bench.model.burst.pressBegan() == nil, "no camera")
    await bench.model.toggleBurst()
    #expect(bench.messages.takeNext()?.text == bench.model.shotRefusal?.description)
    try await bench.end()
  }

  @Test func liveRestsDuringABurstAndThatIsSaid() async throws {
    let bench = try await makeBench { $0.isLiveOn = true }
    await bench.until { bench.model.live.isActive }
    let press = bench.model.burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    await bench.until { bench.model.burst.count == 1 }
    #expect(bench.captures.map(\.settings.isLive) == [false])
    #expect(bench.messages.takeNext()?.text.contains("Live") == true)
    #expect(bench.model.live.rest?.contains("burst") == true)
    #expect(bench.model.burst.pressEnded(press))
    #expect(bench.model.live.isActive)
    await finish(bench)
    try await bench.end()
  }

  @Test func onlySoManyPhotosWaitForTheDisk() async throws {
    let bench = try await makeBench()
    let shots = Task { await bench.model.burst.take(20) }
    await bench.until { bench.model.burst.count == 1 }
    for _ in 1..<BurstModel.mostWaiting { await next(bench, after: .milliseconds(100)) }
    // None is saved: nothing more is taken, and in the end the burst is given up.
    while bench.model.burst.isRunning {
      await clock.wait(forSleepers: 1)
      clock.advance(by: .milliseconds(100))
      while bench.model.burst.isRunning, clock.sleeperCount == 0 { await Task.yield() }
    }
    #expect(bench.captures.count == BurstModel.mostWaiting)
    #expect(bench.messages.takeNext()?.text.contains("disk") == true)
    #expect(bench.model.burst.endReason == "The burst ended because the disk can’t keep up.")
    #expect(await shots.value.count == BurstModel.mostWaiting)
    await finish(bench)
    try await bench.end()
  }

  @Test func aFailedPhotoAndALackOfMemoryEndIt() async throws {
    let bench = try await makeBench()
    let press = bench.model.burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    await bench.until { bench.model.burst.count == 1 }
    bench.captures.forEach { $0.sink.finish(throwing: CameraError.stoppedSending(camera: "Webcam")) }
    await bench.until { !bench.model.burst.isRunning }
    #expect(bench.messages.takeNext() != nil)
    #expect(bench.model.burst.endReason == nil, "the photo's failure has been said")
    #expect(bench.model.burst.pressEnded(press), "the press stays a burst's")
    bench.camera.say(.pressure(SystemPressure(level: .serious, factors: [.memory])))
    await bench.until { bench.model.pressure.state.level == .serious }
    #expect(await bench.model.burst.take(5).isEmpty)
    #expect(bench.messages.takeNext()?.text.contains("memory") == true)
    #expect(bench.model.burst.endReason?.contains("memory") == true)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func whateverTakesTheViewfinderAwayEndsIt() async throws {
    let bench = try await makeBench()
    let press = bench.model.burst.pressBegan()
    await next(bench, after: BurstModel.threshold)
    bench.model.cancelRelease()
    #expect(!bench.model.burst.isRunning && bench.model.burst.pressEnded(press))
    await finish(bench)
    try await bench.end()
  }
}
