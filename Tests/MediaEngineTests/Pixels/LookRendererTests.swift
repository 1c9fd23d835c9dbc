// Digital zoom, brightness and contrast of pictures in memory.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct LookRendererTests {
  private static let size = PixelSize(width: 64, height: 32)

  /// Gray, with a white middle of half the sides.
  private func planes(_ layout: RawLayout, inside: UInt8 = 255, outside: UInt8 = 64) -> FrameBlock {
    FrameBlock(count: layout.planarByteCount) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 128)
      for row in 0..<Self.size.height {
        for column in 0..<Self.size.width {
          let isInside = (8..<24).contains(row) && (16..<48).contains(column)
          memory[layout.offsets[0] + row * layout.strides[0] + column] = isInside ? inside : outside
        }
      }
    }
  }

  @Test(arguments: [JPEGDecoder.Subsampling.yuv420, .yuv422, .yuv444, .yuv411, .gray])
  func zoomFillsThePictureWithItsMiddle(_ subsampling: JPEGDecoder.Subsampling) throws {
    let layout = try #require(RawLayout.planar(subsampling, size: Self.size))
    let zoomed = try LookRenderer().render(
      planes(layout), layout: layout, look: FrameLook(zoom: 2), isLimited: false
    ).bytes
    for row in 0..<Self.size.height {
      for column in 0..<Self.size.width { #expect(zoomed[row * layout.strides[0] + column] == 255) }
    }
  }

  @Test func colorsChangeInBothRanges() throws {
    let layout = try #require(RawLayout.planar(.yuv420, size: Self.size))
    let look = FrameLook(brightness: 0.1, contrast: 0.5)
    let full = try LookRenderer().render(planes(layout, inside: 0), layout: layout, look: look, isLimited: false).bytes
    #expect(full[8 * layout.strides[0] + 16] == UInt8((0.35 * 255).rounded()))
    let limited = try LookRenderer().render(planes(layout, inside: 16), layout: layout, look: look, isLimited: true)
    #expect(limited.bytes[8 * layout.strides[0] + 16] == UInt8((16 + 0.35 * 219).rounded()))
    #expect(full[layout.offsets[1]] == 128)
  }

  @Test func packedLayoutsAreRefused() {
    let layout = RawLayout(name: "YUY2", size: Self.size, strides: [128], offsets: [0])
    #expect(throws: JPEGCodecError.self) {
      try LookRenderer().render(
        FrameBlock(count: 4096) { _ in }, layout: layout, look: FrameLook(zoom: 2), isLimited: false)
    }
  }

  @Test("A Motion JPEG camera's still is its own, and made anew only for a look")
  func stills() throws {
    let layout = try #require(RawLayout.planar(.yuv420, size: Self.size))
    let jpeg = try JPEGEncoder().encode(planes: planes(layout), layout: layout, quality: 95)
    var frame = CameraFrame(time: .now, size: Self.size, content: .jpeg, block: jpeg)
    #expect(try StillMaker.jpeg(of: frame) === jpeg)
    frame.look = FrameLook(zoom: 2)
    let still = try StillMaker.jpeg(of: frame)
    let image = try still.withUnsafeBytes { try JPEGDecoder().decode($0) }
    #expect(image.size == Self.size)
    #expect(image.block.bytes.enumerated().allSatisfy { $0.offset % 4 == 3 || $0.element > 240 })
  }

  @Test("The preview, the still and the movie show the same part in the same light", arguments: [true, false])
  func theSameEverywhere(_ isJPEG: Bool) throws {
    let layout = try #require(RawLayout.planar(.yuv420, size: Self.size))
    let planes = planes(layout, inside: 120, outside: 200)
    let block = isJPEG ? try JPEGEncoder().encode(planes: planes, layout: layout, quality: 95) : planes
    var raw = layout
    raw.colorimetry = FrameKeeping.jpegColorimetry
    let frame = CameraFrame(
      time: .now, size: Self.size, content: isJPEG ? .jpeg : .raw(raw), block: block,
      look: FrameLook(zoom: 2, brightness: 0.2))
    let expected = 120 + 0.2 * 255
    let shown = try #require(PreviewRenderer().render(frame, as: .init(target: Self.size)))
    #expect(abs(Double(shown.pixels.load(fromByteOffset: 4 * 70, as: UInt8.self)) - expected) < 6)
    let still = try StillMaker.jpeg(of: frame).withUnsafeBytes { try JPEGDecoder().decode($0) }
    #expect(abs(Double(still.block.bytes[4 * 70]) - expected) < 6)
    let movie = try MoviePictureMaker(size: Self.size).picture(of: frame)
    #expect(abs(Double(movie.bytes[70]) - (16 + expected / 255 * 219)) < 6)
  }
}
