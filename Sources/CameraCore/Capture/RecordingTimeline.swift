// The time axis of a movie that is being recorded: pauses are cut out, and the sound follows the picture's clock.

/// Maps instants of frames and sound onto the movie's time, which begins with zero.
///
///     var timeline = RecordingTimeline(origin: .now)
///     timeline.place(frameAt: frame.time)                 // the frame's time in the movie; nil in a pause
///     timeline.pause(at: pressed)
///     timeline.resume(at: later)                          // the movie goes on where it paused
///     for step in timeline.place(soundAt: chunk.time, sampleCount: chunk.sampleCount) { … }
///
/// Frames keep their distances, and their times only grow. Sound comes out without a gap: where none came there is
/// silence, and what came twice is dropped. A sound card counts its 48 000 samples a second by a crystal of its own, which
/// runs some 20 to 200 millionths faster or slower than the clock of the frames; in half an hour that would be 36 to 360 ms.
/// So single samples are repeated or left out, which nobody hears, as soon as the sound is half a millisecond early or
/// late on average. (Time stamps of single chunks jitter by more.)
///
/// Not safe for use from several threads at once.
public struct RecordingTimeline: Sendable {
  /// A part of the sound of the movie.
  public enum SoundStep: Sendable, Hashable {
    /// So many samples of silence.
    case silence(Int)
    /// Samples of the chunk that was placed.
    case samples(Range<Int>)
  }

  /// The most by which sound may be early or late and is brought back in steps of single samples; beyond it, there is a
  /// gap or an overlap. In samples: 40 ms.
  public static let driftLimit = SoundChunk.sampleRate / 25
  /// The mean deviation at which a sample is repeated or left out: half a millisecond.
  static let correctionThreshold = 24.0
  /// The share of one chunk's deviation in the mean. With chunks of 10 ms the mean reaches over some 0.6 s.
  static let smoothing = 1.0 / 64
  /// The fewest samples for each that is repeated or left out: 2 in a thousand.
  static let samplesPerCorrection = 480

  private struct Cut: Hashable {
    var start: MonotonicTime
    /// `nil` while it lasts.
    var end: MonotonicTime?

    func contains(_ time: MonotonicTime) -> Bool { time >= start && end.map { time < $0 } ?? true }
  }

  private let origin: MonotonicTime
  private var cuts: [Cut] = []
  private var lastFrame: TimeSpan?
  /// The mean by which sound is late, in samples.
  private var drift = 0.0

  /// The samples of the movie's sound so far.
  public private(set) var soundCount = 0

  /// - Parameter origin: What was seen and heard before it is left out.
  public init(origin: MonotonicTime) { self.origin = origin }

  /// The time in the movie of the frame that was placed last; `nil` before the first.
  public var lastFrameTime: TimeSpan? { lastFrame }

  // MARK: Pauses

  /// Leaves out what is seen and heard from that instant on. Without a `resume` this is the movie's end.
  public mutating func pause(at time: MonotonicTime) {
    if let last = cuts.last {
      // A pause in a pause changes nothing; one that begins before the last one's end begins with its end.
      guard let end = last.end else { return }
      cuts.append(Cut(start: max(end, time)))
    } else {
      cuts.append(Cut(start: max(origin, time)))
    }
  }

  /// Ends the pause.
  public mutating func resume(at time: MonotonicTime) {
    guard let last = cuts.last, last.end == nil else { return }
    cuts[cuts.count - 1].end = max(last.start, time)
  }

  // MARK: Frames

  /// Places a frame.
  ///
  /// - Returns: Its time in the movie, zero for the first; `nil` when it is left out: in a pause, or not later than the one
  ///   before.
  public mutating func place(frameAt time: MonotonicTime) -> TimeSpan? {
    guard time >= origin, !cuts.contains(where: { $0.contains(time) }) else { return nil }
    guard let last = lastFrame else {
      // A movie begins with a picture: the first is shown from the start, some hundredths of a second early.
      lastFrame = .zero
      return .zero
    }
    let place = movieTime(of: time)
    guard place > last else { return nil }
    lastFrame = place
    return place
  }

