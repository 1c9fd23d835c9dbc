// The switch between photos and movies, and what the shutter does.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

extension MovieModelTests {
  @Test func theModeStaysWhileAMovieIsRecorded() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    movies.setMode(.movie)
    #expect(movies.mode == .movie)
    await movies.start()
    movies.setMode(.photo)
    #expect(movies.mode == .movie)
    #expect(bench.messages.takeNext() != nil)
    recorder.end()
    await bench.until { movies.phase == .idle }
    movies.setMode(.photo)
    #expect(movies.mode == .photo)
    try await bench.end()
  }

  @Test func theModeAndTheQualityAreKept() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    movies.toggleMode()
    movies.setQuality(.compact)
    await bench.settings.saved()
    let later = try await ModelBench(settings: bench.store.load())
    let again = makeModel(later)
    #expect(again.mode == .movie && again.quality == .compact)
    again.toggleMode()
    #expect(again.mode == .photo)
    try await later.end()
    try await bench.end()
  }

  @Test func theShutterDoesWhatTheModeSays() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    await bench.model.start()
    bench.model.pressShutter()
    #expect(bench.captures.count == 1 && movies.phase == .idle)
    #expect(bench.model.shutter.name == "Take Photo" && bench.model.shutterExplanation == nil)
    movies.setMode(.movie)
    #expect(bench.model.shutter.name == "Record Video" && bench.model.shutterExplanation == "Record Video (Space)")
    #expect(bench.model.shutter.look == .movie)
    bench.model.pressShutter()
    while recorder.requests.isEmpty { await Task.yield() }
    #expect(bench.captures.count == 1 && bench.model.shutter.name == "Stop Recording")
    recorder.send(.began(.off))
    await bench.until { movies.phase == .recording }
    bench.model.pressShutter()
    while recorder.calls != ["stop"] { await Task.yield() }
    recorder.send(.ending)
    await bench.until { movies.phase == .finishing }
    #expect(movies.remark == "Finishing the video…" && !movies.showsElapsed)
    #expect(bench.model.shutter == .finishing && !bench.model.shutter.isEnabled)
    bench.model.pressPhoto()
    #expect(bench.captures.count == 2, "a photo needn’t wait for the file of the video")
    recorder.end()
    await bench.until { movies.phase == .idle }
    for capture in bench.captures { capture.sink.finish(throwing: CameraError.notRunning) }
    await bench.until { bench.model.activity == .idle }
    try await bench.end()
  }
}
