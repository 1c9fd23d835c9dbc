// The course of transcoding one movie as a state machine. It performs nothing itself.

import CameraCore
import EngineInterface
import Foundation
import Localization

/// Decides which decoded frames are kept, when they are shown in the result, and when decoder, workers and encoder end, so
/// that every course ends in exactly one result or one error.
///
///     waiting ─ first kept frame → rendering ─ decoder ends → draining ─ workers end → encoding ─ file complete → ended
///         └───────────────┴───────────── any error, a cancellation ┴────────────────────────┘ → failed
///
/// A frame is kept back until the next one says how long it is shown. Times are in nanoseconds.
struct MovieTranscodeStateMachine: Sendable {
  /// The kept frames so far. In the order of their times, which is the order of delivery.
  struct Timeline: Sendable {
    /// The source's time that becomes zero: of the first kept frame; 0 if nothing is cut off, so that a late start stays
    /// one.
    var origin: Int64
    var sourceTimes: [Int64] = []
    var spans: [Int64] = []
  }

  enum State: Sendable {
    /// No frame has been kept yet.
    case waiting(held: DecodedFrame?)
    /// Kept frames go through the workers into the encoder, which was built for the first one.
    case rendering(TranscodeEncoding.Form, Timeline, held: DecodedFrame?)
    /// No more frames come; the workers finish theirs.
    case draining(TranscodeEncoding.Form, Timeline)
    /// The encoder has been given everything and completes the file.
    case encoding(TranscodeEncoding.Form, Timeline)
    case ended
    case failed(any Error)
    /// While an event is handled, so that the timeline's arrays change in place.
    case changing
  }

  /// A kept frame. Its duration is the time until the next one.
  struct TimedFrame: Sendable {
    var frame: DecodedFrame
    /// In the result.
    var time: Int64
  }

  /// A kept frame that is shown again on the way back.
  struct Reprise: Sendable, Equatable {
    /// Its place among the kept frames.
    var index: Int
    /// In the result.
    var time: Int64
    var duration: Int64
  }

  /// The movie that was made.
  struct Result: Sendable, Equatable {
    var size: PixelSize
    /// The kept frames' times in the source, in order.
    var sourceTimes: [Int64]
    /// The same frames' times in the result.
    var times: [Int64]
    /// The source's time at which the last kept frame is no longer shown.
    var sourceEnd: Int64
    var duration: Int64
  }

  /// The owner's next step.
  enum Action: Sendable {
    /// Go on as before.
    case none
    /// Stop the decoder, then call `decodingEnded`.
    case endDecoding
    /// Build the encoder if a form is given, and give the frame to the workers; then take the next step.
    case render(TimedFrame, opening: TranscodeEncoding.Form?, then: Next)
    /// Let the workers finish what they have, then call `workersEnded`.
    case drain
    /// Give the encoder these frames once more, in this order, and end its stream; then call `encoded`.
    case endStream(after: [Reprise])
    /// Stop decoder, workers and encoder.
    case fail(any Error)
    /// The file is complete.
    case finish(Result)
  }

  /// The step after a frame was given to the workers.
  enum Next: Sendable, Equatable {
    case decode
    /// As the action of that name.
    case endDecoding
    /// As the action of that name.
    case drain
  }

  private var state = State.waiting(held: nil)
  private let edit: MovieEdit
  private let name: String
  private let timescale: Int
  private let expectedCount: Int?
  private let sourceEnd: Int64?

  /// The most frames of a movie that bounces: they are kept, compressed, for the way back.
  static let longestBounce = 900
  /// For a single frame that doesn't say how long it is shown.
  private static let usualSpan: Int64 = 33_333_333

