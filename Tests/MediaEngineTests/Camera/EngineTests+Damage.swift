// Cameras that send damaged frames, wrong sizes and wrong timestamps.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Damage {
    @Test(
      "A camera that begins to send only damaged frames is lost, and says so",
      arguments: [FrameFlaw.cut, .cutWithEnd, .markerInScan, .size(PixelSize(width: 65_500, height: 65_500))])
    func onlyDamaged(flaw: FrameFlaw) async throws {
      var limits = EngineLimits().times(4)
      limits.stall = .milliseconds(300)
      let fixture = try EngineFixture(limits: limits, fault: .flawed(flaw, after: 5))
      try await fixture.start("640x360", .motionJPEG)
      #expect(await fixture.status { if case .failed(.damagedFrames) = $0 { true } else { false } } != nil)
      #expect(await noPipelineIsLeft())
    }

    @Test("Frames that the viewfinder can't decode are no life either")
    func undecodable() async throws {
      var limits = EngineLimits().times(4)
      limits.stall = .milliseconds(300)
      let fixture = try EngineFixture(limits: limits, fault: .flawed(.hollow, after: 5))
      fixture.engine.preview.setTarget(PixelSize(width: 320, height: 180))
      try await fixture.start("640x360", .motionJPEG)
      #expect(await fixture.status { if case .failed(.damagedFrames) = $0 { true } else { false } } != nil)
    }

    @Test("A camera that sends only damaged frames from the start is given up with the same words")
    func damagedFromTheStart() async throws {
      var limits = EngineLimits()
      limits.firstFrame = .milliseconds(300)
      let fixture = try EngineFixture(limits: limits, fault: .flawed(.cut))
      await #expect(throws: CameraError.damagedFrames(camera: "Test Camera", seconds: 0.3)) {
        try await fixture.start("640x360", .motionJPEG)
      }
      #expect(await noPipelineIsLeft())
    }

    @Test(
      "Frames without an end, or with something before their beginning, are as good as any",
      arguments: [
        FrameFlaw.noEnd, .zerosForEnd, .lead,
      ])
    func repaired(flaw: FrameFlaw) async throws {
      let fixture = try EngineFixture(fault: .flawed(flaw))
      let session = try await fixture.start("640x360", .motionJPEG)
      let shot = try await ShotRecord(fixture.engine.capture(fixture.settings()))
      #expect(try shot.number() == expectedNumber(shot.resolved?.stillTime, session))
      await fixture.engine.stop()
    }

    @Test("A frame with an absurd or another size costs that frame alone", arguments: ["65500x65500", "1280x720"])
    func singleSizes(size: String) async throws {
      let flaw = FrameFlaw.size(try #require(PixelSize(size)))
      let fixture = try EngineFixture(fault: .flawed(flaw, every: 3))
      let session = try await fixture.start("640x360", .motionJPEG)
      let painter = SimulatedPainter(fixture.engine.preview, size: PixelSize(width: 640, height: 360))
      var paintings = 0
      for await painting in painter.news {
        #expect(painting.size == session.format.size)
        let shot = try await ShotRecord(fixture.engine.capture(fixture.settings(pressed: painting.shown)))
        #expect(shot.photo?.size == session.format.size)
        paintings += 1
        if paintings == 10 { break }
      }
      #expect(fixture.engine.status == .running(session))
      painter.stop()
      await fixture.engine.stop()
    }

    @Test("A camera whose frames all have another size than its mode gives pictures of that size")
    func consistentSize() async throws {
      let size = PixelSize(width: 640, height: 352)
      let fixture = try EngineFixture(fault: .flawed(.size(size)))
      try await fixture.start("640x360", .motionJPEG)
      let shot = try await ShotRecord(fixture.engine.capture(fixture.settings()))
      #expect(shot.photo?.size == size && shot.resolved?.size == size)
      await fixture.engine.stop()
    }

    @Test(
      "Whatever the timestamps are, frames flow on",
      arguments: [
        FrameFlaw.stamp(900_000_000), .stamp(-900_000_000), .stamp(-60_000_000_000), .stamp(3_600_000_000_000),
        .noStamp,
      ])
    func timestamps(flaw: FrameFlaw) async throws {
      for every in [1, 4] {
        let fixture = try EngineFixture(fault: .flawed(flaw, after: 5, every: every))
        try await fixture.start("640x360", .motionJPEG)
        let store = fixture.engine.store
        var times: [MonotonicTime] = []
        while times.count < 20 {
          guard let time = store.choose(pressed: .now, isLive: false)?.frame.time else { break }
          if time != times.last {
            #expect(time <= .now && times.last.map { time > $0 } ?? true)
            times.append(time)
          }
          await Task.yield()
        }
        #expect(times.count == 20)
        await fixture.engine.stop()
      }
    }
  }
}
