// The recording time that fits on the disk, shown before a movie is begun.

import CameraCore
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MovieSpaceTests {
  private let recorder = ScriptedRecorder()
  private let clock = ManualClock()

  private func makeModel(_ bench: ModelBench) -> MovieModel {
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages, clock: clock)
    bench.model.movies = movies
    return movies
  }

  @Test("It is in the shutter's tooltip, and over the picture when it is short")
  func texts() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    movies.setMode(.movie)
    for (seconds, remark, sentence) in [
      (18_720.0, nil, "The disk has room for 5 hours 12 minutes of video"),
      (3600, nil, "The disk has room for 1 hour of video"),
      (3599, "59 min left", "The disk has room for 59 minutes of video"),
      (0, "Less than 1 min left", "The disk has room for less than a minute of video"),
    ] {
      recorder.setRoom(.seconds(seconds))
      await clock.wait(forSleepers: 1)
      clock.advance(by: MovieSpaceModel.pause)
      await bench.until { movies.space.time == .seconds(seconds) }
      #expect(movies.remark == remark)
      #expect(bench.model.shutterExplanation == "Record Video (Space). \(sentence)")
    }
    recorder.setRoom(nil)
    await clock.wait(forSleepers: 1)
    clock.advance(by: MovieSpaceModel.pause)
    await bench.until { movies.space.time == nil }
    #expect(movies.remark == nil && bench.model.shutterExplanation == "Record Video (Space)")
    try await bench.end()
  }

  @Test("The disk is looked at in video mode with a camera, when the settings change, and not beside a movie")
  func occasions() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    recorder.setRoom(.seconds(600))
    movies.setMode(.movie)
    await bench.model.start()
    await bench.until { movies.remark == "10 min left" }
    #expect(recorder.roomRequests.first?.folder == bench.library.folder)
    recorder.setRoom(.seconds(300))
    movies.setQuality(.high)
    await bench.until { movies.remark == "5 min left" }
    #expect(recorder.roomRequests.last?.quality == .high)

    await movies.start()
    await bench.until { movies.space.time == nil }
    #expect(movies.remark == "Starting…")
    await clock.wait(forSleepers: 0)
    recorder.end()
    await bench.until { movies.remark == "5 min left" }

    movies.setMode(.photo)
    await bench.until { movies.space.time == nil }
    #expect(movies.remark == nil && bench.model.shutterExplanation == nil)
    await clock.wait(forSleepers: 0)
    movies.setMode(.movie)
    await bench.until { movies.remark == "5 min left" }
    await bench.model.set(.lock, true)
    await bench.until { movies.space.time == nil }
    try await bench.end()
  }
}
