// The sound of a movie out of chunks: gaps, jitter, and another microphone.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct SoundTrackTests {
  private static let start = MonotonicTime(nanoseconds: 5_000_000_000)

  /// A chunk of 10 ms in which every sample of a channel is its value.
  private func chunk(_ index: Int64, _ values: [Int16]) -> SoundChunk {
    let count = SoundChunk.sampleRate / 100
    let block = FrameBlock(count: count * 2 * values.count) { memory in
      for sample in 0..<count {
        for (channel, value) in values.enumerated() {
          memory.storeBytes(of: value, toByteOffset: (sample * values.count + channel) * 2, as: Int16.self)
        }
      }
    }
    return SoundChunk(time: Self.start + .milliseconds(10 * index), channels: values.count, block: block)
  }

  private func values(_ track: SoundTrack, at millisecond: Int) -> [Int16] {
    track.samples.withUnsafeBytes { bytes in
      (0..<track.channels).map { channel in
        let sample = millisecond * SoundChunk.sampleRate / 1000
        return bytes.loadUnaligned(fromByteOffset: (sample * track.channels + channel) * 2, as: Int16.self)
      }
    }
  }

  @Test func gapsAreSilent() throws {
    let track = try #require(
      SoundTrack([chunk(0, [7]), chunk(5, [9])], from: Self.start, to: Self.start + .milliseconds(60)))
    #expect([5, 15, 45, 55].map { values(track, at: $0) } == [[7], [0], [0], [9]])
  }

  /// A microphone was unplugged, and another one with more or fewer channels goes on.
  @Test func anotherMicrophoneIsHeardInTheChannelsOfTheFirst() throws {
    let end = Self.start + .milliseconds(30)
    let stereo = try #require(
      SoundTrack([chunk(0, [100, 200]), chunk(1, [50]), chunk(2, [10, 20])], from: Self.start, to: end))
    #expect([5, 15, 25].map { values(stereo, at: $0) } == [[100, 200], [50, 50], [10, 20]])
    let mono = try #require(SoundTrack([chunk(0, [50]), chunk(1, [100, 200])], from: Self.start, to: end))
    #expect([5, 15, 25].map { values(mono, at: $0) } == [[50], [150], [0]])
  }
}
