// Movies of the camera that runs: photos meanwhile, pages in front, cameras that go.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Recording {
    private func settings(_ fixture: EngineFixture, _ microphone: MicrophoneChoice = .none) -> RecordingSettings {
      RecordingSettings(folder: fixture.folder, microphone: microphone)
    }

    /// The movie of a recording; `body` is called with its first frame.
    private func movie(
      _ events: AsyncThrowingStream<RecordingEvent, any Error>, whenBegun body: () async throws -> Void
    ) async throws -> RecordedMovie? {
      var movie: RecordedMovie?
      for try await event in events {
        switch event {
        case .began: try await body()
        case .finished(let finished): movie = finished
        case .opened, .hevcUnavailable, .progress, .paused, .resumed, .stabilizationEnded, .ending: break
        }
      }
      return movie
    }

    @Test("A movie with sound, with photos and live photos taken meanwhile")
    func photosMeanwhile() async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      try await fixture.start("640x360", .motionJPEG)
      let events = engine.record(settings(fixture, .device(MicrophoneDevice.testID)))
      let movie = try await movie(events) {
        let first = engine.preview.statistics.arrived
        let shot = try await ShotRecord(engine.capture(fixture.settings()))
        #expect(shot.photo != nil)
        let live = try await ShotRecord(engine.capture(fixture.settings(live: true)))
        #expect(live.movie?.hasSound == true)
        #expect(await eventually { engine.preview.statistics.arrived > first + 60 })
        engine.stopRecording()
      }
      let recorded = try #require(movie)
      #expect(recorded.ending == .stopped && recorded.hasSound)
      let read = try LivePhotoReading(recorded.url)
      #expect(read.pictures.count > 40)
      // On a busy machine frames may be missing; those that are there are in order and in step.
      let numbers = read.pictures.compactMap(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
      #expect(!read.beeps.isEmpty)
      await engine.stop()
      #expect(await noPipelineIsLeft())
      #expect(await eventually { Pipeline.liveCount("recording") == 0 })
    }

    @Test("A movie that begins before the camera's first frame has its sound")
    func beforeTheFirstFrame() async throws {
      let fixture = try EngineFixture(fault: .pauses(after: 0, seconds: 1))
      let engine = fixture.engine
      let start = Task { try await fixture.start("640x360", .motionJPEG) }
      #expect(await eventually { engine.store.withState { $0.session } != nil })
      #expect(engine.status == .starting)
      let movie = try await movie(engine.record(settings(fixture, .device(MicrophoneDevice.testID)))) {
        let first = engine.preview.statistics.arrived
        #expect(await eventually { engine.preview.statistics.arrived > first + 30 })
        engine.stopRecording()
      }
      #expect(movie?.hasSound == true)
      _ = try await start.value
      await engine.stop()
      #expect(await noPipelineIsLeft())
    }

    @Test(
      "A movie as HEVC, and the time that fits on the disk",
      .enabled(if: HEVCRecordingTests.isInstalled, "x265enc or avdec_h265 is not installed"))
    func hevc() async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      var settings = settings(fixture, .device(MicrophoneDevice.testID))
      settings.codec = .hevc
      #expect(await engine.room(for: settings) == nil, "no camera says how large its frames are")
      try await fixture.start("640x360", .motionJPEG)
      let movie = try await movie(engine.record(settings)) {
        let first = engine.preview.statistics.arrived
        #expect(await eventually { engine.preview.statistics.arrived > first + 60 })
        engine.stopRecording()
      }
      let recorded = try #require(movie)
      #expect(try HEVCRecordingTests.isHEVC(recorded.url))
      let read = try LivePhotoReading(recorded.url)
      #expect(read.pictures.count > 20)
      let numbers = read.pictures.compactMap(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
      // The same disk holds more of it.
      let room = try #require(await engine.room(for: settings))
      settings.codec = .h264
      let plain = try #require(await engine.room(for: settings))
      #expect(room > plain)
      await engine.stop()
      #expect(await noPipelineIsLeft())
    }

    @Test("No movie begins in a camera that is about to be closed")
    func aCameraThatIsClosing() async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      await engine.setLive(true, microphone: .none)
      try await fixture.start("640x360", .motionJPEG)
      await engine.waitForPreRoll()
      let shot = Task { try await ShotRecord(engine.capture(fixture.settings(live: true))) }
      #expect(await eventually { engine.store.isGathering })
      let locked = Task { await engine.conceal(.lock) }
      #expect(await fixture.status { $0 == .interrupted(.suspended) } != nil)
      await #expect(throws: CameraError.notRunning) { for try await _ in engine.record(settings(fixture)) {} }
      await locked.value
      #expect(try await shot.value.movie != nil)
      #expect(await noPipelineIsLeft())
      // And back again.
      await engine.reveal(.lock)
      #expect(await fixture.status { if case .running = $0 { true } else { false } } != nil)
      let movie = try await movie(engine.record(settings(fixture))) { engine.stopRecording() }
      #expect(movie?.ending == .stopped)
      await engine.stop()
    }

    @Test("Another page in front closes nothing; the camera closes with the movie's end")
    func anotherPage() async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      try await fixture.start("640x360", .motionJPEG)
      let movie = try await movie(engine.record(settings(fixture))) {
        let hidden = Task { await engine.conceal(.page) }
        #expect(await fixture.status { $0 == .interrupted(.suspended) } != nil)
        let count = engine.store.recorder?.frameCount ?? 0
        #expect(await eventually { (engine.store.recorder?.frameCount ?? 0) > count + 10 })
        engine.stopRecording()
        await hidden.value
      }
      #expect(movie?.ending == .stopped)
      #expect(await noPipelineIsLeft())
    }

    @Test("A locked session ends the movie first", arguments: [CameraStateMachine.Concealment.lock, .sleep, .closing])
    func nobodyIsThere(_ concealment: CameraStateMachine.Concealment) async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      try await fixture.start("640x360", .motionJPEG)
      let movie = try await movie(engine.record(settings(fixture))) { await engine.conceal(concealment) }
      #expect(movie?.ending == .stopped)
      #expect(await noPipelineIsLeft())
    }

    @Test("A camera that is unplugged leaves its movie, and says so")
    func unplugged() async throws {
      let fixture = try EngineFixture(fault: .ends(after: 45))
      try await fixture.start("640x360", .motionJPEG)
      let movie = try await movie(fixture.engine.record(settings(fixture))) {}
      #expect(movie?.ending == .cameraLost)
      #expect(movie?.shortfall != nil)
      await fixture.engine.stop()
    }

    @Test("There is one movie at a time, and none without a camera")
    func oneAtATime() async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      await #expect(throws: CameraError.notRunning) { try await movie(engine.record(settings(fixture))) {} }
      try await fixture.start("640x360", .motionJPEG)
      let first = try await movie(engine.record(settings(fixture))) {
        await #expect { try await movie(engine.record(settings(fixture))) {} } throws: {
          "\($0)".contains("another video")
        }
        engine.stopRecording()
      }
      #expect(first?.ending == .stopped)
      await engine.stop()
    }

    @Test("The microphone of Live stays open after a movie, and a movie's own closes with it")
    func microphones() async throws {
      let fixture = try EngineFixture()
      let engine = fixture.engine
      try await fixture.start("640x360", .motionJPEG)
      let test = MicrophoneChoice.device(MicrophoneDevice.testID)
      _ = try await movie(engine.record(settings(fixture, test))) { engine.stopRecording() }
      #expect(await eventually { Pipeline.liveCount("microphone") == 0 })
      #expect(await engine.setLive(true, microphone: test) == .recording(TestCamera.microphone))
      _ = try await movie(engine.record(settings(fixture, test))) { engine.stopRecording() }
      #expect(engine.store.soundChannels == 1)
      #expect(Pipeline.liveCount("microphone") == 1)
      await engine.stop()
    }
  }
}
