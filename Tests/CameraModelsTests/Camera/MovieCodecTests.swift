// The codec of movies: chosen, remembered, asked for, and named where it can't be had.

import CameraCore
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MovieCodecTests {
  private let recorder = ScriptedRecorder()

  private func makeModel(_ bench: ModelBench) -> MovieModel {
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    return movies
  }

  @Test("The choice is said, kept and asked for")
  func choice() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    #expect(movies.codec == .automatic)
    movies.setCodec(.hevc)
    #expect(bench.messages.takeNext()?.text == "Videos are now recorded as HEVC.")
    #expect(movies.codecNote.contains("half the size"))
    movies.setCodec(.hevc)
    #expect(bench.messages.takeNext() == nil, "nothing has changed")
    await bench.settings.saved()
    #expect(bench.store.load().movieCodec == .hevc)
    await movies.start()
    #expect(recorder.requests.first?.codec == .hevc)
    recorder.send(.hevcUnavailable(reason: "It broke."))
    await bench.until { !bench.messages.messages.isEmpty }
    #expect(bench.messages.takeNext()?.text == "The video is recorded as H.264 instead of HEVC. It broke.")
    recorder.end()
    await bench.until { movies.phase == .idle }
    movies.setCodec(.h264)
    #expect(bench.messages.takeNext()?.text == "Videos are now recorded as H.264.")
    await movies.start()
    #expect(recorder.requests.last?.codec == .h264)
    recorder.end()
    await bench.until { movies.phase == .idle }
    try await bench.end()
  }

  @Test("One without an encoder names the package, and can be chosen for later")
  func missing() async throws {
    let bench = try await ModelBench()
    let movies = makeModel(bench)
    #expect(movies.codecs.map(\.title) == ["Automatic", "H.264", "HEVC"])
    recorder.setHEVCRefusal(
      .missingPlugin(element: "x265enc", package: "gstreamer1.0-plugins-bad", purpose: .hevc))
    #expect(
      movies.codecs.map(\.title)
        == ["Automatic", "H.264", "HEVC (not available: install gstreamer1.0-plugins-bad)"])
    movies.setCodec(.hevc)
    #expect(movies.codec == .hevc)
    let text = try #require(bench.messages.takeNext()?.text)
    #expect(text.hasPrefix("Videos are recorded as H.264 until HEVC is available.") && text.contains("plugins-bad"))
    #expect(movies.codecNote.hasPrefix("Videos are recorded as H.264 until"))
    try await bench.end()
  }
}