  /// - Parameters:
  ///   - name: The file's, for messages.
  ///   - timescale: The source track's units a second.
  ///   - expectedCount: The number of kept frames by the source's index, so that a damaged movie is refused; `nil` if it is
  ///     not known.
  ///   - sourceEnd: The end of the last frame by the source's index, in nanoseconds; `nil` if it is not known. Decoders give
  ///     the last frame the average duration of all, which is too long where the camera has left out frames.
  init(_ edit: MovieEdit, name: String, timescale: Int, expectedCount: Int?, sourceEnd: Int64? = nil) {
    (self.edit, self.name) = (edit, name)
    (self.timescale, self.expectedCount, self.sourceEnd) = (timescale, expectedCount, sourceEnd)
  }

  /// The error that ended it; `nil` otherwise.
  var failure: (any Error)? {
    if case .failed(let error) = state { error } else { nil }
  }

  // MARK: Events

  /// The decoder delivered a frame.
  mutating func decoded(_ frame: DecodedFrame) -> Action {
    let held: DecodedFrame?
    switch state {
    case .waiting(let before), .rendering(_, _, let before): held = before
    case .draining, .encoding, .ended, .failed, .changing: return .endDecoding
    }
    guard !frame.isDamaged else {
      let seconds = (Double(frame.time) / 1e9).localized(decimals: 2...2)
      return failed(EditError.unreadableMovie(file: name, reason: localized("the video is damaged at \(seconds) s")))
    }
    hold(frame)
    let isLast = isBehindTrim(frame.time)
    guard let held else { return .none }
    return keep(held, until: frame.time, then: isLast ? .endDecoding : .decode)
  }

  /// The decoder has ended: at the movie's end, or because no more frames were wanted.
  mutating func decodingEnded() -> Action {
    let last: Action
    switch state {
    case .waiting(let held):
      hold(nil)
      last = held.map { flush($0, usual: nil) } ?? .drain
    case .rendering(_, let timeline, let held):
      hold(nil)
      last = held.map { flush($0, usual: timeline.spans.last) } ?? .drain
    case .draining, .encoding, .ended, .failed, .changing: return .none
    }
    switch state {
    case .waiting: return failed(EditError.unreadableMovie(file: name, reason: localized("the video has no picture")))
    case .rendering(let form, let timeline, _): state = .draining(form, timeline)
    case .draining, .encoding, .ended, .failed, .changing: break
    }
    return last
  }

  /// The workers have ended without an error. Early ones were stopped by an encoder that takes no more: its error follows.
  mutating func workersEnded() -> Action {
    guard case .draining(let form, let timeline) = state else { return .none }
    state = .encoding(form, timeline)
    return .endStream(after: edit.isBounced ? reprises(timeline) : [])
  }

  /// The encoder has completed the file.
  mutating func encoded() -> Action {
    guard case .encoding(let form, let timeline) = state, let first = timeline.sourceTimes.first,
      let last = timeline.sourceTimes.last, let span = timeline.spans.last
    else { return .none }
    if let expectedCount, timeline.sourceTimes.count < expectedCount {
      let missing = expectedCount - timeline.sourceTimes.count
      return failed(
        EditError.unreadableMovie(
          file: name, reason: localized("\(missing) of its \(expectedCount) frames can’t be decoded")))
    }
    state = .ended
    var duration = last + span - timeline.origin
    if edit.isBounced, timeline.spans.count > 2 { duration += last - first - timeline.spans[0] }
    return .finish(
      Result(
        size: form.size, sourceTimes: timeline.sourceTimes, times: timeline.sourceTimes.map { $0 - timeline.origin },
        sourceEnd: last + span, duration: max(duration, span)))
  }

  /// Decoder, worker, encoder or watchdog failed, or the task was canceled. The first error counts.
  mutating func failed(_ error: any Error) -> Action {
    switch state {
    case .ended, .failed: return .none
    case .waiting, .rendering, .draining, .encoding, .changing:
      state = .failed(error)
      return .fail(error)
    }
  }

  // MARK: Frames

  private mutating func hold(_ frame: DecodedFrame?) {
    switch state {
    case .waiting: state = .waiting(held: frame)
    case .rendering(let form, let timeline, _): state = .rendering(form, timeline, held: frame)
    case .draining, .encoding, .ended, .failed, .changing: break
    }
  }

