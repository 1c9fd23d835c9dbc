// The microphone's choice: what is offered, what is said when it is away or silent, and its level.

import CameraCore
import EngineInterface
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct MicrophoneModelTests {
  private static let desk = MicrophoneDevice(
    id: "usb-desk", name: "Desk Microphone", kind: .pulse(source: "usb-desk"), isDefault: false)

  private func titles(_ model: CameraModel) -> [String] { model.microphones.rows.map(\.title) }

  private func bench(_ choice: MicrophoneChoice = .automatic, name: String? = nil) async throws -> ModelBench {
    var settings = AppSettings()
    (settings.microphone, settings.microphoneName) = (choice, name)
    let bench = try await ModelBench(settings: settings)
    bench.camera.with { $0.devices.microphones = [ScriptedCamera.microphone, Self.desk] }
    await bench.model.start()
    await bench.until { bench.model.microphones.rows.count > 2 }
    return bench
  }

  @Test func offersTheDesktopsDefaultFirstAndFollowsWhatIsPluggedIn() async throws {
    let bench = try await bench()
    #expect(titles(bench.model) == ["Automatic (Mic)", "Mic", "Desk Microphone", "None"])
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam], microphones: [Self.desk]))
    await bench.until { bench.model.microphones.rows.count == 3 }
    #expect(titles(bench.model) == ["Automatic (Desk Microphone)", "Desk Microphone", "None"])
    try await bench.end()
  }

  @Test func oneThatWasChosenAndIsAwayStaysInTheListByItsName() async throws {
    let bench = try await bench()
    await bench.model.microphones.select(.device(Self.desk.id))
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam], microphones: [ScriptedCamera.microphone]))
    await bench.until { bench.model.microphones.rows.contains { !$0.isConnected } }
    #expect(titles(bench.model) == ["Automatic (Mic)", "Mic", "Desk Microphone (Not Connected)", "None"])
    await bench.settings.saved()
    #expect(bench.store.load().microphone == .device("usb-desk"))
    #expect(bench.store.load().microphoneName == "Desk Microphone")
    try await bench.end()
  }

  @Test("A microphone that is chosen in a movie without sound isn't heard, and that is said", arguments: [false, true])
  func aMovieWithoutSoundStaysSilent(isLive: Bool) async throws {
    let bench = try await bench(.none)
    let recorder = ScriptedRecorder()
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    if isLive { await bench.model.live.setOn(true) }
    await movies.start()
    recorder.send(.began(.off))
    await bench.until { movies.phase == .recording }
    while bench.messages.takeNext() != nil {}
    await bench.model.microphones.select(.device(Self.desk.id))
    #expect(bench.messages.takeNext()?.text.hasPrefix("This video has no sound.") == true)
    // The resting Live opens it.
    bench.camera.say(.sound(.recording(Self.desk)))
    await bench.until { bench.model.microphones.recording == Self.desk }
    #expect(bench.model.microphones.explanation.hasPrefix("This video has no sound."))
    recorder.end()
    await movies.waitForEnd()
    #expect(!bench.model.microphones.explanation.contains("This video"))
    // One with sound follows the choice.
    await movies.start()
    recorder.send(.began(.recording(Self.desk)))
    await bench.until { movies.phase == .recording }
    while bench.messages.takeNext() != nil {}
    await bench.model.microphones.select(.automatic)
    #expect(bench.messages.takeNext()?.text == "Microphone: Automatic (Mic).")
    recorder.end()
    await movies.waitForEnd()
    try await bench.end()
  }

  @Test func theReplacementOfOneThatIsAwayIsSaidOnce() async throws {
    let bench = try await bench(.device("usb-desk"), name: "Desk Microphone")
    for _ in 0..<2 {
      bench.camera.say(.sound(.recording(ScriptedCamera.microphone)))
      bench.camera.say(.sound(.off))
    }
    bench.camera.say(.sound(.recording(ScriptedCamera.microphone)))
    await bench.until { bench.model.microphones.recording == ScriptedCamera.microphone }
    bench.camera.say(.sound(.recording(Self.desk)))
    await bench.until { bench.model.microphones.recording == Self.desk }
    #expect(bench.messages.messages.count == 1)
    let text = try #require(bench.messages.takeNext()?.text)
    #expect(text.contains("“Desk Microphone” isn’t connected") && text.contains("“Mic”"))
    // It came back; the next time is said again.
    bench.camera.say(.sound(.recording(ScriptedCamera.microphone)))
    await bench.until { !bench.messages.messages.isEmpty }
    try await bench.end()
  }

  @Test func whatIsChosenAutomaticallyIsNoReplacement() async throws {
    let bench = try await bench()
    bench.camera.say(.sound(.recording(Self.desk)))
    await bench.until { bench.model.microphones.recording == Self.desk }
    #expect(bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func silenceIsSaidOnceAndExplained() async throws {
    let bench = try await bench()
    bench.camera.with { $0.sound = .recording(ScriptedCamera.microphone) }
    await bench.model.live.setOn(true)
    bench.camera.say(.silence(ScriptedCamera.microphone))
    bench.camera.say(.silence(ScriptedCamera.microphone))
    await bench.until { bench.model.microphones.silent != nil }
    let words = "The microphone “Mic” is silent. It may be muted in the system’s settings."
    #expect(bench.messages.takeNext()?.text == words)
    #expect(bench.model.microphones.explanation == words)
    #expect(
      bench.model.live.explanation
        == "Live is on, but the microphone “Mic” is silent. It may be muted in the system’s settings.")
    bench.camera.say(.silence(nil))
    await bench.until { bench.model.microphones.silent == nil }
    #expect(bench.messages.messages.isEmpty)
    #expect(bench.model.microphones.explanation == "Sound comes from “Mic”.")
    try await bench.end()
  }

  @Test func levelsAreMeasuredForThoseWhoLookOnly() async throws {
    let bench = try await bench()
    let microphones = bench.model.microphones
    #expect(bench.camera.with { $0.levelSinks.isEmpty })
    microphones.follow()
    microphones.follow()
    let loud = SoundLevel(decibels: -6)
    #expect(bench.camera.with { $0.levelSinks.count == 1 })
    bench.camera.say(level: loud)
    await bench.until { microphones.level == loud }
    microphones.unfollow()
    #expect(microphones.level == loud, "somebody still looks")
    microphones.unfollow()
    #expect(microphones.level == nil)
    for await _ in bench.camera.with({ $0.levelEnds.stream }) { break }
    try await bench.end()
  }

  @Test func theMicrophoneOfAMovieIsChangedWithoutLive() async throws {
    let bench = try await bench()
    await bench.model.microphones.select(.device("mic"))
    #expect(bench.camera.with { $0.microphone == nil }, "nobody listens")
    bench.model.live.setResting(.movie, true)
    bench.camera.say(.sound(.recording(ScriptedCamera.microphone)))
    await bench.until { bench.model.live.sound == .recording(ScriptedCamera.microphone) }
    await bench.model.microphones.select(.device(Self.desk.id))
    #expect(bench.camera.with { $0.microphone == .device("usb-desk") && !$0.isLive })
    #expect(bench.model.live.sound == .recording(ScriptedCamera.microphone), "the engine will tell")
    try await bench.end()
  }

  @Test func aMovieSaysItselfThatItsMicrophoneFellSilent() async throws {
    let bench = try await bench()
    bench.model.live.setResting(.movie, true)
    bench.camera.say(.sound(.silent(reason: "It broke.")))
    await bench.until { bench.model.live.sound == .silent(reason: "It broke.") }
    #expect(bench.messages.messages.isEmpty)
    try await bench.end()
  }
}
