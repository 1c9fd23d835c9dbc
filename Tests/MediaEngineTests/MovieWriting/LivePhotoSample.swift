// Windows of live photos made of the test camera's frames and the test tone, for the tests of the writer.

import CameraCore
import Foundation
import MediaFormats

@testable import MediaEngine

enum LivePhotoSample {
  static let rate = FrameRate(30)
  /// The first frame: 13 frames into a second, so that flash and beep come after 17, 47 and 77 frames.
  static let first: Int64 = 30 * 5_000 + 13

  static func format(_ encoding: FrameEncoding = .motionJPEG, _ size: String = "640x360") -> CameraFormat {
    CameraFormat(encoding: encoding, size: PixelSize(size) ?? PixelSize(width: 640, height: 360), frameRates: [rate])
  }

  /// A window of consecutive frames.
  ///
  /// - Parameters:
  ///   - jitter: Added to the frames' times, in nanoseconds, by the frame's place.
  ///   - sound: The sound's first and last instant, in seconds from the first frame; `nil` for none.
  static func window(
    _ format: CameraFormat = format(), count: Int = 90, still: Int = 45, channels: Int = 1,
    sound: ClosedRange<Double>? = -0.02...3.03, jitter: (Int) -> Int64 = { _ in 0 }
  ) throws -> LiveWindow {
    let frames = try self.frames(format, count: count).enumerated().map { index, frame in
      var frame = frame
      frame.time = frame.time + TimeSpan(nanoseconds: jitter(index))
      return frame
    }
    let session = CameraSession(camera: TestCamera.device, format: format, frameRate: rate)
    let start = TestCamera.time(ofFrame: first, rate: rate)
    return LiveWindow(
      session: session, still: frames[min(still, count - 1)], frames: frames,
      sound: sound.map { chunks(from: start + .seconds($0.lowerBound), to: start + .seconds($0.upperBound), channels) }
        ?? [])
  }

  static func frames(_ format: CameraFormat, count: Int) throws -> [CameraFrame] {
    let renderer = try TestFrameRenderer(format: format, rate: rate)
    return try (0..<Int64(count)).map { index in
      let block = try renderer.makeFrame(number: first + index)
      let time = TestCamera.time(ofFrame: first + index, rate: rate)
      if let layout = renderer.layout {
        return CameraFrame(time: time, size: layout.size, content: .raw(layout), block: block)
      }
      let jpeg = try block.withUnsafeBytes { try JPEGStream.complete($0) }
      return CameraFrame(time: time, size: jpeg.size, content: .jpeg, block: jpeg.block)
    }
  }

  /// The test tone in stretches of 10 ms.
  static func chunks(from start: MonotonicTime, to end: MonotonicTime, _ channels: Int) -> [SoundChunk] {
    let rate = Int64(SoundChunk.sampleRate)
    // 48 samples a millisecond; the instants of these tests lie a few hours after boot.
    var index = start.nanoseconds / 1000 * 48 / 1000
    var chunks: [SoundChunk] = []
    while true {
      let time = MonotonicTime(nanoseconds: index / rate * 1_000_000_000 + index % rate * 1_000_000_000 / rate)
      if time >= end { return chunks }
      let block = FrameBlock(count: 480 * 2 * channels) { memory in
        var samples = [Int16](repeating: 0, count: 480)
        samples.withUnsafeMutableBufferPointer { TestTone.fill($0, from: index) }
        let target = memory.bindMemory(to: Int16.self)
        for sample in 0..<480 {
          for channel in 0..<channels { target[sample * channels + channel] = samples[sample] }
        }
      }
      chunks.append(SoundChunk(time: time, channels: channels, block: block))
      index += 480
    }
  }
}
