// Shots in other formats than JPEG, from cameras of either kind.

import CameraCore
import Foundation
import MediaFormats
import StillCodecs
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Formats {
    @Test("The still is a file of the wanted format, of the frame that was chosen", arguments: PhotoFormat.ofShots)
    func still(format: PhotoFormat) async throws {
      for encoding in [FrameEncoding.motionJPEG, nil] {
        let fixture = try EngineFixture()
        try await fixture.start("640x360", encoding)
        var settings = fixture.settings()
        settings.format = format
        let record = try await ShotRecord(fixture.engine.capture(settings))
        let photo = try #require(record.photo)
        #expect(photo.format == format && photo.size == PixelSize(width: 640, height: 360))
        let head = try #require(try PictureHead(DataSource(photo.data, name: "shot")))
        #expect(head.format == format && head.size == photo.size)
        // The strip's picture is a JPEG, whatever is saved.
        #expect(photo.thumbnail.starts(with: [0xff, 0xd8]))
        if format != .jpeg {
          let image = try StillCodecs.decode(photo.data, as: format).image
          #expect(FrameNumberMark.read(image) != nil)
        }
        await fixture.engine.stop()
      }
    }

    @Test("A raw frame is mirrored in its new format")
    func mirrored() async throws {
      let fixture = try EngineFixture()
      try await fixture.start("640x360", nil)
      var settings = fixture.settings()
      (settings.format, settings.isMirrored) = (.png, true)
      let photo = try #require(try await ShotRecord(fixture.engine.capture(settings)).photo)
      let image = try StillCodecs.decode(photo.data, as: .png).image
      #expect(FrameNumberMark.read(image.upright(orientation: 2)) != nil)
      await fixture.engine.stop()
    }
  }
}