  // MARK: Sound

  /// Places a chunk of sound.
  ///
  /// - Parameters:
  ///   - time: When its first sample was heard. Chunks come in order.
  ///   - sampleCount: Samples per channel.
  /// - Returns: What follows in the movie's sound, in order.
  public mutating func place(soundAt time: MonotonicTime, sampleCount: Int) -> [SoundStep] {
    var steps: [SoundStep] = []
    for range in recordedRanges(at: time, sampleCount: sampleCount) {
      let start = time + Self.span(of: range.lowerBound)
      place(range, at: Self.samples(in: movieTime(of: start)), &steps)
    }
    return steps
  }

  /// Lets the sound reach up to an instant, where none came: the muxer waits for the track that is behind.
  ///
  /// - Returns: The samples of silence to add; 0 when there is sound up to then.
  public mutating func fill(until time: MonotonicTime) -> Int { fill(untilMovieTime: movieTime(of: time)) }

  /// Lets the sound reach up to a time in the movie.
  ///
  /// - Returns: The samples of silence to add; 0 when there is sound up to then.
  public mutating func fill(untilMovieTime time: TimeSpan) -> Int {
    let missing = max(0, Self.samples(in: time) - soundCount)
    if missing > 0 { drift = 0 }
    soundCount += missing
    return missing
  }

  private mutating func place(_ range: Range<Int>, at position: Int, _ steps: inout [SoundStep]) {
    var range = range
    let deviation = position - soundCount
    guard soundCount > 0, abs(deviation) <= Self.driftLimit else {
      drift = 0
      if deviation > 0 {
        steps.append(.silence(deviation))
        soundCount += deviation
      } else {
        range = range.dropFirst(-deviation)
      }
      take(range, &steps)
      return
    }
    drift += (Double(deviation) - drift) * Self.smoothing
    var corrections = max(1, range.count / Self.samplesPerCorrection)
    while drift >= Self.correctionThreshold, corrections > 0 {
      take(range.prefix(1), &steps)
      drift -= 1
      corrections -= 1
    }
    while drift <= -Self.correctionThreshold, corrections > 0, range.count > 1 {
      range = range.dropFirst()
      drift += 1
      corrections -= 1
    }
    take(range, &steps)
  }

  private mutating func take(_ range: Range<Int>, _ steps: inout [SoundStep]) {
    guard !range.isEmpty else { return }
    steps.append(.samples(range))
    soundCount += range.count
  }

  /// The parts of a chunk that are neither before the movie nor in a pause.
  private func recordedRanges(at time: MonotonicTime, sampleCount: Int) -> [Range<Int>] {
    /// The sample that is heard at an instant, within the chunk.
    func index(_ instant: MonotonicTime) -> Int { min(sampleCount, max(0, Self.samples(in: instant - time))) }
    var ranges: [Range<Int>] = []
    var start = index(origin)
    for cut in cuts {
      let end = index(cut.start)
      if start < end { ranges.append(start..<end) }
      start = max(start, cut.end.map(index) ?? sampleCount)
    }
    if start < sampleCount { ranges.append(start..<sampleCount) }
    return ranges
  }

  // MARK: Time

  /// The movie's time at an instant; in a pause that of its beginning, before the movie zero.
  public func movieTime(of time: MonotonicTime) -> TimeSpan {
    var result = max(.zero, time - origin)
    for cut in cuts where cut.start < time { result = result - (min(time, cut.end ?? time) - cut.start) }
    return max(.zero, result)
  }

  /// The nearest whole number of samples.
  static func samples(in span: TimeSpan) -> Int {
    // Exact to a sample for longer than any disk lasts.
    Int((Double(span.nanoseconds) * Double(SoundChunk.sampleRate) / 1e9).rounded())
  }

  /// The time that so many samples take.
  public static func span(of samples: Int) -> TimeSpan {
    TimeSpan(nanoseconds: Int64((Double(samples) * 1e9 / Double(SoundChunk.sampleRate)).rounded()))
  }
}
