// Frames as small pictures: of JPEGs and raw frames, and what can't be decoded.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct FramePictureTests {
  private static let size = PixelSize(width: 640, height: 480)

  private func color(_ image: DecodedImage) -> [UInt8] {
    image.block.withUnsafeBytes { bytes in
      let at = image.size.height / 2 * image.stride + image.size.width / 2 * 4
      return [bytes[at + 2], bytes[at + 1], bytes[at]]
    }
  }

  @Test func ofJPEGsAtAScale() throws {
    let layout = try #require(RawLayout.planar(.yuv420, size: Self.size))
    let planes = FrameBlock(count: layout.planarByteCount) { memory in
      for index in memory.indices { memory[index] = index < Self.size.area ? 90 : 128 }
    }
    let block = try JPEGEncoder().encode(planes: planes, layout: layout, quality: 95)
    let frame = CameraFrame(time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .jpeg, block: block)
    let image = try #require(FramePicture.decoded(frame, atLeast: PixelSize(width: 300, height: 200)))
    #expect(image.size == PixelSize(width: 320, height: 240))
    #expect(color(image).allSatisfy { abs(Int($0) - 90) < 3 })
  }

  @Test func ofRawFrames() throws {
    let layout = RawLayout(name: "BGRx", size: Self.size, strides: [Self.size.width * 4], offsets: [0])
    let block = FrameBlock(count: Self.size.area * 4) { memory in
      for index in memory.indices { memory[index] = [40, 80, 160, 0][index % 4] }
    }
    let frame = CameraFrame(time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .raw(layout), block: block)
    let image = try #require(FramePicture.decoded(frame, atLeast: PixelSize(width: 10, height: 10)))
    #expect(image.size == Self.size && color(image) == [160, 80, 40])
  }

  @Test func whatCanNotBeDecodedIsNone() {
    let block = FrameBlock(count: 100) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    let frame = CameraFrame(time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .jpeg, block: block)
    #expect(FramePicture.decoded(frame, atLeast: Self.size) == nil)
  }
}
