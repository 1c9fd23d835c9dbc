// Decoding of the one frame that a movie shows at a time.

import CGStreamer
import CameraCore
import EngineInterface
import Localization
import Synchronization

/// One search for a frame: the pipeline is opened and prerolls the first frame, seeks, prerolls the frame there, and is
/// closed.
@EncodingActor
final class FrameSearch {
  /// The time limit for opening a movie, and for finding a frame in it: a hostile one could keep the decoder busy for ever.
  private static let limit = TimeSpan.seconds(20)

  private let pipeline: MoviePipeline
  private let receiver: SingleFrameReceiver

  /// Opens the movie; nothing is decoded yet.
  ///
  /// - Throws: `CameraError.playbackFailed`, or `missingPlugin`.
  init(_ source: MovieSource, fitting size: PixelSize) async throws(CameraError) {
    let receiver = SingleFrameReceiver(fitting: size)
    self.receiver = receiver
    let outputs = MoviePipeline.Outputs(
      picture: { () throws(CameraError) in [try AppSink.makePaused(receiver: receiver)] })
    let bytes = try await MovieBytes.open(source)
    pipeline = try MoviePipeline(bytes, kind: "movie frame", outputs) { result in
      // The end of the stream comes to the receiver itself.
      if case .failure(let error) = result { receiver.fail(error) }
    }
  }

  /// Finds the frame and closes the movie. Call it once.
  ///
  /// - Throws: `CameraError.playbackFailed`, or `missingPlugin`.
  func frame(at time: Double) async throws(CameraError) -> DecodedImage {
    let result: Result<DecodedImage, CameraError>
    do throws(CameraError) { result = .success(try await search(time)) } catch { result = .failure(error) }
    await pipeline.stop()
    return try result.get()
  }

  private func search(_ time: Double) async throws(CameraError) -> DecodedImage {
    let opened = receiver.expect()
    pipeline.start(isPaused: true)
    try await wait(for: opened)
    if let wanted = target(time) {
      let shown = receiver.expect()
      let refusal = CameraError.playbackFailed(
        file: pipeline.name, message: localized("the video has no picture at that time"))
      pipeline.seekInBackground(to: wanted) { isDone in
        if !isDone { shown.decide(.failure(refusal)) }
      }
      try await wait(for: shown)
    }
    guard let image = receiver.takeImage() else {
      throw .playbackFailed(file: pipeline.name, message: localized("the video has no picture at that time"))
    }
    return image
  }

  /// The time to seek to; `nil` for the movie's start.
  private func target(_ time: Double) -> TimeSpan? {
    // A NaN is no time either.
    guard time > 0 else { return nil }
    let wanted = TimeSpan.seconds(min(time, 1_000_000))
    guard let duration = pipeline.duration else { return wanted }
    // At the very end nothing is shown any more.
    let last = TimeSpan(nanoseconds: max(0, duration.nanoseconds - 1_000_000))
    return min(wanted, last)
  }

  private func wait(for arrival: OneShot<Void, CameraError>) async throws(CameraError) {
    let late = CameraError.playbackFailed(
      file: pipeline.name, message: localized("finding a picture in it takes too long"))
    try await arrival.wait(atMost: Self.limit, late: late)
  }
}

/// Takes the frame that a paused pipeline prerolled, and scales it.
private final class SingleFrameReceiver: PrerollReceiver {
  private struct State {
    var image: DecodedImage?
    var arrival = OneShot<Void, CameraError>()
    var failure: CameraError?
  }

  private let size: PixelSize
  private let state = Mutex(State())

  /// - Parameter size: The box that the frame fits into.
  init(fitting size: PixelSize) { self.size = size }

  /// Announces that a frame is wanted; call it before the frame can come.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func expect() -> OneShot<Void, CameraError> {
    state.withLock { state in
      state.arrival = OneShot()
      if let failure = state.failure { state.arrival.decide(.failure(failure)) }
      return state.arrival
    }
  }

  func fail(_ error: CameraError) {
    state.withLock { state in
      state.failure = state.failure ?? error
      return state.arrival
    }.decide(.failure(error))
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func takeImage() -> DecodedImage? { state.withLock { $0.image } }

  func receivePreroll(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    let image = caps.flatMap { picture(buffer, caps: $0) }
    state.withLock { state in
      if let image { state.image = image }
      return state.arrival
    }.decide(.success(()))
  }

  /// Behind the last frame: the frame that was found before stands.
  func receiveEnd() { state.withLock { $0.arrival }.decide(.success(())) }

  private func picture(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>
  ) -> DecodedImage? {
    guard let frame = CameraFrame.copying(buffer, caps: caps), case .raw(let layout) = frame.content else { return nil }
    let target = frame.size.fitted(intoRounded: size)
    let converter = RawConverter(from: layout.kind, to: RawConverter.Kind(layout: "BGRx", size: target))
    guard let converter else { return nil }
    let (result, block) = converter.convert(frame.block, layout: layout)
    return DecodedImage(size: target, stride: result.strides[0], block: block)
  }
}
