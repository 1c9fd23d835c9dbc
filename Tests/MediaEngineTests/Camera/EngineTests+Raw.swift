// Shots with the sensor's own frame.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

extension EngineTests {
  @Test("A shot has the frame of its sensor, of which the picture is made")
  func rawFrame() async throws {
    let fixture = try EngineFixture()
    let session = try await fixture.engine.start(
      CameraConfiguration(cameraID: CameraDevice.testID, size: PixelSize("640x360"), sizeIsExact: true, savesRaw: true))
    #expect(session.savesRaw && session.format.encoding == .bayer("grbg"))
    for isLive in [false, true] {
      _ = await fixture.engine.setLive(isLive, microphone: .none)
      await fixture.engine.waitForPreRoll()
      let shot = try await ShotRecord(fixture.engine.capture(fixture.settings(live: isLive)))
      let photo = try #require(shot.photo)
      let raw = try #require(photo.raw)
      #expect(raw.size == PixelSize(width: 640, height: 360))
      #expect((raw.layout, raw.transfer) == (BayerLayout(pattern: .grbg, bits: 8), .sRGB))
      // The same frame: the means of the colors agree, and so does a coarse picture of the greens.
      let image = try photo.data.withUnsafeBytes { try JPEGDecoder().decode($0) }
      let (sensor, picture) = (Self.means(of: raw), Self.means(of: image))
      for color in 0..<3 { #expect(abs(sensor[color] - picture[color]) < 4, "\(sensor) \(picture)") }
    }
    await fixture.engine.stop()
  }

  @Test("Without the wish the camera is opened in another mode, and shots have no such frame")
  func noRawFrame() async throws {
    let fixture = try EngineFixture()
    let session = try await fixture.start("640x360")
    #expect(!session.savesRaw && session.format.encoding == .motionJPEG)
    #expect(try await ShotRecord(fixture.engine.capture(fixture.settings())).photo?.raw == nil)
    // A mode with the pattern alone doesn't keep them either.
    try await fixture.start("640x360", .bayer("grbg"))
    #expect(try await ShotRecord(fixture.engine.capture(fixture.settings())).photo?.raw == nil)
    await fixture.engine.stop()
  }

  @Test("Rows have GStreamer's padding, or none where the frame is too short for it")
  func sensorRows() {
    let (eight, ten) = (BayerLayout(pattern: .rggb, bits: 8), BayerLayout(pattern: .rggb, bits: 10))
    let size = PixelSize(width: 6, height: 4)
    #expect(SensorTap.stride(of: 32, eight, size) == 8)
    #expect(SensorTap.stride(of: 30, eight, size) == 8)
    #expect(SensorTap.stride(of: 24, eight, size) == 6)
    #expect(SensorTap.stride(of: 23, eight, size) == nil)
    #expect(SensorTap.stride(of: 48, ten, size) == 12)
  }

  @Test("A driver's words decide whether samples are linear")
  func transfer() {
    // linux/videodev2.h: the color spaces sRGB, JPEG and raw, the curves of none and of sRGB.
    #expect(NodeTransfer.transfer(colorSpace: 8, function: 0) == .sRGB)
    #expect(NodeTransfer.transfer(colorSpace: 7, function: 0) == .sRGB)
    #expect(NodeTransfer.transfer(colorSpace: 11, function: 0) == .linear)
    #expect(NodeTransfer.transfer(colorSpace: 0, function: 0) == .linear)
    #expect(NodeTransfer.transfer(colorSpace: 8, function: 5) == .linear)
    #expect(NodeTransfer.transfer(colorSpace: 11, function: 2) == .sRGB)
  }

  /// The mean red, green and blue of a frame of 8 bits.
  private static func means(of frame: BayerFrame) -> [Double] {
    var (sums, counts) = ([0.0, 0, 0], [0.0, 0, 0])
    for (index, sample) in frame.samples.enumerated() {
      let (row, column) = (index / frame.size.width, index % frame.size.width)
      let color = Int(frame.layout.pattern.colors[row % 2 * 2 + column % 2])
      sums[color] += Double(sample)
      counts[color] += 1
    }
    return (0..<3).map { sums[$0] / counts[$0] }
  }

  private static func means(of image: DecodedImage) -> [Double] {
    var sums = [0.0, 0, 0]
    image.block.withUnsafeBytes { bytes in
      for row in 0..<image.size.height {
        for column in 0..<image.size.width {
          for color in 0..<3 { sums[color] += Double(bytes[row * image.stride + column * 4 + 2 - color]) }
        }
      }
    }
    return sums.map { $0 / Double(image.size.area) }
  }
}
