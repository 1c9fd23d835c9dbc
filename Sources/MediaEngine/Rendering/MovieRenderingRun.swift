// One movie's way through decoder, processor and encoder.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization

/// Renders the picture of one movie into a file. Decoder, workers and encoder run at the same time; a few frames exist at
/// once.
final class MovieRenderingRun: Sendable {
  /// What one try made.
  struct Result: Sendable {
    var size: PixelSize
    /// In nanoseconds of the source, in order.
    var sourceTimes: [Int64]
    /// The same frames in the result.
    var times: [Int64]
    /// In nanoseconds, of the source: when the last kept frame is no longer shown.
    var sourceEnd: Int64
    /// In nanoseconds.
    var duration: Int64
  }

  /// A picture on its way to the encoder.
  private struct Picture: Sendable {
    var block: FrameBlock
    var layout: RawLayout
    var time: Int64
    var duration: Int64
  }

  private struct State {
    var form: RenderedMovieEncoding.Form?
    var encoding: RenderedMovieEncoding?
    /// The frame that is held back until the next one says how long it is shown.
    var held: DecodedFrame?
    /// Of the first kept frame, in nanoseconds; 0 where nothing is cut off, so that a late start stays one.
    var origin: Int64 = 0
    var sourceTimes: [Int64] = []
    var spans: [Int64] = []
    var failure: (any Error)?
    var backward: [(jpeg: FrameBlock, index: Int)] = []
  }

  private let source: MovieSource
  private let rendering: MovieRendering
  private let encoder: VideoEncoder
  private let file: URL
  private let timescale: Int
  /// Frames that the source's index has; `nil` when that can't be said.
  private let expectedCount: Int?
  /// In nanoseconds, for progress.
  private let sourceDuration: Int64
  private let report: @Sendable (Double) -> Void

  private let state = Mutex(State())
  private let steps = MovieProgress()
  /// Opens when the encoder is there.
  private let gate = DispatchSemaphore(value: 0)

  /// Of all threads that decode, work and encode: the window stays as quick as ever.
  static let niceness: Int32 = 5
  /// Frames that are kept, compressed, for the way back.
  private static let longestBounce = 900
  /// Full quality to the eye, at which the way back is kept.
  private static let bounceQuality = 97

  init(
    _ source: MovieSource, _ rendering: MovieRendering, encoder: VideoEncoder, file: URL, timescale: Int,
    expectedCount: Int?, sourceDuration: Double, report: @escaping @Sendable (Double) -> Void
  ) {
    (self.source, self.rendering, self.encoder, self.file) = (source, rendering, encoder, file)
    (self.timescale, self.expectedCount, self.report) = (timescale, expectedCount, report)
    self.sourceDuration = Int64(sourceDuration * 1e9)
  }

  private var name: String { source.url.lastPathComponent }

  /// How many frames are worked on at once. More than four would take memory and gain little beside the encoder.
  static var workerCount: Int { min(4, max(1, ProcessInfo.processInfo.activeProcessorCount)) }

  /// - Parameter patience: After so long without progress it is given up.
  /// - Throws: `EditError`, `CancellationError`, what the processor throws; `MovieFailure` when the encoder failed, and
  ///   another may do better.
  func run(patience: TimeSpan) async throws -> Result {
    let workshop = FrameWorkshop<(DecodedFrame, Int64), Picture>(
      threadCount: Self.workerCount, niceness: Self.niceness,
      work: { [self] input, scratch in try work(input.0, time: input.1, scratch) },
      deliver: { [self] in deliver($0) },
      onEnd: { [self] error in workersEnded(error) })
    let decoding: MovieDecoding
    do {
      decoding = try await MovieDecoding(source, niceness: Self.niceness, progress: steps) { [self] in
        take($0, workshop)
      }
    } catch {
      workshop.stop(error)
      throw error
    }
    // Both end when the workshop does; whoever fails first ends the others.
    let decoder = Task {
      do {
        try await decoding.run()
        flush(workshop)
      } catch {
        fail(error, workshop)
      }
    }
    let watchdog = Task.detached { [self] in
      var seen = -1
      while (try? await Task.sleep(nanoseconds: UInt64(max(1, patience.nanoseconds)))) != nil {
        let now = steps.steps
        if now == seen { fail(MovieFailure(part: .picture, message: "the encoder stood still"), workshop) }
        seen = now
      }
    }
    defer { watchdog.cancel() }
    do {
      let result = try await withTaskCancellationHandler {
        try await encode(workshop)
      } onCancel: {
        fail(CancellationError(), workshop)
        decoder.cancel()
      }
      await decoder.value
      return result
    } catch {
      fail(error, workshop)
      decoder.cancel()
      await decoder.value
      throw state.withLock { $0.failure } ?? error
    }
  }

