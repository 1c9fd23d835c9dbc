// Shots and movies of the test camera with 10 bits a sample.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine
@testable import StillCodecs

extension EngineTests {
  @Test(
    "A HEIC keeps 10 bits where they are wanted, also mirrored; a JPEG and other modes have 8",
    .enabled(if: StillCodecs.missingDeepEncoder(for: .heic) == nil, "libheif has no HEVC encoder for 10 bits"))
  func deepStills() async throws {
    let fixture = try EngineFixture()
    let session = try await fixture.engine.start(
      CameraConfiguration(cameraID: CameraDevice.testID, size: PixelSize("640x360"), sizeIsExact: true, isHDR: true))
    #expect(session.isHDR && session.format.encoding == .raw("P010_10LE"))
    var settings = fixture.settings()
    settings.format = .heic
    for isMirrored in [false, true] {
      settings.isMirrored = isMirrored
      settings.pressed = .now
      let photo = try #require(try await ShotRecord(fixture.engine.capture(settings)).photo)
      #expect(photo.format == .heic && photo.size == PixelSize(width: 640, height: 360))
      #expect(try HEIFCodec.bitDepth(of: photo.data) == 10)
    }
    let jpeg = try await ShotRecord(fixture.engine.capture(fixture.settings()))
    let number = try jpeg.number()
    #expect(jpeg.photo?.format == .jpeg && number != nil)
    // Without the wish, the same mode is saved with 8 bits.
    try await fixture.start("640x360", .raw("P010_10LE"))
    settings.pressed = .now
    let plain = try #require(try await ShotRecord(fixture.engine.capture(settings)).photo)
    #expect(try HEIFCodec.bitDepth(of: plain.data) == 8)
    await fixture.engine.stop()
  }
}
