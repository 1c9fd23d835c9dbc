// Decoded pictures whose end is missing.

import CameraCore
import MediaFormats
import Testing

@testable import MediaEngine

@Suite struct JPEGCutCheckTests {
  private func frame() throws -> FrameBlock {
    let frames = try LivePhotoSample.frames(LivePhotoSample.format(), count: 1)
    return try #require(frames.first).block
  }

  @Test func aWholePictureIsNotCut() throws {
    #expect(try JPEGDecoder().isWhole(frame()))
  }

  @Test func halfAPictureIsCutAtEveryScaleAndAsPlanes() throws {
    let half = FrameFlaw.hollow.applied(to: try frame(), time: 0).block
    let decoder = try JPEGDecoder()
    #expect(!decoder.isWhole(half))
    for width in [1, 160, 320, 640] {
      let size = PixelSize(width: width, height: 1)
      _ = try half.withUnsafeBytes { try decoder.decode($0, atLeast: size, quality: .fast) }
      #expect(decoder.isCut, "\(width) wide")
    }
    _ = try half.withUnsafeBytes { try decoder.decodePlanes($0, quality: .fast) }
    #expect(decoder.isCut)
    // The next one is judged by itself.
    #expect(decoder.isWhole(try frame()))
  }

  @Test func aPictureThatLacksItsLastBytesIsWhole() throws {
    let short = try frame().bytes.dropLast(8) + [0xff, 0xd9]
    #expect(try JPEGDecoder().isWhole(Array(short).withUnsafeBytes { FrameBlock(copying: $0) }))
  }

  @Test func bytesTooManyAreNoCut() {
    #expect(!JPEGCutCheck.mayBeAboutTheEnd("Corrupt JPEG data: 3 extraneous bytes before marker 0xd9"))
    #expect(JPEGCutCheck.mayBeAboutTheEnd("Corrupt JPEG data: premature end of data segment"))
    #expect(!JPEGCutCheck.mayBeAboutTheEnd(nil))
  }

  @Test func aCutFrameIsNotShownAndIsCounted() throws {
    let frames = try LivePhotoSample.frames(LivePhotoSample.format(), count: 1)
    var cut = try #require(frames.first)
    cut.block = FrameFlaw.hollow.applied(to: cut.block, time: 0).block
    let renderer = PreviewRenderer()
    #expect(renderer.render(cut, as: .init(target: PixelSize(width: 320, height: 180))) == nil)
    #expect(renderer.foundDamage)
    #expect(renderer.render(frames[0], as: .init(target: PixelSize(width: 320, height: 180))) != nil)
    #expect(!renderer.foundDamage)
  }

  @Test func aCutFrameIsLeftOutOfTheMovie() throws {
    let frames = try LivePhotoSample.frames(LivePhotoSample.format(), count: 1)
    var cut = try #require(frames.first)
    let maker = try MoviePictureMaker(size: cut.size)
    _ = try maker.picture(of: cut)
    cut.block = FrameFlaw.hollow.applied(to: cut.block, time: 0).block
    #expect(throws: JPEGCodecError.self) { try maker.picture(of: cut) }
  }
}
