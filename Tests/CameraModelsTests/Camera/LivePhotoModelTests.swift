// The Live toggle: remembered, explained, and honest about sound.

import CameraCore
import CameraModels
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct LivePhotoModelTests {
  @Test func isRememberedAndRestored() async throws {
    let first = try await ModelBench()
    await first.model.start()
    await first.model.live.toggle()
    #expect(first.model.live.isOn)
    await first.settings.saved()
    let second = try await ModelBench(settings: first.store.load())
    await second.model.start()
    #expect(second.model.live.isOn)
    #expect(second.camera.with { $0.isLive })
    await second.model.live.toggle()
    await second.settings.saved()
    #expect(!second.store.load().isLiveOn)
    try await first.end()
    try await second.end()
  }

  @Test func isRestoredBeforeMissingPartsAreKnownAndBesideAMovie() async throws {
    var settings = AppSettings()
    settings.isLiveOn = true
    let bench = try await ModelBench(settings: settings)
    let movies = MovieModel(
      service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    await movies.start()
    bench.camera.missingPartsAreAsked = { [live = bench.model.live] in #expect(live.isOn) }
    await bench.model.start()
    #expect(bench.model.live.isOn && !bench.model.live.isActive, "it is on, and rests")
    #expect(bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func saysWhyItCanNotBeOn() async throws {
    var settings = AppSettings()
    settings.isLiveOn = true
    let bench = try await ModelBench(settings: settings)
    bench.camera.with { $0.capability = .unavailable(reason: "Install an encoder.") }
    await bench.model.start()
    #expect(!bench.model.live.isOn)
    #expect(!bench.model.live.isAvailable)
    #expect(bench.model.live.explanation == "Install an encoder.")
    await bench.model.live.toggle()
    #expect(!bench.model.live.isOn)
    #expect(bench.messages.takeNext()?.text == "Install an encoder.")
    try await bench.end()
  }

  @Test func worksWithoutSoundAndSaysSo() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.sound = .silent(reason: "no microphone was found") }
    await bench.model.start()
    await bench.model.live.setOn(true)
    #expect(bench.model.live.isOn)
    #expect(bench.messages.takeNext()?.text.contains("no microphone was found") == true)
    #expect(bench.model.live.explanation.contains("no microphone was found"))
    try await bench.end()
  }

  @Test func someoneWhoChoseNoMicrophoneIsNotToldSo() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.sound = .silent(reason: "no microphone is chosen") }
    await bench.model.start()
    await bench.model.microphones.select(.none)
    await bench.model.live.setOn(true)
    #expect(bench.messages.messages.map(\.text) == ["Microphone: None."])
    try await bench.end()
  }

  @Test func followsAMicrophoneThatGoesAway() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.sound = .recording(ScriptedCamera.microphone) }
    await bench.model.start()
    await bench.model.live.setOn(true)
    #expect(bench.model.live.sound == .recording(ScriptedCamera.microphone))
    bench.camera.say(.sound(.silent(reason: "it was unplugged")))
    await bench.until { bench.model.live.sound == .silent(reason: "it was unplugged") }
    #expect(bench.messages.takeNext()?.text.contains("it was unplugged") == true)
    try await bench.end()
  }
}
