// The sound track of a movie, assembled from chunks.

import CameraCore

/// The sound of a movie in one block, from the first sample to the last.
struct SoundTrack: Sendable {
  var channels: Int
  /// Interleaved signed 16-bit samples.
  var samples: FrameBlock
  /// Samples a channel.
  var sampleCount: Int { samples.count / (2 * channels) }

  /// A chunk whose time is no further than this from the end of the one before follows it without a gap: timestamps of
  /// sound cards jitter, sound doesn't. In samples; 20 ms.
  static let tolerance = SoundChunk.sampleRate / 50

  /// Cuts the sound between two instants out of recorded chunks. Gaps are silent.
  ///
  /// - Parameter tail: Samples of silence behind the end, for an encoder with a delay.
  /// - Returns: `nil` if there are no chunks in between.
  init?(_ chunks: [SoundChunk], from start: MonotonicTime, to end: MonotonicTime, tail: Int = 0) {
    guard let first = chunks.first, end > start else { return nil }
    let channels = first.channels
    let count = Self.samples(in: end - start)
    var hasSound = false
    var next: Int?
    let block = FrameBlock(count: (count + tail) * channels * 2) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      for chunk in chunks {
        var position = Self.samples(in: chunk.time - start)
        if let next, abs(position - next) <= Self.tolerance { position = next }
        next = position + chunk.sampleCount
        let (from, to) = (max(0, position), min(count, position + chunk.sampleCount))
        guard from < to, let target = memory.baseAddress else { continue }
        hasSound = true
        let frame = channels * 2
        chunk.block.withUnsafeBytes { bytes in
          guard let source = bytes.baseAddress else { return }
          guard chunk.channels == channels else {
            for sample in from..<to {
              for channel in 0..<channels {
                let value = SoundChunk.value(
                  bytes, sample: sample - position, channel: channel, of: chunk.channels, for: channels)
                target.storeBytes(of: value, toByteOffset: (sample * channels + channel) * 2, as: Int16.self)
              }
            }
            return
          }
          (target + from * frame).copyMemory(from: source + (from - position) * frame, byteCount: (to - from) * frame)
        }
      }
    }
    guard hasSound else { return nil }
    self.channels = channels
    samples = block
  }

  /// The nearest whole number of samples.
  private static func samples(in span: TimeSpan) -> Int {
    Int((span.seconds * Double(SoundChunk.sampleRate)).rounded())
  }
}

extension SoundChunk {
  /// A sample of a chunk, in as many channels as the movie has: another microphone may have more or fewer.
  ///
  /// - Parameters:
  ///   - source: Interleaved signed 16-bit samples.
  ///   - present: The channels of the source.
  ///   - wanted: Those of the movie.
  static func value(
    _ source: UnsafeRawBufferPointer, sample: Int, channel: Int, of present: Int, for wanted: Int
  ) -> Int16 {
    func read(_ channel: Int) -> Int16 {
      source.loadUnaligned(fromByteOffset: (sample * present + channel) * 2, as: Int16.self)
    }
    if present == wanted { return read(channel) }
    guard present > 1 else { return read(0) }
    return Int16((Int(read(0)) + Int(read(1))) / 2)
  }
}