  /// Outside of movies, times are kept to a microsecond.
  private func isBehindTrim(_ time: Int64) -> Bool {
    edit.trim.map { Double(time) / 1e9 >= $0.upperBound - 1e-6 } ?? false
  }

  /// The last frame is shown until the source's end, or else for as long as it says, or as long as the one before.
  private mutating func flush(_ frame: DecodedFrame, usual: Int64?) -> Action {
    guard !isBehindTrim(frame.time) else { return .drain }
    let rest = (sourceEnd ?? 0) - frame.time
    let span = rest > 0 ? rest : frame.duration > 0 ? frame.duration : usual ?? Self.usualSpan
    return keep(frame, until: frame.time + span, then: .drain)
  }

  /// Gives a frame its duration, and a place in the result unless it is cut off.
  private mutating func keep(_ frame: DecodedFrame, until end: Int64, then next: Next) -> Action {
    if let trim = edit.trim, Double(end) / 1e9 <= trim.lowerBound + 1e-6 {
      return next == .drain ? .drain : next == .endDecoding ? .endDecoding : .none
    }
    if isBehindTrim(frame.time) { return .endDecoding }
    var timed = TimedFrame(frame: frame, time: frame.time)
    timed.frame.duration = max(1, end - frame.time)
    switch state {
    case .waiting(let held):
      let form: TranscodeEncoding.Form
      do throws(EditError) { form = try self.form(of: frame) } catch { return failed(error) }
      var timeline = Timeline(origin: edit.trim != nil || edit.isBounced ? frame.time : 0)
      timeline.append(timed)
      state = .rendering(form, timeline, held: held)
      timed.time -= timeline.origin
      return .render(timed, opening: form, then: next)
    case .rendering(let form, var timeline, let held):
      // Else the state's reference would make the arrays copy themselves with each frame.
      state = .changing
      timeline.append(timed)
      timed.time -= timeline.origin
      let count = timeline.sourceTimes.count
      state = .rendering(form, timeline, held: held)
      if edit.isBounced, count > Self.longestBounce {
        return failed(EditError.encoding(reason: localized("the video is too long to bounce")))
      }
      return .render(timed, opening: nil, then: next)
    case .draining, .encoding, .ended, .failed, .changing: return .none
    }
  }

  /// The format of the result, by its first frame.
  private func form(of frame: DecodedFrame) throws(EditError) -> TranscodeEncoding.Form {
    let layout = frame.layout
    // An odd last row or column is not rendered either.
    let whole = MoviePictureMaker.pictureSize(of: layout.size)
    let size = edit.processor?.outputSize(for: whole) ?? whole
    guard size.width.isMultiple(of: 2), size.height.isMultiple(of: 2), size.width >= 2, size.height >= 2 else {
      throw .encoding(reason: localized("the sides of a video must be even numbers, not \(size.localized)"))
    }
    return TranscodeEncoding.Form(
      size: size, rate: frame.rate ?? FrameRate(30), colorimetry: layout.colorimetry ?? MoviePictureMaker.colorimetry,
      timescale: timescale)
  }

  /// All frames but the last and the first, backward.
  private func reprises(_ timeline: Timeline) -> [Reprise] {
    guard timeline.spans.count > 2, let last = timeline.sourceTimes.last, let span = timeline.spans.last else {
      return []
    }
    var time = last + span - timeline.origin
    return (1..<timeline.spans.count - 1).reversed().map { index in
      defer { time += timeline.spans[index] }
      return Reprise(index: index, time: time, duration: timeline.spans[index])
    }
  }
}

extension MovieTranscodeStateMachine.Timeline {
  fileprivate mutating func append(_ timed: MovieTranscodeStateMachine.TimedFrame) {
    sourceTimes.append(timed.frame.time)
    spans.append(timed.frame.duration)
  }
}
