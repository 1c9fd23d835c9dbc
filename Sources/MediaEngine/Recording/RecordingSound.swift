// The sound track of a recording, pushed to the encoder as it comes.

import CameraCore

/// Turns placed chunks of sound into buffers for the encoder. Not for several threads at once.
///
/// An AAC encoder puts 1024 to 2048 samples in front of what goes in. An edit list would hide them, but not every player
/// reads those, and the muxer writes none. So as many samples of the movie's beginning are left out instead: the rest is
/// in step with the picture in every player, for 21 to 43 ms of silence at the start.
struct RecordingSound {
  /// A part of the track.
  private enum Piece {
    /// So many samples of silence.
    case silence(Int)
    case samples(Range<Int>, SoundChunk)
  }

  private let source: Element
  private let channels: Int
  /// The samples that are left out, and how many of them are still to come.
  private let delay: Int
  private var skipped: Int
  /// Samples that were pushed.
  private var count = 0
  /// The track so far, until the movie's encoder is known to work: the next one would get it again.
  private var kept: [Piece] = []
  private var isEnded = false
  private let progress: MovieProgress
  /// A second of silence, shared by every buffer that needs one.
  private let silence: FrameBlock

  /// - Parameters:
  ///   - delay: Of the encoder, in samples.
  ///   - progress: Of the movie's encoder.
  init(_ source: Element, channels: Int, delay: Int, progress: MovieProgress) {
    (self.source, self.channels, self.delay, skipped) = (source, channels, delay, delay)
    self.progress = progress
    silence = FrameBlock(count: SoundChunk.sampleRate * 2 * channels) {
      $0.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Pushes what a chunk contributes.
  mutating func push(_ steps: [RecordingTimeline.SoundStep], of chunk: SoundChunk) {
    for step in steps {
      switch step {
      case .silence(let count): add(.silence(count))
      case .samples(let range): add(.samples(range, chunk))
      }
    }
  }

  /// Pushes silence.
  ///
  /// - Parameter wanted: Samples.
  mutating func pushSilence(_ wanted: Int) { add(.silence(wanted)) }

  /// Pushes what an encoding got that came to nothing.
  mutating func takeOver(_ earlier: RecordingSound) {
    for piece in earlier.kept { add(piece) }
    if earlier.isEnded { end() }
  }

  private mutating func add(_ piece: Piece) {
    if progress.encoded.load(ordering: .relaxed) > 0 { kept = [] } else { kept.append(piece) }
    switch piece {
    case .silence(let count): fill(count)
    case .samples(let range, let chunk): push(range, of: chunk)
    }
  }

  private mutating func fill(_ wanted: Int) {
    var left = wanted - skip(wanted)
    while left > 0 {
      let piece = min(left, SoundChunk.sampleRate)
      let block =
        piece == SoundChunk.sampleRate
        ? silence
        : FrameBlock(count: piece * 2 * channels) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
      push(block, sampleCount: piece)
      left -= piece
    }
  }

  /// Ends the track. The encoder's delay comes out with the silence at the end.
  mutating func end() {
    isEnded = true
    if skipped > 0 { fill(skipped) }
    fill(delay)
    AppSource.end(source)
  }

  private mutating func push(_ range: Range<Int>, of chunk: SoundChunk) {
    let range = range.dropFirst(skip(range.count))
    guard !range.isEmpty, chunk.channels > 0, range.upperBound <= chunk.sampleCount else { return }
    let channels = channels
    let block = FrameBlock(count: range.count * 2 * channels) { target in
      chunk.block.withUnsafeBytes { source in
        for (index, sample) in range.enumerated() {
          for channel in 0..<channels {
            let value = SoundChunk.value(source, sample: sample, channel: channel, of: chunk.channels, for: channels)
            target.storeBytes(of: value, toByteOffset: (index * channels + channel) * 2, as: Int16.self)
          }
        }
      }
    }
    push(block, sampleCount: range.count)
  }

  private mutating func push(_ block: FrameBlock, sampleCount: Int) {
    AppSource.push(
      block, to: source, time: RecordingTimeline.span(of: count).nanoseconds,
      duration: RecordingTimeline.span(of: sampleCount).nanoseconds)
    count += sampleCount
  }

  /// The number of samples of the next ones to leave out.
  private mutating func skip(_ wanted: Int) -> Int {
    let skips = min(skipped, wanted)
    skipped -= skips
    return skips
  }
}
