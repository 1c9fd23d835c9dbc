// The test camera's controls, and PhotoMe's own, in the pictures of the running camera.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Controls {
    /// The brightness of a photo that is taken now: of its darkest and of its brightest point, without the last rows.
    private func levels(_ fixture: EngineFixture) async throws -> ClosedRange<UInt8> {
      let shot = try await ShotRecord(fixture.engine.capture(fixture.settings()))
      let jpeg = try #require(shot.photo?.data)
      let image = try jpeg.withUnsafeBytes { try JPEGDecoder().decode($0) }
      #expect(image.size == PixelSize("640x360"))
      let bytes = image.block.bytes.prefix(image.stride * 320)
      let greens = stride(from: 1, to: bytes.count, by: 4).map { bytes[$0] }
      return (greens.min() ?? 0)...(greens.max() ?? 255)
    }

    @Test("Controls of the test camera change what it sends", arguments: [FrameEncoding.motionJPEG, .raw("YUY2")])
    func hardware(_ encoding: FrameEncoding) async throws {
      let fixture = try EngineFixture()
      try await fixture.start("640x360", encoding)
      #expect(try await levels(fixture).count > 60)
      // Without any contrast, all is the same gray.
      _ = try await fixture.engine.controls.set([ControlValue("contrast", 0)], of: TestCamera.device)
      #expect(await eventually { ((try? await levels(fixture))?.count ?? 256) < 16 })
      _ = try await fixture.engine.controls.reset(TestCamera.device)
      #expect(await eventually { ((try? await levels(fixture))?.count ?? 0) > 60 })
      await fixture.engine.stop()
    }

    @Test("The zoom and the colors of another camera change nothing, from the first frame on")
    func softwareOfAnother() async throws {
      let fixture = try EngineFixture()
      let other = CameraDevice(id: "other", name: "Other", kind: .v4l2(path: "/dev/null"), formats: [])
      fixture.engine.controls.setLook(FrameLook(contrast: 0), of: other)
      try await fixture.start("640x360", .motionJPEG)
      #expect(try await levels(fixture).count > 60)
      await fixture.engine.stop()
    }

    @Test("PhotoMe's own controls change the photo", arguments: [FrameEncoding.motionJPEG, .raw("NV12")])
    func software(_ encoding: FrameEncoding) async throws {
      let fixture = try EngineFixture()
      fixture.engine.controls.setLook(FrameLook(zoom: 2, brightness: 0.3, contrast: 0), of: TestCamera.device)
      try await fixture.start("640x360", encoding)
      let changed = try await levels(fixture)
      #expect(changed.count < 16 && changed.contains(204))
      fixture.engine.controls.setLook(FrameLook(), of: TestCamera.device)
      #expect(await eventually { ((try? await levels(fixture))?.count ?? 0) > 60 })
      await fixture.engine.stop()
    }
  }
}
