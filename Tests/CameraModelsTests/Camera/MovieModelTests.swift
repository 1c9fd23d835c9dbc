// Movies as the window shows them, with a scripted engine.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MovieModelTests {
  let recorder = ScriptedRecorder()

  func makeModel(_ bench: ModelBench) -> MovieModel {
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages, now: { Date(timeIntervalSince1970: 1_795_300_000) })
    bench.model.movies = movies
    return movies
  }

  func movie(_ ending: RecordingEnding = .stopped) -> RecordedMovie {
    RecordedMovie(
      url: URL(fileURLWithPath: "/tmp/VID_1.mp4"), duration: 2, hasSound: true, ending: ending, droppedFrames: 0)
  }

  @Test("Movies are stabilized when that is wanted, and it is said when it ends")
  func stabilization() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    bench.settings.update { $0.stabilizesMovies = true }
    await movies.start()
    #expect(try #require(recorder.requests.first).isStabilized)
    recorder.send(.began(.recording(ScriptedCamera.microphone)))
    recorder.send(.stabilizationEnded)
    await bench.until { !bench.messages.messages.isEmpty }
    #expect(bench.messages.messages.last?.text.contains("no longer stabilized") == true)
    #expect(movies.phase == .recording)
    let stopped = Task { await movies.stop() }
    recorder.send(.finished(movie()))
    recorder.end()
    await stopped.value
    try await bench.end()
  }

  @Test func aMonthThatLeadsElsewhereGetsNoMovie() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    let (library, files) = (bench.library.folder, FileManager.default)
    let archive = library.deletingLastPathComponent().appendingPathComponent("archive")
    for folder in [library, archive] { try files.createDirectory(at: folder, withIntermediateDirectories: true) }
    try files.createSymbolicLink(at: library.appendingPathComponent("2026-11"), withDestinationURL: archive)
    await movies.start()
    // What a link leads to isn't listed: a movie there would never be shown.
    #expect(recorder.requests.first?.folder.lastPathComponent == "2026-11_2")
  }

  @Test func aMovieIsRecordedIntoTheFolderOfItsMonth() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    bench.settings.update { $0.movieQuality = .high }
    await movies.start()
    let request = try #require(recorder.requests.first)
    #expect(request.folder.lastPathComponent == "2026-11")
    #expect(request.folder.deletingLastPathComponent().path == bench.library.folder.path)
    #expect(request.quality == .high)
    // The name is of the same instant as the folder.
    #expect(request.date == Date(timeIntervalSince1970: 1_795_300_000))
    #expect(movies.lastOutcome == nil)
    #expect(movies.phase == .starting)
    recorder.send(.began(.recording(ScriptedCamera.microphone)))
    await bench.until { movies.phase == .recording }
    recorder.send(
      .progress(RecordingProgress(elapsed: .seconds(3), byteCount: 9, timeLeft: .seconds(60), droppedFrames: 0)))
    await bench.until { movies.elapsed == .seconds(3) }
    #expect(movies.activity == .movie(elapsed: .seconds(3)))
    #expect(movies.timeLeft == .seconds(60))
    movies.pause()
    recorder.send(.paused)
    await bench.until { movies.phase == .paused }
    movies.resume()
    recorder.send(.resumed)
    await bench.until { movies.phase == .recording }
    let stopped = Task { await movies.stop() }
    recorder.send(.ending)
    await bench.until { movies.phase == .finishing }
    recorder.send(.finished(movie()))
    recorder.end()
    await stopped.value
    #expect(movies.phase == .idle && movies.activity == .idle && movies.lastMovie == movie())
    #expect(movies.lastOutcome == .success(movie()))
    #expect(recorder.calls == ["pause", "resume", "stop"])
    #expect(bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func liveRestsMeanwhileAndSaysWhy() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    await bench.model.live.setOn(true)
    await movies.start()
    recorder.send(.began(.off))
    await bench.until { movies.phase == .recording }
    #expect(bench.model.live.isOn && !bench.model.live.isAvailable)
    #expect(bench.model.live.explanation.contains("video"))
    #expect(bench.messages.takeNext() != nil)
    await bench.model.live.toggle()
    #expect(bench.model.live.isOn)
    #expect(bench.messages.takeNext()?.text == bench.model.live.rest)
    // Photos are taken as ever, and are plain ones.
    bench.model.takePhoto()
    #expect(bench.captures.last?.settings.isLive == false)
    recorder.send(.finished(movie()))
    recorder.end()
    await bench.until { movies.phase == .idle }
    #expect(bench.model.live.isActive)
    bench.model.takePhoto()
    #expect(bench.captures.last?.settings.isLive == true)
    for capture in bench.captures { capture.sink.finish(throwing: CameraError.notRunning) }
    await bench.until { bench.model.activity == .idle }
    try await bench.end()
  }

  @Test func whatEndsAMovieIsSaid() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await movies.start()
    recorder.send(.finished(movie(.diskFull)))
    recorder.end()
    await bench.until { movies.phase == .idle }
    #expect(bench.messages.takeNext()?.text.contains("VID_1.mp4") == true)
    await movies.start()
    recorder.end(.recordingFailed(message: "no encoder works"))
    await bench.until { movies.phase == .idle }
    #expect(bench.messages.takeNext()?.text == CameraError.recordingFailed(message: "no encoder works").description)
    // Not the movie before it.
    #expect(movies.lastOutcome == .failure(.recordingFailed(message: "no encoder works")))
    try await bench.end()
  }

  @Test func aMicrophoneThatFallsSilentInAMovieIsSaidOnceAsTheMovies() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    await movies.start()
    let sound = LiveSound.recording(ScriptedCamera.microphone)
    bench.camera.say(.sound(sound))
    recorder.send(.began(sound))
    await bench.until { movies.phase == .recording && bench.model.live.sound == sound }
    #expect(movies.hasSound && !movies.lacksSound && movies.soundMarkName == "Recording sound")
    bench.camera.say(.sound(.silent(reason: "It broke.")))
    await bench.until { movies.sound == .silent(reason: "It broke.") }
    #expect(!movies.hasSound && movies.lacksSound && movies.soundMarkName == "No sound is being recorded")
    #expect(bench.messages.messages.map(\.text) == ["The video has no sound from here on. It broke."])
    bench.camera.say(.sound(sound))
    await bench.until { movies.sound == sound }
    #expect(!movies.lacksSound && bench.messages.messages.count == 1)
    bench.camera.say(.sound(.silent(reason: "It broke.")))
    await bench.until { movies.lacksSound }
    bench.settings.update { $0.microphone = .none }
    #expect(movies.soundMarkName == nil, "no sound is wanted anymore")
    recorder.end()
    await bench.until { movies.phase == .idle }
    #expect(!movies.lacksSound)
    try await bench.end()
  }

  @Test func aMovieWhoseMicrophoneIsAwaitedGetsItsSoundLater() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    await movies.start()
    recorder.send(.began(.awaited))
    await bench.until { movies.phase == .recording }
    #expect(bench.messages.takeNext()?.text.contains("isn’t ready yet") == true)
    bench.camera.say(.sound(.recording(ScriptedCamera.microphone)))
    await bench.until { movies.sound == .recording(ScriptedCamera.microphone) }
    recorder.end()
    await bench.until { movies.phase == .idle }
    try await bench.end()
  }

  @Test func soundThatIsMissingIsSaidAtTheEnd() {
    var movie = movie()
    movie.missingSound = 0.9
    #expect(movie.shortfall == nil)
    movie.missingSound = 6.4
    #expect(movie.shortfall?.contains("“VID_1.mp4” has no sound for 6 seconds") == true)
    movie.hasSound = false
    #expect(movie.shortfall == nil, "it was to have none, or that was said at its beginning")
  }

  @Test(arguments: [
    (CameraError.noCamera, "No camera found."),
    (.inUse(camera: "Webcam", holder: "Cheese"), "“Webcam” is in use by Cheese."),
    (.unplugged(camera: "Webcam"), "“Webcam” was unplugged."),
  ]) func withoutACameraItSaysWhy(error: CameraError, words: String) async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    if case .unplugged = error {
      await bench.model.start()
      bench.camera.lose(error)
      await bench.until { bench.model.status == .interrupted(.unplugged) }
    } else {
      bench.camera.with { $0.failure = error }
      await bench.model.start()
    }
    await movies.start()
    #expect(movies.phase == .idle && recorder.requests.isEmpty)
    #expect(bench.messages.takeNext()?.text.hasPrefix("The video can’t be recorded. \(words)") == true)
    #expect(movies.lastOutcome == .failure(error))
    try await bench.end()
  }

  @Test func aCameraThatStopsBeforeTheFirstFrameIsSaidInWordsForVideos() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    await movies.start()
    recorder.end(.notRunning)
    await bench.until { movies.phase == .idle }
    #expect(bench.messages.takeNext()?.text == "The video couldn’t be recorded: the camera isn’t running.")
    try await bench.end()
  }

  @Test func theCameraStaysMeanwhileAndTheMicrophoneCanBeChanged() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    let opened = bench.camera.with { $0.started.count }
    await movies.start()
    await bench.model.selectCamera(CameraDevice.testID)
    await bench.model.useTestCamera()
    await bench.model.microphones.select(.none)
    #expect(bench.camera.with { $0.started.count } == opened)
    #expect(bench.settings.values.cameraID == nil && bench.settings.values.microphone == .none)
    // One sentence for both attempts at the camera.
    #expect(bench.messages.messages.map(\.text) == [movies.changeRefusal, "Microphone: None."])
    recorder.end()
    await bench.until { movies.phase == .idle }
    await bench.model.useTestCamera()
    #expect(bench.model.session?.camera.id == CameraDevice.testID)
    try await bench.end()
  }

  @Test func whatLiveDoesMeanwhileIsSaidOnce() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    await movies.start()
    #expect(bench.messages.messages.isEmpty)
    recorder.end()
    await bench.until { movies.phase == .idle }
    await bench.model.live.setOn(true)
    await movies.start()
    #expect(bench.messages.takeNext()?.text.contains("Live is off") == true)
    recorder.end()
    await bench.until { movies.phase == .idle }
    try await bench.end()
  }

  @Test func theSpaceLeftIsShownWhenItIsShort() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    movies.setMode(.movie)
    await movies.start()
    recorder.send(.began(.off))
    for (seconds, text, sentence) in [
      (18_720.0, nil, "The disk has room for 5 hours 12 minutes more"),
      (3600, nil, "The disk has room for 1 hour more"),
      (3599, "59 min left", "The disk has room for 59 minutes more"),
      (119, "1 min left", "The disk has room for 1 minute more"),
      (59, "less than 1 min left", "The disk has room for less than a minute more"),
      (720_030, nil, "The disk has room for 200 hours more"),
    ] {
      recorder.send(
        .progress(
          RecordingProgress(elapsed: .seconds(65), byteCount: 9, timeLeft: .seconds(seconds), droppedFrames: 0)))
      await bench.until { movies.timeLeft == .seconds(seconds) }
      #expect(movies.remark == text)
      #expect(bench.model.shutterExplanation == "Stop Recording (Space). \(sentence)")
    }
    #expect(movies.elapsedText == "1:05")
    recorder.end()
    await bench.until { movies.phase == .idle }
    try await bench.end()
  }

  @Test func aMovieGetsTheEffectThatWasOnWhenItBegan() async throws {
    let bench = try await EffectsBench(AppSettings.ViewfinderEffect(identifier: "comic", intensity: 0.5))
    let movies = makeModel(bench.models)
    movies.effects = bench.model
    await bench.models.model.start()
    await movies.start()
    #expect(bench.model.rest != nil && bench.model.explanation == bench.model.rest)
    bench.model.open()
    #expect(!bench.model.isOpen)
    let folder = try #require(recorder.requests.first).folder
    let url = folder.appendingPathComponent("VID_20261123_070000_000.mp4")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try HandMadeMovie().data.write(to: url)
    recorder.send(.opened(UnfinishedMovie(hiddenPath: url.path + ".recording", path: url.path)))
    recorder.send(
      .finished(RecordedMovie(url: url, duration: 3, hasSound: false, ending: .stopped, droppedFrames: 0)))
    recorder.end()
    await bench.models.until { movies.phase == .idle }
    await movies.waitForEnd()
    let asset = try #require(try await bench.models.library.asset(at: url))
    try await bench.model.shots.waitForEffect(of: asset.id)
    #expect(bench.saved == [AdjustmentRecipe(.init(try Effect.named("comic"), intensity: 0.5))])
    #expect(bench.model.rest == nil && bench.models.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func moviesOfAKilledRunAreSaid() async throws {
    let bench = try await ModelBench()
    recorder.setRecovered([
      .recovered(URL(fileURLWithPath: "/tmp/VID_2.mp4"), hiddenPath: "/tmp/.VID_2.mp4.recording")
    ])
    await makeModel(bench).restore()
    #expect(bench.messages.takeNext()?.text.contains("VID_2.mp4") == true)
    try await bench.end()
  }

  @Test func closingWaitsForTheFile() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    await movies.start()
    recorder.send(.began(.off))
    await bench.until { movies.phase == .recording }
    let (ticks, seconds) = AsyncStream.makeStream(of: Void.self)
    let closing = ClosingModel(camera: bench.model, effects: nil) {
      for await _ in ticks { break }
      try Task.checkCancellation()
    }
    #expect(closing.remark == nil)
    let closed = Task { await closing.close() }
    while recorder.calls != ["stop"] { await Task.yield() }
    // The picture goes on while the window says what it waits for.
    #expect(bench.model.session != nil)
    recorder.send(.ending)
    await bench.until { movies.phase == .finishing }
    #expect(closing.isClosing && closing.remark == "Finishing the video before PhotoMe closes…")
    for _ in 0..<ClosingModel.slowness { seconds.yield() }
    await bench.until { closing.remark == "The video is taking a long time to finish. What was recorded is kept." }
    recorder.send(.finished(movie()))
    recorder.end()
    #expect(await closed.value == .finished)
    seconds.finish()
    #expect(movies.phase == .idle && closing.remark == nil)
    try await bench.end()
  }
}
