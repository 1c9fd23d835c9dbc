// The viewfinder's frames: the right picture at the right size, mirrored on request; and the shot is what was shown.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Preview {
    @Test(
      "A frame has the camera's shape, fits, and is never larger than the camera's",
      arguments: [
        ("1280x720", "640x640", "640x360"), ("1280x720", "4000x4000", "1280x720"), ("640x480", "500x300", "400x300"),
        ("1280x720", "900x600", "900x506"), ("1920x1080", "1x1", "1x1"), ("640x480", "640x480", "640x480"),
      ])
    func shownSize(camera: String, target: String, shown: String) throws {
      let size = try #require(PixelSize(camera)).fitted(into: try #require(PixelSize(target)))
      #expect(size == PixelSize(shown))
    }

    @Test("Every mode of the test camera starts, shows itself, and takes the frame that it shows")
    func everyMode() async throws {
      let fixture = try EngineFixture()
      for (index, format) in TestCamera.formats.enumerated() {
        // Exactly half, a size that has to be scaled, and the camera's own; mirrored every other time.
        let size = [
          PixelSize(width: format.size.width / 2, height: format.size.height), PixelSize(width: 451, height: 400),
          format.size,
        ][index % 3]
        let session = try await fixture.start(format.size.description, format.encoding)
        let painter = SimulatedPainter(fixture.engine.preview, size: size, isMirrored: index % 2 == 1)
        #expect(session.format == format)
        let painting = try #require(await painter.news.first { _ in true })
        #expect(painting.size == format.size.fitted(into: size))
        #expect(painting.number == expectedNumber(painting.time, session), "\(format)")
        let shot = try await ShotRecord(fixture.engine.capture(fixture.settings()))
        #expect(shot.photo?.size == format.size)
        #expect(try shot.number() == expectedNumber(shot.resolved?.stillTime, session), "\(format)")
        painter.stop()
      }
      await fixture.engine.stop()
    }

    /// The greatest age of a press: some way below the engine's memory of what was on screen.
    private static let promptness = CaptureStore.shownMemory - .milliseconds(300)

    @Test("A hundred presses at random instants: each photo is the very frame that was on screen")
    func hundredPresses() async throws {
      let fixture = try EngineFixture()
      let painter = SimulatedPainter(fixture.engine.preview, size: PixelSize(width: 640, height: 360), isMirrored: true)
      let session = try await fixture.start("640x360", .motionJPEG)
      let spacing = CaptureStore.burstSpacing / session.frameRate.framesPerSecond
      var shots: [(expected: UInt32?, record: Task<ShotRecord, any Error>)] = []
      var last: (pressed: MonotonicTime, number: UInt32)?
      var paintings = 0
      for await painting in painter.news {
        paintings += 1
        guard paintings > 3 else { continue }
        // Scattered over the last 60 ms: on this frame, the one before or the one before that.
        let back = Int64(shots.count) * 2_654_435_761 % 60_000_000
        let pressed = painting.shown - TimeSpan(nanoseconds: back)
        // On a busy machine this loop may be seconds late; the engine remembers what was on screen for less.
        if MonotonicTime.now - pressed > Self.promptness { continue }
        let expected = try #require(painter.painting(at: pressed)?.number)
        // Where the painter was held up, the frame on screen has been taken by an earlier press: two that are further apart
        // than a frame are never the same picture.
        if let last, (pressed - last.pressed).seconds >= spacing, expected <= last.number { continue }
        last = (pressed, expected)
        let events = fixture.engine.capture(fixture.settings(pressed: pressed))
        shots.append((expected, Task { try await ShotRecord(events) }))
        if shots.count == 100 { break }
      }
      var hits = 0
      for shot in shots where try await shot.record.value.number() == shot.expected { hits += 1 }
      #expect(hits == 100)
      painter.stop()
      await fixture.engine.stop()
    }

    @Test("When nothing is shown nothing is decoded, and the newest frame is taken")
    func nothingShown() async throws {
      let fixture = try EngineFixture()
      let session = try await fixture.start("640x360", .motionJPEG)
      let shot = try await ShotRecord(fixture.engine.capture(fixture.settings()))
      #expect(try shot.number() == expectedNumber(shot.resolved?.stillTime, session))
      #expect(fixture.engine.preview.statistics.arrived > 0)
      #expect(fixture.engine.preview.statistics.converted == 0)
      await fixture.engine.stop()
    }

    @Test("Frames that the painter keeps stay as they are")
    func keptFrames() async throws {
      let fixture = try EngineFixture()
      let preview = fixture.engine.preview
      preview.setTarget(PixelSize(width: 320, height: 180))
      let (signals, signal) = AsyncStream.makeStream(of: Void.self)
      preview.setFrameHandler { signal.yield() }
      let session = try await fixture.start("640x360", .motionJPEG)
      var kept: [any PreviewFrame] = []
      for await _ in signals {
        if let frame = preview.takeFrame() { kept.append(frame) }
        if kept.count == PreviewPool.capacity { break }
      }
      for frame in kept { #expect(frame.number(isMirrored: false) == expectedNumber(frame.time, session)) }
      // All buffers are out: nothing can be shown until one comes back, and then something is.
      kept.removeAll()
      for await _ in signals {
        if preview.takeFrame() != nil { break }
      }
      preview.setFrameHandler(nil)
      await fixture.engine.stop()
    }
  }
}
