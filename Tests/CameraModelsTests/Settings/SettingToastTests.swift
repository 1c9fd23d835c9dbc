// Messages about changed settings.

import CameraCore
import EngineInterface
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct SettingToastTests {
  /// What can be set.
  enum Setter: CaseIterable {
    case countdown, flash, interval, intervalCount, booth, mirror, viewfinderMirror, fileMirror, sounds, codes, guides
    case quality, format, movieQuality, stabilization, microphone, camera, size, raw, lock
  }

  private struct Models {
    let bench: ModelBench
    let movies: MovieModel
    let lock: HiddenLock

    @MainActor init() async throws {
      bench = try await ModelBench()
      movies = MovieModel(
        service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
        messages: bench.messages)
      lock = HiddenLock(settings: bench.settings, prompt: ScriptedPrompt(), messages: bench.messages)
      await bench.model.start()
    }

    /// - Parameter isOther: Whether it gets another value than it has at first, or that one.
    @MainActor func set(_ setter: Setter, isOther: Bool) async {
      let camera = bench.model
      switch setter {
      case .countdown: camera.setDelay(isOther ? .five : .none)
      case .flash: camera.setFlashMode(isOther ? .auto : .off)
      case .interval: camera.setInterval(isOther ? .minute : .none)
      case .intervalCount: camera.setIntervalCount(isOther ? .ten : .unlimited)
      case .booth: camera.setBooth(isOther ? .grid : .off)
      case .mirror: camera.setMirror(isOther ? .files : .viewfinder)
      case .viewfinderMirror: camera.setMirrorsViewfinder(!isOther)
      case .fileMirror: camera.setMirrorsFiles(isOther)
      case .sounds: camera.setPlaysSounds(!isOther)
      case .codes: camera.setLooksForCodes(!isOther)
      case .guides: camera.setGuides(isOther ? .thirds : .off)
      case .quality: camera.setPhotoQuality(isOther ? .speed : .balanced)
      case .format: camera.setPhotoFormat(isOther ? .png : .jpeg)
      case .movieQuality: movies.setQuality(isOther ? .high : .standard)
      case .stabilization: movies.setStabilized(isOther)
      case .microphone: await camera.microphones.select(isOther ? .none : .automatic)
      case .camera: await camera.selectCamera(isOther ? CameraDevice.testID : ScriptedCamera.webcam.id)
      case .size: await camera.selectSize(isOther ? ScriptedCamera.format.size : nil)
      case .raw: await camera.setSavesRaw(isOther)
      case .lock: await lock.setOn(isOther)
      }
    }
  }

  @Test("A changed setting is said in one message, and the same value again isn’t", arguments: Setter.allCases)
  func setter(_ setter: Setter) async throws {
    let models = try await Models()
    let messages = models.bench.messages
    for isOther in [true, false] {
      await models.set(setter, isOther: isOther)
      #expect(messages.messages.map(\.topic) == [.setting], "\(messages.messages)")
      while messages.takeNext() != nil {}
      await models.set(setter, isOther: isOther)
      #expect(messages.messages.isEmpty, "\(messages.messages)")
    }
    try await models.bench.end()
  }

  @Test("Of several settings only the newest message waits, in its place behind the others")
  func newest() async throws {
    let bench = try await ModelBench()
    bench.messages.post("Before.")
    for delay in [ShutterDelay.three, .five] { bench.model.setDelay(delay) }
    bench.messages.post("Between.")
    bench.model.setDelay(.ten)
    #expect(bench.messages.messages.map(\.text) == ["Before.", "Between.", "Countdown: 10 seconds."])
    try await bench.end()
  }
}
