// Mirrored shots: the still and both halves of a live photo, from cameras of either kind.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Mirror {
    /// Whether the bar of the frame number begins at the right: its second cell is light, its last but one is dark.
    private func isMirrored(_ image: DecodedImage) -> Bool {
      func level(ofCell cell: Int) -> Int {
        let x = (FrameNumberMark.start(ofCell: cell, width: image.size.width) + 5)
        let at = (image.size.height - 4) * image.stride + x * 4
        return image.block.withUnsafeBytes { Int($0[at + 1]) }
      }
      return level(ofCell: 1) < level(ofCell: FrameNumberMark.cellCount - 2)
    }

    @Test("The still is mirrored where that is asked for, and only there", arguments: [true, false])
    func still(isMirrored: Bool) async throws {
      for encoding in [FrameEncoding.motionJPEG, nil] {
        let fixture = try EngineFixture()
        try await fixture.start("640x360", encoding)
        var settings = fixture.settings()
        settings.isMirrored = isMirrored
        let record = try await ShotRecord(fixture.engine.capture(settings))
        let jpeg = try #require(record.photo?.data)
        let image = try jpeg.withUnsafeBytes { try JPEGDecoder().decode($0) }
        #expect(FrameNumberMark.read(image) != nil)
        #expect(self.isMirrored(image) == isMirrored)
        await fixture.engine.stop()
      }
    }

    @Test("Both halves of a live photo are mirrored alike", arguments: [true, false])
    func livePhoto(isMirrored: Bool) async throws {
      let fixture = try EngineFixture()
      try await fixture.start("640x360", .motionJPEG)
      await fixture.engine.setLive(true, microphone: .none)
      await fixture.engine.waitForPreRoll()
      var settings = fixture.settings(live: true)
      settings.isMirrored = isMirrored
      let record = try await ShotRecord(fixture.engine.capture(settings))
      let still = try #require(record.photo).data.withUnsafeBytes { try JPEGDecoder().decode($0) }
      #expect(self.isMirrored(still) == isMirrored)
      let read = try LivePhotoReading(try #require(record.movie).url, keeping: [0, 10, 20])
      #expect(read.images.count == 3 && read.images.allSatisfy { self.isMirrored($0) == isMirrored })
      #expect(read.pictures.contains { $0.number == FrameNumberMark.read(still) })
      await fixture.engine.stop()
    }
  }
}
