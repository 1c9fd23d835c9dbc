// Stills of a dim room: better ones from several frames, and the camera's own wherever there is nothing to gain.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct StillStackingTests {
  private static let size = PixelSize(width: 320, height: 176)

  /// A picture with noise, as a camera compresses it.
  private func picture(light: Double, noise: Double, _ numbers: inout SeededNumbers) throws -> (
    DecodedImage, FrameBlock
  ) {
    let size = Self.size
    let block = FrameBlock(count: size.area * 4) { bytes in
      for index in 0..<size.area {
        let (x, y) = (Double(index % size.width), Double(index / size.width))
        let value = light * (1 + 0.5 * sin(x / 19) * cos(y / 13)) + noise * numbers.bell()
        let byte = UInt8(min(255, max(0, value.rounded())))
        for channel in 0..<3 { bytes[4 * index + channel] = byte }
      }
    }
    let image = DecodedImage(size: size, stride: size.width * 4, block: block)
    let jpeg = try JPEGEncoder().encode(image, quality: 95, subsampling: .yuv422) { FrameBlock(copying: $0) }
    return (image, jpeg)
  }

  private func frames(light: Double, noise: Double, count: Int) throws -> (still: FrameBlock, others: [CameraFrame]) {
    var numbers = SeededNumbers(state: 21)
    let still = try picture(light: light, noise: noise, &numbers).1
    let others = try (0..<count).map { index in
      CameraFrame(
        time: MonotonicTime(nanoseconds: Int64(index)), size: Self.size, content: .jpeg,
        block: try picture(light: light, noise: noise, &numbers).1)
    }
    return (still, others)
  }

  private func psnr(_ jpeg: FrameBlock, _ clean: DecodedImage) throws -> Double {
    let image = try jpeg.withUnsafeBytes { try JPEGDecoder().decode($0) }
    var sum = 0.0
    image.block.withUnsafeBytes { a in
      clean.block.withUnsafeBytes { b in
        for index in 0..<Self.size.area {
          let difference = Double(a[4 * index + 1]) - Double(b[4 * index + 1])
          sum += difference * difference
        }
      }
    }
    return 10 * log10(255 * 255 * Double(Self.size.area) / sum)
  }

  @Test func aDimRoomLosesItsNoise() throws {
    var numbers = SeededNumbers(state: 1)
    let clean = try picture(light: 45, noise: 0, &numbers).0
    let (still, others) = try frames(light: 45, noise: 8, count: 5)
    let result = try #require(try StillStacking.improved(still, by: others))
    #expect(result.frameCount == 6)
    let gain = try psnr(result.jpeg, clean) - psnr(still, clean)
    #expect(gain >= 4, "\(gain) dB")
    let header = try result.jpeg.withUnsafeBytes { try JPEGDecoder().header(of: $0) }
    #expect(header == JPEGDecoder.Header(size: Self.size, subsampling: .yuv422), "as the camera has it")
  }

  @Test(
    "Bright, clean, or with too few frames: the camera's own", arguments: [(150.0, 8.0, 7), (45, 0, 7), (45, 8, 2)])
  func nothingToGain(light: Double, noise: Double, count: Int) throws {
    let (still, others) = try frames(light: light, noise: noise, count: count)
    #expect(try StillStacking.improved(still, by: others) == nil)
  }

  @Test func damagedFramesAndThoseOfAnotherSizeAreLeftOut() throws {
    var (still, others) = try frames(light: 45, noise: 8, count: 6)
    let cut = others[1].block.withUnsafeBytes {
      FrameBlock(copying: UnsafeRawBufferPointer(rebasing: $0[..<($0.count / 2)]))
    }
    others[1].block = cut
    others[3].block = FrameBlock(count: 100) { _ in }
    let result = try #require(try StillStacking.improved(still, by: others))
    #expect(result.frameCount == 5)
    still = FrameBlock(count: 100) { _ in }
    #expect(throws: JPEGCodecError.self) { try StillStacking.improved(still, by: others) }
  }

  @Test("The engine sends the better still after the first, live or not", arguments: [false, true])
  func engine(isLive: Bool) async throws {
    try GStreamerRuntime.start()
    let fixture = try EngineFixture()
    let store = fixture.engine.store
    fixture.engine.prepare(for: .quality)
    store.setLive(isLive)
    store.open(
      CameraSession(camera: TestCamera.device, format: LivePhotoSample.format(), frameRate: FrameRate(10)))
    let start = MonotonicTime.now
    let times = (0..<(isLive ? 34 : 8)).map { start + .milliseconds(100 * Int64($0)) }
    for (time, var frame) in zip(times, try frames(light: 45, noise: 8, count: times.count).others) {
      frame.time = time
      #expect(store.receive(frame))
    }
    var settings = fixture.settings(live: isLive, pressed: start + .milliseconds(isLive ? 1610 : 710))
    for quality in PhotoQuality.allCases {
      settings.quality = quality
      let shot = try await ShotRecord(fixture.engine.capture(settings))
      #expect(shot.names.contains("improved") == (quality == .quality))
      #expect(shot.photo?.frameCount == (quality == .quality ? 8 : 1))
      #expect(shot.resolved?.mayImprove == (quality == .quality))
      #expect((shot.movie != nil) == isLive)
      if quality == .quality {
        // After the first still, so that the strip has its picture at once.
        let order = shot.names.filter { ["thumbnail", "photo", "improved"].contains($0) }
        #expect(order == ["thumbnail", "photo", "improved"])
      }
    }
    store.close()
  }
}
