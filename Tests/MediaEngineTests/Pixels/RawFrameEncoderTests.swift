// Stills of raw cameras: the colors of the JPEG are those of the frame, dark and bright alike.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct RawFrameEncoderTests {
  private static let size = PixelSize(width: 640, height: 480)

  /// The same moment as Motion JPEG and as a raw frame made into a JPEG by us must look the same.
  @Test(arguments: ["YUY2", "NV12", "I420"], [nil, "bt601", "1:4:0:0"])
  func aRawStillLooksAsItsFrame(_ name: String, colorimetry: String?) throws {
    try GStreamerRuntime.start()
    let rate = FrameRate(30)
    let format = CameraFormat(encoding: .raw(name), size: Self.size, frameRates: [rate])
    let renderer = try TestFrameRenderer(format: format, rate: rate)
    var layout = try #require(renderer.layout)
    layout.colorimetry = colorimetry
    let frame = CameraFrame(
      time: MonotonicTime(nanoseconds: 0), size: Self.size, content: .raw(layout),
      block: try renderer.makeFrame(number: 1007))
    let still = try StillMaker.jpeg(of: frame)
    let planes = try still.withUnsafeBytes { try JPEGDecoder().decodePlanes($0) }
    let expected = try Self.luma(of: frame, layout: layout)
    let isFull = colorimetry == "1:4:0:0"
    var (sum, darkSum, darkCount) = (0, 0, 0)
    planes.block.withUnsafeBytes { pixels in
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          let got = Int(pixels[planes.layout.offsets[0] + y * planes.layout.strides[0] + x])
          let raw = Int(expected[y * Self.size.width + x])
          let wanted = isFull ? raw : min(max(((raw - 16) * 255 + 109) / 219, 0), 255)
          sum += abs(got - wanted)
          if wanted < 60 {
            darkSum += got - wanted
            darkCount += 1
          }
        }
      }
    }
    #expect(Double(sum) / Double(Self.size.area) < 2)
    #expect(darkCount > 1000)
    #expect(abs(Double(darkSum) / Double(darkCount)) < 1)
  }

  /// The luma samples of a raw frame, without padding.
  private static func luma(of frame: CameraFrame, layout: RawLayout) throws -> [UInt8] {
    let step = layout.name == "YUY2" ? 2 : 1
    return frame.block.withUnsafeBytes { pixels in
      (0..<size.height).flatMap { y in
        (0..<size.width).map { x in pixels[layout.offsets[0] + y * layout.strides[0] + x * step] }
      }
    }
  }
}
