// Microphones that fall silent and sound servers that hang, beside a camera that works.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Sound {
    @Test("A microphone that falls silent is opened again without a word, then told, then tried again")
    func fallsSilent() async throws {
      var limits = EngineLimits().times(4)
      limits.soundStall = .milliseconds(300)
      let fixture = try EngineFixture(limits: limits, fault: .toneFallsSilent(after: 40))
      let notices = fixture.engine.notices()
      try await fixture.start("640x360", .motionJPEG)
      let tone = LiveSound.recording(TestCamera.microphone)
      #expect(await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID)) == tone)
      var seen: [LiveSound] = []
      for await notice in notices {
        if case .sound(let sound) = notice { seen.append(sound) }
        if seen.count == 4 { break }
      }
      try #require(seen.count == 4)
      #expect(seen[0] == .off && seen[1] == tone && seen[3] == tone)
      guard case .silent(let reason) = seen[2] else {
        Issue.record("\(seen[2])")
        return
      }
      #expect(reason.contains("Test Tone") && reason.contains("0.3 seconds"))
      await fixture.engine.stop()
      #expect(await noPipelineIsLeft())
    }

    @Test("A sound server that hangs while it is opened holds up neither camera nor shots, and is left alone")
    func hangs() async throws {
      let pipe = try NamedPipe()
      var limits = EngineLimits().times(4)
      limits.firstSound = .milliseconds(100)
      let fixture = try EngineFixture(limits: limits, fault: .hangingTone(pipe: pipe.path))
      try await fixture.start("640x360", .motionJPEG)
      var reasons: [String] = []
      for _ in 0..<4 {
        let sound = await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID))
        guard case .silent(let reason) = sound else { continue }
        reasons.append(reason)
        let record = try await ShotRecord(fixture.engine.capture(fixture.settings()))
        #expect(record.photo != nil)
      }
      #expect(reasons.count == 4)
      #expect(reasons.first?.contains("sends no sound") == true)
      #expect(reasons.last?.contains("isn’t responding") == true)
      #expect(Pipeline.liveCount("microphone") <= 2)
      #expect(await fixture.engine.setLive(false, microphone: .automatic) == .off)
      await fixture.engine.stop()
      #expect(
        await eventually {
          pipe.releaseReaders()
          return Pipeline.liveCount("microphone") == 0
        })
      #expect(await noPipelineIsLeft())
    }

    @Test("A sound server that doesn't answer is named as that, and its devices are found when it does")
    func namesTheServer() async throws {
      let gate = DispatchSemaphore(value: 0)
      let watcher = DeviceWatcher(
        patience: .milliseconds(20),
        findSource: { server in
          if server == .pulse { gate.wait() }
          return nil
        }
      ) { _ in }
      let driver = MicrophoneDriver(
        store: CaptureStore(), board: NoticeBoard(), levels: SoundLevels(), watcher: watcher, limits: EngineLimits(),
        fault: .none)
      await driver.cameraDelivers(true)
      guard case .silent(let hangs) = await driver.setLive(true, .automatic) else {
        Issue.record("There is no microphone.")
        return
      }
      #expect(hangs.contains("the sound server isn’t responding"), "\(hangs)")
      gate.signal()
      #expect(await eventually { !watcher.isWaiting(for: .pulse) })
      // Asked again, and refused at once; or a little later, on a busy machine.
      for _ in 0..<100 { gate.signal() }
      var reason = hangs
      for _ in 0..<50 where reason == hangs {
        guard case .silent(let text) = await driver.setLive(true, .device("away")) else {
          Issue.record("There is a microphone.")
          return
        }
        reason = text
      }
      #expect(reason.contains("There is no microphone “away”"), "\(reason)")
      _ = await driver.setLive(false, .automatic)
    }

    @Test("A movie changes its microphone when another one is chosen, whether Live is on or off")
    func changesTheMovies() async throws {
      let driver = MicrophoneDriver(
        store: CaptureStore(), board: NoticeBoard(), levels: SoundLevels(), watcher: DeviceWatcher { _ in },
        limits: EngineLimits().times(4), fault: .none)
      await driver.cameraDelivers(true)
      let tone = LiveSound.recording(TestCamera.microphone)
      #expect(await driver.setLive(true, .device(MicrophoneDevice.testID)) == tone)
      #expect(await driver.setLive(false, .none) == .off)
      #expect(await driver.setRecording(.device(MicrophoneDevice.testID)) == tone)
      _ = await driver.setLive(false, .none)
      guard case .silent = await driver.setLive(true, .none) else {
        Issue.record("It still listens.")
        return
      }
      #expect(await driver.setRecording(nil) != tone)
      await driver.cameraDelivers(false)
      await driver.waitUntilClosed()
      #expect(await noPipelineIsLeft())
    }

    @Test("The level is that of the tone, is measured for listeners, and ends with the microphone")
    func level() async throws {
      let fixture = try EngineFixture()
      let levels = fixture.engine.soundLevels()
      try await fixture.start("640x360", .motionJPEG)
      await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID))
      var loudest = SoundLevel()
      var beeps = 0
      for await case let level? in levels {
        // The beep is at -9 dBFS. A stretch that it begins or ends in is quieter, and a busy listener misses some.
        if level.decibels > loudest.decibels { loudest = level }
        if level.decibels > -20 { beeps += 1 }
        if loudest.decibels > -10 || beeps == 100 { break }
      }
      #expect((-10 ... -8).contains(loudest.decibels) && !loudest.isOverloaded, "\(loudest)")
      let after = fixture.engine.soundLevels()
      await fixture.engine.setLive(false, microphone: .automatic)
      for await level in after where level == nil { break }
      await fixture.engine.stop()
    }

    @Test(
      "A movie waits for a sound server that hangs neither at its beginning nor at its end, and has a track for its sound",
      arguments: [false, true])
    func movieDoesNotWait(isLive: Bool) async throws {
      let pipe = try NamedPipe()
      var limits = EngineLimits().times(4)
      (limits.recordingSound, limits.firstSound) = (.milliseconds(20), .seconds(60))
      let fixture = try EngineFixture(limits: limits, fault: .hangingTone(pipe: pipe.path))
      try await fixture.start("640x360", .motionJPEG)
      let test = MicrophoneChoice.device(MicrophoneDevice.testID)
      if isLive {
        // Its microphone goes on hanging when the movie has ended.
        Task { await fixture.engine.setLive(true, microphone: test) }
        #expect(await eventually { Pipeline.liveCount("microphone") == 1 })
      }
      let events = fixture.engine.record(RecordingSettings(folder: fixture.folder, microphone: test))
      var movie: RecordedMovie?
      for try await event in events {
        switch event {
        case .began(let sound):
          #expect(sound == .awaited)
          fixture.engine.stopRecording()
        case .finished(let finished): movie = finished
        default: break
        }
      }
      #expect(movie?.hasSound == true && movie?.ending == .stopped)
      await fixture.engine.stop()
      #expect(
        await eventually {
          pipe.releaseReaders()
          return Pipeline.liveCount("microphone") == 0
        })
    }

    @Test("A microphone that is turned off while it opens is no fault of the camera")
    func turnedOff() async throws {
      let pipe = try NamedPipe()
      var limits = EngineLimits().times(4)
      limits.firstSound = .seconds(600)
      let fixture = try EngineFixture(limits: limits, fault: .hangingTone(pipe: pipe.path))
      let (engine, store) = (fixture.engine, fixture.engine.store)
      try await fixture.start("640x360", .motionJPEG)
      let opening = Task { await engine.setLive(true, microphone: .device(MicrophoneDevice.testID)) }
      #expect(await eventually { store.soundChannels == nil && store.withState { $0.microphone != nil } })
      let choice = try #require(store.choose(pressed: .now, isLive: true))
      #expect(choice.microphone != nil)
      #expect(await engine.setLive(false, microphone: .automatic) == .off)
      _ = await opening.value
      let window = try #require(await store.gather(choice.id))
      #expect(window.shortfalls.contains { if case .soundMissing = $0 { true } else { false } })
      #expect(!window.shortfalls.contains { $0.description.contains(CameraError.notRunning.description) })
      await engine.stop()
      #expect(
        await eventually {
          pipe.releaseReaders()
          return Pipeline.liveCount("microphone") == 0
        })
    }

    @Test("A live photo whose microphone fell silent is not held up, and says that sound is missing")
    func missingSound() async throws {
      var limits = EngineLimits().times(4)
      limits.soundStall = .milliseconds(800)
      let fixture = try EngineFixture(limits: limits, fault: .toneFallsSilent(after: 230))
      try await fixture.start("640x360", .motionJPEG)
      await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID))
      await fixture.engine.waitForPreRoll()
      let store = fixture.engine.store
      let choice = try #require(store.choose(pressed: .now, isLive: true))
      let window = try #require(await store.gather(choice.id))
      // On a machine that is held up for seconds, the press may come when no sound was promised any more.
      if choice.microphone != nil {
        #expect(window.shortfalls.count == 1, "\(window.shortfalls)")
        #expect(window.shortfalls.first?.description.contains("Sound is missing") == true)
      }
      await fixture.engine.stop()
    }
  }
}
