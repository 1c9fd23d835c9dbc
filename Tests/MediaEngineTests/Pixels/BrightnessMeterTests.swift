// The brightness of frames of every kind.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct BrightnessMeterTests {
  private static let size = PixelSize(width: 64, height: 48)

  /// A frame of one gray.
  private func jpeg(_ level: UInt8, _ subsampling: JPEGDecoder.Subsampling) throws -> CameraFrame {
    let layout = try #require(RawLayout.planar(subsampling, size: Self.size))
    let planes = FrameBlock(count: layout.planarByteCount) { memory in
      for index in memory.indices { memory[index] = index < Self.size.area ? level : 128 }
    }
    let block = try JPEGEncoder().encode(planes: planes, layout: layout, quality: 95)
    return CameraFrame(time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .jpeg, block: block)
  }

  @Test(arguments: [JPEGDecoder.Subsampling.yuv420, .yuv422, .yuv444, .gray], [UInt8(0), 51, 128, 255])
  func ofJPEGs(subsampling: JPEGDecoder.Subsampling, level: UInt8) throws {
    let brightness = try #require(BrightnessMeter.measure(try jpeg(level, subsampling)))
    #expect(abs(brightness.level - Double(level) / 255) < 0.01)
    #expect(brightness.time == MonotonicTime(nanoseconds: 5))
  }

  @Test(arguments: [("YUY2", 16, 0.0), ("YUY2", 235, 1.0), ("YUY2", 126, 0.5), ("BGRx", 0, 0.0), ("BGRx", 255, 1.0)])
  func ofRawFrames(name: String, value: Int, level: Double) throws {
    let pixel = name == "BGRx" ? 4 : 2
    let layout = RawLayout(name: name, size: Self.size, strides: [Self.size.width * pixel], offsets: [0])
    let block = FrameBlock(count: Self.size.area * pixel) { memory in
      for index in memory.indices { memory[index] = pixel == 2 && index % 2 == 1 ? 128 : UInt8(value) }
    }
    let frame = CameraFrame(
      time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .raw(layout), block: block)
    let brightness = try #require(BrightnessMeter.measure(frame))
    #expect(abs(brightness.level - level) < 0.02, "\(brightness.level)")
  }

  @Test("Of faces, only these count; those beyond the frame don't", arguments: ["BGRx", "JPEG"])
  func ofFaces(form: String) throws {
    // The left half is dark, and the right one bright.
    let layout = RawLayout(name: "BGRx", size: Self.size, strides: [Self.size.width * 4], offsets: [0])
    let block = FrameBlock(count: Self.size.area * 4) { memory in
      for index in memory.indices { memory[index] = index / 4 % Self.size.width < 32 ? 51 : 204 }
    }
    var frame = CameraFrame(time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .raw(layout), block: block)
    if form == "JPEG" {
      let image = DecodedImage(size: Self.size, stride: Self.size.width * 4, block: block)
      let jpeg = try JPEGEncoder().encode(image, quality: 95)
      frame = CameraFrame(
        time: frame.time, size: Self.size, content: .jpeg, block: jpeg.withUnsafeBytes { FrameBlock(copying: $0) })
    }
    func level(_ faces: [FoundFace]) throws -> Double {
      try #require(BrightnessMeter.measure(frame, faces: faces)).level
    }
    let left = FoundFace.frontal(x: 0.125, y: 0.25, width: 0.25, height: 0.5)
    let right = FoundFace.frontal(x: 0.625, y: 0.25, width: 0.25, height: 0.5)
    let beyond = FoundFace.frontal(x: 1.1, y: 0.25, width: 0.25, height: 0.5)
    let cases: [([FoundFace], Double)] = [
      ([], 0.5), ([left], 0.2), ([right], 0.8), ([left, right], 0.5), ([beyond], 0.5), ([beyond, left], 0.2),
    ]
    for (faces, expected) in cases { #expect(abs(try level(faces) - expected) < 0.03, "\(faces.map(\.x))") }
  }

  @Test func whatCanNotBeDecodedHasNone() {
    let block = FrameBlock(count: 100) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    let frame = CameraFrame(time: MonotonicTime(nanoseconds: 5), size: Self.size, content: .jpeg, block: block)
    #expect(BrightnessMeter.measure(frame) == nil)
  }
}
