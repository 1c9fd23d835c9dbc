// The countdown between the press and the shot, with a clock that the test advances.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct CountdownTests {
  private let clock = ManualClock()

  /// A running camera whose shots wait three seconds.
  private func makeBench(_ change: (inout AppSettings) -> Void = { _ in }) async throws -> ModelBench {
    var settings = AppSettings()
    settings.capture.delay = .three
    change(&settings)
    let bench = try await ModelBench(settings: settings, clock: clock)
    await bench.model.start()
    return bench
  }

  /// Lets a second of the countdown pass.
  private func second(_ bench: ModelBench) async {
    let before = bench.model.countdown.remaining
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(1))
    await bench.until { bench.model.countdown.remaining != before }
  }

  @Test func theShotIsTakenWhenTheSecondsAreOver() async throws {
    let bench = try await makeBench()
    var (ticks, settled) = ([Int](), 0)
    bench.model.soundTick = { ticks.append(bench.model.countdown.remaining ?? 0) }
    bench.model.willChooseFrame = {
      #expect(bench.captures.isEmpty, "the screen is looked at before the frame is chosen")
      settled += 1
    }
    bench.model.pressShutter(at: MonotonicTime(nanoseconds: 7))
    for remaining in [3, 2, 1] {
      #expect(bench.model.countdown.remaining == remaining)
      #expect(bench.model.shutter.name == "Cancel Countdown")
      #expect(bench.captures.isEmpty)
      await second(bench)
    }
    #expect(!bench.model.countdown.isRunning && bench.captures.count == 1)
    #expect(bench.captures.first.map { $0.settings.pressed > MonotonicTime(nanoseconds: 7) } == true)
    #expect(ticks == [3, 2, 1] && settled == 1)
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test(arguments: [false, true]) func theNameTheTooltipAndTheLookSayWhatAPressDoes(inMovieMode: Bool) async throws {
    let bench = try await makeBench {
      $0.recordsMovies = inMovieMode
      $0.capture.interval = .hour
    }
    let movies = MovieModel(
      service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    let model = bench.model
    #expect(model.shutter == (inMovieMode ? .movie : .photo))
    model.pressShutter()
    #expect(model.shutter == .countdown(3) && model.shutter.look == .stop)
    #expect(model.shutterExplanation == "Cancel Countdown (Space)")
    model.countdown.cancel()
    model.intervals.start(every: .hour, count: .unlimited)
    // Also when the mode was changed meanwhile.
    movies.setMode(.movie)
    #expect(model.shutter == .series && model.shutter.look == .stop)
    #expect(model.shutterExplanation == "Stop Taking Photos (Space)")
    #expect(model.optionsInUse == ["Countdown 3 s"], "an interval is nothing for videos")
    model.pressShutter()
    #expect(model.shutter == .movie && !model.intervals.isRunning)
    while bench.captures.isEmpty, model.intervals.taken > 0 { await Task.yield() }
    bench.captures.forEach(bench.expose)
    await model.waitForShots()
    try await bench.end()
  }

  enum Press: CaseIterable { case shutter, photo, series, burst, besideAMovie }

  @Test(arguments: Press.allCases) func theScreenIsLookedAtBeforeEveryFrameIsChosen(_ press: Press) async throws {
    let bench = try await makeBench {
      $0.capture.delay = .none
      $0.capture.interval = press == .series ? .hour : .none
    }
    var settled = 0
    bench.model.willChooseFrame = {
      #expect(bench.captures.count == settled)
      settled += 1
    }
    switch press {
    case .shutter, .series: bench.model.pressShutter()
    case .photo: bench.model.pressPhoto()
    case .burst: #expect(await bench.model.burst.take(1).count == 1)
    case .besideAMovie: bench.model.takePhoto()
    }
    while bench.captures.isEmpty { await Task.yield() }
    #expect(settled == 1)
    bench.model.intervals.stop()
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func withoutOneThePressItselfCounts() async throws {
    let bench = try await makeBench { $0.capture.delay = .none }
    bench.model.pressShutter(at: MonotonicTime(nanoseconds: 7))
    #expect(bench.captures.map(\.settings.pressed) == [MonotonicTime(nanoseconds: 7)])
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func aLivePhotoHearsNoTickAndTheSwitchSilencesAll() async throws {
    let bench = try await makeBench { $0.isLiveOn = true }
    await bench.until { bench.model.live.isActive }
    #expect((1...3).filter(bench.model.ticks) == [2, 3])
    bench.settings.update { $0.capture.playsSounds = false }
    #expect(!(1...3).contains(where: bench.model.ticks))
    try await bench.end()
  }

  @Test(arguments: [false, true]) func theActionForPhotosCountsAndCancelsAsTheButtonDoes(inMovieMode: Bool) async throws
  {
    let bench = try await makeBench { $0.recordsMovies = inMovieMode }
    bench.model.movies = MovieModel(
      service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.pressPhoto()
    #expect(bench.model.countdown.remaining == 3 && bench.captures.isEmpty)
    bench.model.pressPhoto()
    #expect(!bench.model.countdown.isRunning)
    bench.model.pressPhoto()
    for _ in 0..<3 { await second(bench) }
    #expect(bench.captures.count == 1 && bench.model.movies?.isBusy == false)
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func aMovieBeginsAfterItAndEndsAtOnce() async throws {
    let bench = try await makeBench { $0.recordsMovies = true }
    let recorder = ScriptedRecorder()
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    bench.model.pressShutter()
    #expect(movies.phase == .idle)
    for _ in 0..<3 { await second(bench) }
    await bench.until { movies.isBusy }
    while recorder.requests.isEmpty { await Task.yield() }
    recorder.send(.began(.off))
    await bench.until { movies.phase == .recording }
    bench.model.pressShutter()
    #expect(!bench.model.countdown.isRunning)
    while recorder.calls.isEmpty { await Task.yield() }
    #expect(recorder.calls == ["stop"] && bench.captures.isEmpty)
    recorder.end()
    await movies.waitForEnd()
    try await bench.end()
  }

  enum Cause: CaseIterable {
    case press, cancel, lostCamera, lock, sleep, otherCamera, closing
  }

  @Test(arguments: Cause.allCases) func isCanceled(by cause: Cause) async throws {
    let bench = try await makeBench()
    bench.model.pressShutter()
    await second(bench)
    #expect(bench.model.countdown.remaining == 2)
    switch cause {
    case .press: bench.model.pressShutter()
    case .cancel: bench.model.countdown.cancel()
    case .lostCamera: bench.camera.lose(.noFrames(camera: "Webcam", seconds: 5))
    case .lock: await bench.model.setSessionLocked(true)
    case .sleep: await bench.model.setAsleep(true)
    case .otherCamera: await bench.model.selectCamera(CameraDevice.testID)
    case .closing: await bench.model.shutDown()
    }
    await bench.until { !bench.model.countdown.isRunning }
    await clock.wait(forSleepers: 0)
    clock.advance(by: .seconds(5))
    await Task {}.value
    #expect(bench.captures.isEmpty)
    #expect(bench.model.shutter.name == "Take Photo")
    try await bench.end()
  }

  @Test func anotherModeCancelsIt() async throws {
    let bench = try await makeBench()
    let movies = MovieModel(
      service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    bench.model.pressShutter()
    #expect(bench.model.countdown.isRunning)
    movies.toggleMode()
    #expect(!bench.model.countdown.isRunning && movies.mode == .movie)
    bench.model.pressShutter()
    movies.setMode(.movie)
    #expect(bench.model.countdown.isRunning, "it is the mode already")
    movies.setMode(.photo)
    #expect(!bench.model.countdown.isRunning && !movies.isBusy && bench.captures.isEmpty)
    try await bench.end()
  }

  @Test func withoutACameraThePressSaysWhyAtOnce() async throws {
    let bench = try await makeBench()
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.session == nil }
    bench.model.pressShutter()
    #expect(!bench.model.countdown.isRunning)
    #expect(bench.messages.takeNext() != nil)
    try await bench.end()
  }

  @Test func whoeverWaitsForTheEndIsToldHowItCame() async {
    let model = CountdownModel(clock: clock)
    let atOnce = await model.count(from: 0)
    #expect(atOnce)
    let whole = Task { await model.count(from: 1) }
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(1))
    #expect(await whole.value)
    let broken = Task { await model.count(from: 1) }
    await clock.wait(forSleepers: 1)
    broken.cancel()
    #expect(await !broken.value)
    #expect(!model.isRunning)
    let overtaken = Task { await model.count(from: 9) }
    await clock.wait(forSleepers: 1)
    var isOver = false
    model.start(from: 1) { isOver = true }
    #expect(await !overtaken.value)
    await clock.wait(forSleepers: 1)
    clock.advance(by: .seconds(1))
    await ModelBench.until { !model.isRunning }
    #expect(isOver)
  }

  @Test func anotherPageAndAHiddenWindowCancelIt() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.camera.start()
    let ways: [() -> Void] = [
      { bench.navigation.setWindowHidden(true) },
      { Task { await bench.navigation.openLibrary() } },
    ]
    for leave in ways {
      bench.navigation.setWindowHidden(false)
      await ModelBench.until { bench.camera.session != nil }
      bench.camera.setDelay(.ten)
      bench.camera.pressShutter()
      #expect(bench.camera.countdown.remaining == 10)
      leave()
      await ModelBench.until { !bench.camera.countdown.isRunning }
    }
    try await bench.end()
  }

  @Test func theKeyGoesThroughTheDelaysAndNamesThem() async throws {
    let bench = try await makeBench()
    #expect(bench.model.optionsBadge == "3 s" && bench.model.optionsInUse == ["Countdown 3 s"])
    var seen: [Int] = []
    for _ in 0..<4 {
      bench.model.cycleDelay()
      seen.append(bench.settings.values.capture.delay.seconds)
      #expect(bench.messages.takeNext() != nil)
    }
    #expect(seen == [5, 10, 0, 3])
    try await bench.end()
  }

  @Test func unknownOptionsTakeTheirDefaults() throws {
    let json = Data(#"{"capture": {"delay": 7, "fromTheFuture": true, "playsSounds": false}}"#.utf8)
    let options = try JSONDecoder().decode(AppSettings.self, from: json).capture
    #expect(options.delay == .none && !options.playsSounds)
    var written = AppSettings()
    written.capture.delay = .ten
    #expect(try JSONDecoder().decode(AppSettings.self, from: JSONEncoder().encode(written)) == written)
  }
}
