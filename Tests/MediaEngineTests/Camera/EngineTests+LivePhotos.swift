// Live photos: the window around the press, its movie, and everything that can come in between.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct LivePhotos {
    private func startLive(_ fixture: EngineFixture, sound: Bool = true) async throws {
      try await fixture.start("640x360", .motionJPEG)
      await fixture.engine.setLive(true, microphone: sound ? .device(MicrophoneDevice.testID) : .none)
      await fixture.engine.waitForPreRoll()
    }

    @Test("Two overlapping live photos: events in order, three seconds each, the still in the middle, the index first")
    func overlapping() async throws {
      let fixture = try EngineFixture()
      try await startLive(fixture)
      let first = fixture.engine.capture(fixture.settings(live: true))
      let second = fixture.engine.capture(fixture.settings(live: true))
      let (one, two) = try await (ShotRecord(first), ShotRecord(second))
      for record in [one, two] {
        #expect(
          record.names == [
            "willBegin", "willCapture", "didCapture", "thumbnail", "photo", "movieRecorded", "movie",
          ])
        #expect(record.resolved?.isLive == true && record.resolved?.microphone == TestCamera.microphone)
        let movie = try #require(record.movie)
        #expect(abs(movie.duration - 3) <= 0.1)
        #expect(abs(movie.photoDisplayTime - 1.5) <= 0.05)
        #expect(movie.hasSound)
        #expect(movie.url.deletingLastPathComponent().path == fixture.folder.path)
        let bytes = try Data(contentsOf: movie.url)
        #expect(bytes[4..<12] == Data("ftypmp42".utf8))
        let index = try #require(bytes.range(of: Data("moov".utf8)))
        let data = try #require(bytes.range(of: Data("mdat".utf8)))
        #expect(index.lowerBound < data.lowerBound)
      }
      #expect(one.resolved?.id != two.resolved?.id)
      #expect(fixture.files.count == 2)
      await fixture.engine.stop()
      #expect(fixture.engine.ringByteCount == 0)
      #expect(await noPipelineIsLeft())
    }

    @Test("A window holds every frame from 1.5 s before to 1.5 s after, and the sound that goes with it")
    func window() async throws {
      let fixture = try EngineFixture()
      try await startLive(fixture)
      let store = fixture.engine.store
      let choice = try #require(store.choose(pressed: .now, isLive: true))
      let window = try #require(await store.gather(choice.id))
      let numbers = window.frames.map { TestCamera.frameNumber(at: $0.time, rate: window.session.frameRate) }
      // None twice, in order, and none missing unless this machine was held up.
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<))
      let span = (window.frames.last?.time ?? choice.frame.time) - (window.frames.first?.time ?? choice.frame.time)
      #expect(span > .seconds(2.9) && span < .seconds(3))
      #expect(window.frames.contains { $0.time == choice.frame.time })
      let heard = (window.sound.last?.end ?? choice.frame.time) - (window.sound.first?.time ?? choice.frame.time)
      #expect(heard >= .seconds(3) && heard < .seconds(3.1))
      await fixture.engine.stop()
    }

    @Test("A camera that was just opened gives a shorter movie")
    func short() async throws {
      let fixture = try EngineFixture()
      try await fixture.start("640x360", .motionJPEG)
      await fixture.engine.setLive(true, microphone: .none)
      let record = try await ShotRecord(fixture.engine.capture(fixture.settings(live: true)))
      let movie = try #require(record.movie)
      #expect(movie.duration > 1.4 && movie.duration < 2.9)
      #expect(movie.photoDisplayTime < 1.4 && !movie.hasSound)
      await fixture.engine.stop()
    }

    @Test("A camera that is unplugged in the middle gives what there was")
    func unplugged() async throws {
      let fixture = try EngineFixture(fault: .ends(after: 60))
      try await startLive(fixture, sound: false)
      let record = try await ShotRecord(fixture.engine.capture(fixture.settings(live: true)))
      let movie = try #require(record.movie)
      #expect(movie.duration > 1 && movie.duration < 2.5)
      let reason = CameraError.unplugged(camera: "Test Camera").description
      #expect(movie.shortfalls.contains { if case .endsEarly(_, reason) = $0 { true } else { false } })
    }

    @Test("A camera that pauses after the press gives a shorter movie, which says so")
    func paused() async throws {
      var limits = EngineLimits().times(4)
      limits.stall = .seconds(600)
      let fixture = try EngineFixture(limits: limits, fault: .pauses(after: 72, seconds: 3))
      try await startLive(fixture, sound: false)
      let record = try await ShotRecord(fixture.engine.capture(fixture.settings(live: true)))
      let movie = try #require(record.movie)
      // On a slow machine the pause comes before the press.
      #expect(!movie.shortfalls.isEmpty)
      await fixture.engine.stop()
    }

    @Test("Presses while the camera stands still take different frames once it goes on")
    func standingStill() async throws {
      var limits = EngineLimits(staleFrame: .milliseconds(500), nextFrame: .seconds(600))
      limits.stall = .seconds(600)
      let fixture = try EngineFixture(limits: limits, fault: .pauses(after: 20, seconds: 4))
      try await fixture.start("640x360", .motionJPEG)
      let store = fixture.engine.store
      // The camera stands still when a press finds nothing fresh.
      #expect(await eventually { store.choose(pressed: .now, isLive: false) == nil })
      let shots = (0..<4).map { _ in
        let events = fixture.engine.capture(fixture.settings())
        return Task { try await ShotRecord(events) }
      }
      var times: Set<MonotonicTime> = []
      for shot in shots { if let time = try await shot.value.resolved?.stillTime { times.insert(time) } }
      #expect(times.count == 4)
      await fixture.engine.stop()
    }

    @Test("Stopping waits for the shots that are gathering their movies")
    func stopping() async throws {
      let fixture = try EngineFixture()
      try await startLive(fixture)
      let events = fixture.engine.capture(fixture.settings(live: true))
      await fixture.engine.stop()
      #expect(fixture.engine.ringByteCount == 0)
      let movie = try #require(try await ShotRecord(events).movie)
      #expect(abs(movie.duration - 3) <= 0.1)
    }

    @Test("Whoever drops the events gives up the shot")
    func dropped() async throws {
      let fixture = try EngineFixture()
      try await startLive(fixture, sound: false)
      let reader = Task { try await ShotRecord(fixture.engine.capture(fixture.settings(live: true))) }
      #expect(await eventually { fixture.engine.store.isGathering })
      reader.cancel()
      _ = await reader.result
      #expect(await eventually { !fixture.engine.store.isGathering })
      await fixture.engine.stop()
      #expect(fixture.files.isEmpty)
    }

    @Test("A folder that isn't one: the photo comes, the movie's error says why, nothing is left")
    func unwritable() async throws {
      let fixture = try EngineFixture()
      try await startLive(fixture, sound: false)
      var settings = fixture.settings(live: true)
      settings.movieFolder = fixture.folder.appending(path: "a file")
      try Data().write(to: settings.movieFolder)
      var photo: CapturedPhoto?
      do {
        for try await event in fixture.engine.capture(settings) {
          if case .photo(let taken) = event { photo = taken }
        }
        Issue.record("the movie was written")
      } catch {
        guard case CameraError.movieFailed = error else {
          Issue.record("\(error)")
          return
        }
      }
      #expect(photo != nil)
      #expect(fixture.files == ["a file"])
      await fixture.engine.stop()
    }

    @Test("Thirty photos in a second are thirty photos, and the preview loses none of its frames")
    func burst() async throws {
      let fixture = try EngineFixture()
      try await fixture.start("1280x720", .motionJPEG)
      let painter = SimulatedPainter(fixture.engine.preview, size: PixelSize(width: 640, height: 360))
      var shots: [Task<ShotRecord, any Error>] = []
      for await painting in painter.news {
        let events = fixture.engine.capture(fixture.settings(pressed: painting.shown))
        shots.append(Task { try await ShotRecord(events) })
        if shots.count == 30 { break }
      }
      var numbers: Set<UInt32> = []
      for shot in shots {
        if let number = try await shot.value.number() { numbers.insert(number) }
      }
      #expect(numbers.count == 30)
      painter.stop()
      await fixture.engine.stop()
    }
  }
}