  // MARK: Encoding

  private func encode(_ workshop: FrameWorkshop<(DecodedFrame, Int64), Picture>) async throws -> Result {
    // Waited for on a thread that may wait.
    let form = await withCheckedContinuation { continuation in
      formWaiter.withLock { $0.wait(continuation) }
    }
    guard let form else {
      throw state.withLock { $0.failure } ?? EditError.unreadableMovie(file: name, reason: "there is no frame in it")
    }
    let encoding = try await RenderedMovieEncoding(
      form, encoder: encoder, niceness: Self.niceness, file: file, progress: steps)
    state.withLock { $0.encoding = encoding }
    await encoding.start()
    gate.signal()
    do {
      try await encoding.waitForEnd()
      await encoding.stop()
    } catch {
      // What waits at the encoder's door goes home.
      await encoding.stop()
      throw state.withLock { $0.failure } ?? error
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return try result(form)
  }

  private func result(_ form: RenderedMovieEncoding.Form) throws -> Result {
    try state.withLock { state in
      guard let first = state.sourceTimes.first, let last = state.sourceTimes.last, let span = state.spans.last else {
        throw EditError.unreadableMovie(file: name, reason: "there is no frame in it")
      }
      if let expectedCount, state.sourceTimes.count < expectedCount {
        let missing = expectedCount - state.sourceTimes.count
        throw EditError.unreadableMovie(
          file: name, reason: "\(missing) of its \(expectedCount) frames can't be decoded; it is damaged")
      }
      let origin = state.origin
      var duration = last + span - origin
      if rendering.isBounced, state.spans.count > 2 { duration += last - first - state.spans[0] }
      return Result(
        size: form.size, sourceTimes: state.sourceTimes, times: state.sourceTimes.map { $0 - origin },
        sourceEnd: last + span, duration: max(duration, span))
    }
  }

  /// Somebody who waits for the first frame's form.
  private struct FormWaiter {
    var form: RenderedMovieEncoding.Form??
    var continuation: CheckedContinuation<RenderedMovieEncoding.Form?, Never>?

    mutating func wait(_ continuation: CheckedContinuation<RenderedMovieEncoding.Form?, Never>) {
      if let form { continuation.resume(returning: form) } else { self.continuation = continuation }
    }

    mutating func decide(_ form: RenderedMovieEncoding.Form?) {
      guard self.form == nil else { return }
      self.form = .some(form)
      continuation?.resume(returning: form)
      continuation = nil
    }
  }
  private let formWaiter = Mutex(FormWaiter())

  /// Ends everything; the first failure counts.
  private func fail(_ error: any Error, _ workshop: FrameWorkshop<(DecodedFrame, Int64), Picture>?) {
    let encoding = state.withLock { state in
      state.failure = state.failure ?? error
      return state.encoding
    }
    formWaiter.withLock { $0.decide(nil) }
    gate.signal()
    workshop?.stop(error)
    encoding?.giveUp(.cancelled)
  }

  // MARK: Decoded frames, on the decoder's thread

  /// - Returns: Whether more are wanted.
  private func take(_ frame: DecodedFrame, _ workshop: FrameWorkshop<(DecodedFrame, Int64), Picture>) -> Bool {
    guard !frame.isDamaged else {
      let place = (Double(frame.time) / 1e9).formatted(
        .number.precision(.fractionLength(2)).locale(.init(identifier: "en")))
      fail(EditError.unreadableMovie(file: name, reason: "it is damaged at \(place) seconds"), workshop)
      return false
    }
    let before = state.withLock { state in
      defer { state.held = frame }
      return state.held
    }
    guard let before else { return true }
    return bring(before, until: frame.time, workshop) && !isBehindTrim(frame.time)
  }

  private func isBehindTrim(_ time: Int64) -> Bool {
    // Times outside of movies are kept to a microsecond.
    rendering.trim.map { Double(time) / 1e9 >= $0.upperBound - 1e-6 } ?? false
  }

  /// The stream has ended: the last frame lasts as long as it says.
  private func flush(_ workshop: FrameWorkshop<(DecodedFrame, Int64), Picture>) {
    let (held, usual) = state.withLock { state in
      defer { state.held = nil }
      return (state.held, state.spans.last)
    }
    if let held {
      let span = held.duration > 0 ? held.duration : usual ?? 33_333_333
      if !isBehindTrim(held.time) { _ = bring(held, until: held.time + span, workshop) }
    }
    if state.withLock({ $0.form == nil }) { formWaiter.withLock { $0.decide(nil) } }
    workshop.finish()
  }

  private func bring(
    _ frame: DecodedFrame, until end: Int64, _ workshop: FrameWorkshop<(DecodedFrame, Int64), Picture>
  ) -> Bool {
    let span = max(1, end - frame.time)
    if let trim = rendering.trim {
      if Double(end) / 1e9 <= trim.lowerBound + 1e-6 { return true }
      if isBehindTrim(frame.time) { return false }
    }
    let isFirst = state.withLock { state in
      let isFirst = state.sourceTimes.isEmpty
      if isFirst, rendering.trim != nil || rendering.isBounced { state.origin = frame.time }
      state.sourceTimes.append(frame.time)
      state.spans.append(span)
      return isFirst
    }
    if isFirst, !begin(with: frame) { return false }
    if rendering.isBounced, state.withLock({ $0.sourceTimes.count }) > Self.longestBounce {
      fail(EditError.encoding(reason: "it is too long to go forward and backward"), workshop)
      return false
    }
    report(sourceDuration > 0 ? min(0.98, Double(frame.time) / Double(sourceDuration)) : 0)
    var frame = frame
    frame.duration = span
    return workshop.bring((frame, state.withLock { frame.time - $0.origin }))
  }

  /// Says what is encoded, and waits for the encoder.
  private func begin(with frame: DecodedFrame) -> Bool {
    let layout = frame.layout
    if layout.colorimetry?.hasPrefix("bt2100") == true {
      fail(EditError.unreadableMovie(file: name, reason: "its colours are HDR, which can't be edited yet"), nil)
      return false
    }
    // An odd last row or column is not rendered either.
    let whole = MoviePictureMaker.pictureSize(of: layout.size)
    let size = rendering.processor?.outputSize(for: whole) ?? whole
    guard size.width.isMultiple(of: 2), size.height.isMultiple(of: 2), size.width >= 2, size.height >= 2 else {
      fail(EditError.encoding(reason: "the sides of a movie are even, not \(size)"), nil)
      return false
    }
    let form = RenderedMovieEncoding.Form(
      size: size, rate: frame.rate ?? FrameRate(30), colorimetry: layout.colorimetry ?? MoviePictureMaker.colorimetry,
      timescale: timescale)
    state.withLock { $0.form = form }
    formWaiter.withLock { $0.decide(form) }
    gate.wait()
    // Also opened when something failed.
    gate.signal()
    return state.withLock { $0.failure == nil }
  }

  // MARK: Workers

  private func work(_ frame: DecodedFrame, time: Int64, _ scratch: EffectScratch) throws -> Picture {
    guard let form = state.withLock({ $0.form }) else { throw CancellationError() }
    // The same form as the first.
    var layout = frame.layout
    let kind = RawConverter.Kind(
      layout: MoviePictureMaker.layout, size: form.size, colorimetry: form.colorimetry)
    guard let target = RawConverter.defaultLayout(of: kind) else { throw EditError.encoding(reason: "\(form.size)") }
    let source = MoviePictureMaker.pictureSize(of: layout.size)
    layout.size = source
    let block: FrameBlock
    if let processor = rendering.processor {
      guard processor.outputSize(for: source) == form.size else { throw changedSize }
      let colours = MovieColours(MovieColours.Space(frame.layout))
      let context = FrameContext(kind: .movieFrame, time: Double(frame.time) / 1e9, fullSize: form.size)
      block = try scratch.withPixels("movie source", count: source.area) { pixels in
        let view = PixelView(pixels: pixels, width: source.width, height: source.height, stride: source.width)
        frame.frame.block.withUnsafeBytes { colours.convert($0, layout, into: view) }
        return try scratch.withPixels("movie target", count: form.size.area) { pixels in
          let result = PixelView(
            pixels: pixels, width: form.size.width, height: form.size.height, stride: form.size.width)
          try processor.render(view, into: result, context: context, scratch: scratch)
          return FrameBlock(count: target.byteCount) { colours.convert(result, into: $0, target.layout) }
        }
      }
    } else {
      guard source == form.size else { throw changedSize }
      block =
        layout.offsets == target.layout.offsets && layout.strides == target.layout.strides
        ? frame.frame.block : frame.frame.block.copied(from: layout, to: target.layout, byteCount: target.byteCount)
    }
    if Task.isCancelled { throw CancellationError() }
    return Picture(block: block, layout: target.layout, time: time, duration: frame.duration)
  }

  private var changedSize: EditError {
    .unreadableMovie(file: name, reason: "its frames change their size, which can't be edited")
  }

  /// In order, one at a time.
  private func deliver(_ picture: Picture) -> Bool {
    guard let encoding = state.withLock({ $0.encoding }) else { return false }
    if rendering.isBounced, !keep(picture) { return false }
    return push(picture, encoding)
  }

  private func push(_ picture: Picture, _ encoding: RenderedMovieEncoding) -> Bool {
    steps.fed.add(1, ordering: .relaxed)
    return AppSource.push(picture.block, to: encoding.source, time: picture.time, duration: picture.duration)
      == GST_FLOW_OK
  }

  private func workersEnded(_ error: (any Error)?) {
    let encoding = state.withLock { $0.encoding }
    if let error { return fail(error, nil) }
    guard let encoding else { return formWaiter.withLock { $0.decide(nil) } }
    if rendering.isBounced, !goBack(encoding) { return }
    AppSource.end(encoding.source)
  }

  // MARK: Back again

  private func keep(_ picture: Picture) -> Bool {
    do {
      let jpeg = try JPEGEncoder().encode(planes: picture.block, layout: picture.layout, quality: Self.bounceQuality)
      state.withLock { $0.backward.append((jpeg, $0.backward.count)) }
      return true
    } catch {
      fail(EditError.encoding(reason: "\(error)"), nil)
      return false
    }
  }

  /// Shows all frames but the last and the first once more, the last ones first.
  private func goBack(_ encoding: RenderedMovieEncoding) -> Bool {
    let (frames, times, spans, form) = state.withLock { state in
      defer { state.backward = [] }
      return (state.backward, state.sourceTimes, state.spans, state.form)
    }
    guard let form, frames.count > 2, let first = times.first, let last = times.last, let lastSpan = spans.last,
      let target = RawConverter.defaultLayout(
        of: RawConverter.Kind(layout: MoviePictureMaker.layout, size: form.size, colorimetry: form.colorimetry))
    else { return true }
    do {
      let decoder = try JPEGDecoder()
      var time = last + lastSpan - first
      for (jpeg, index) in frames.dropFirst().dropLast().reversed() {
        let (layout, planes) = try jpeg.withUnsafeBytes { try decoder.decodePlanes($0) }
        let block = planes.copied(from: layout, to: target.layout, byteCount: target.byteCount)
        let picture = Picture(block: block, layout: target.layout, time: time, duration: spans[index])
        guard push(picture, encoding) else { return false }
        time += spans[index]
      }
      return true
    } catch {
      fail(EditError.encoding(reason: "\(error)"), nil)
      return false
    }
  }
}
