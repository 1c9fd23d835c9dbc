// Decodes a movie from its first frame to its last, as fast as whoever takes the frames works on them.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// Decodes whole movies with GStreamer, in bounded memory.
///
/// The streaming thread that brings a frame scales it and calls the taker itself, so the decoder waits for the taker; a
/// queue of few frames lets both work at the same time.
public struct EngineMovieFrameStream: MovieFrameStreaming {
  public init() {}

  public func readFrames(
    of url: URL, byteRange: Range<UInt64>, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    let taker = MovieFrameTaker(fitting: size, atMost: frameRate, body)
    do {
      try await withTaskCancellationHandler {
        let reading = try await MovieReading(url, byteRange, taker)
        try await reading.run()
      } onCancel: {
        taker.end(CancellationError())
      }
    } catch {
      // Whoever waited was let go because of it.
      try Task.checkCancellation()
      throw error
    }
  }
}

/// One pass through a movie.
@PipelineActor
private final class MovieReading {
  private let name: String
  private let bytes: MovieBytes
  private let pipeline: Pipeline
  private let taker: MovieFrameTaker

  init(_ url: URL, _ range: Range<UInt64>, _ taker: MovieFrameTaker) throws(CameraError) {
    name = url.lastPathComponent
    self.taker = taker
    bytes = try MovieBytes(url, range: range)
    let source = try bytes.makeSource()
    pipeline = try Pipeline(name: "movie frames", baseTime: nil)
    let demuxer = try Element("qtdemux", name: "demuxer")
    try pipeline.add(chain: [source, demuxer])
    let name = name
    let missing = Mutex<CameraError?>(nil)
    let linker = StreamLinker { kind, type in
      guard kind == .picture else { return [] }
      do throws(CameraError) { return try Self.row(type, taker) } catch {
        missing.withLock { $0 = error }
        return []
      }
    } onAllFound: { linker in
      guard !linker.has(.picture) else { return }
      let error = missing.withLock { $0 }
      taker.end(
        error ?? CameraError.playbackFailed(file: name, message: "there is no picture in it that can be decoded"))
    }
    linker.watch(demuxer)
  }

  private nonisolated static func row(_ type: String, _ taker: MovieFrameTaker) throws(CameraError) -> [Element] {
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    var row = [try Element("queue")] + decoder + [try Element("videoconvert")]
    if let turner = try? Element("videoflip") {
      // As the movie's own note about its orientation says.
      turner.set("method", "automatic")
      row.append(turner)
    }
    let form = try Element("capsfilter")
    form.setCaps("video/x-raw,format=(string)I420")
    // Decoded while the taker works on the one before.
    let ahead = try Element("queue")
    ahead.set("max-size-buffers", 2)
    ahead.set("max-size-bytes", 0)
    ahead.set("max-size-time", 0)
    return row + [form, ahead, try AppSink.make(receiver: taker)]
  }

  func run() async throws {
    defer {
      pipeline.stop()
      bytes.end()
    }
    let (events, taker, name) = (pipeline.events, taker, name)
    let listener = Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: taker.finish()
        case .failed(let failure):
          // GStreamer ends its sentences, as the error's does.
          let message = failure.message.hasSuffix(".") ? String(failure.message.dropLast()) : failure.message
          taker.end(CameraError.playbackFailed(file: name, message: message))
        }
      }
      taker.end(CameraError.playbackFailed(file: name, message: "it can't be opened"))
    }
    defer { listener.cancel() }
    // A refusal's reason is among the events, which end with this.
    if !pipeline.play() { pipeline.stop() }
    try await taker.outcome()
    guard taker.count > 0 else {
      throw CameraError.playbackFailed(file: name, message: "there is no picture in it")
    }
  }
}

/// Takes the decoded frames on the streaming thread: scales those that are wanted, and hands each on when it is known for
/// how long it is shown.
private final class MovieFrameTaker: SampleReceiver, @unchecked Sendable {
  // Sendable: what changes without the lock is touched by the streaming thread, and by `finish` when that has sent its
  // last frame.
  private struct State {
    var result: Result<Void, any Error>?
    var waiter: CheckedContinuation<Void, any Error>?
    var count = 0
  }

  private let size: PixelSize
  /// In seconds; a tenth less than asked for, since the frames of a camera come now earlier and now later.
  private let shortest: Double
  private let body: @Sendable (MovieFrame) throws -> Void
  private let state = Mutex(State())

  private var converter: RawConverter?
  private var start: Double?
  private var pending: MovieFrame?
  /// When the last frame that came ends, in seconds from the first.
  private var end = 0.0

  /// Of a frame, in pixels: more than any level of H.264 and H.265 allows.
  private static let largestArea = 67_108_864
  /// In seconds, for a last frame that doesn't say how long it is shown.
  private static let usualDuration = 1.0 / 30

  init(fitting size: PixelSize, atMost frameRate: Double?, _ body: @escaping @Sendable (MovieFrame) throws -> Void) {
    self.size = size
    shortest = frameRate.map { 0.9 / $0 } ?? 0
    self.body = body
  }

  /// How many frames were handed on.
  var count: Int { state.withLock { $0.count } }

  private var isEnded: Bool { state.withLock { $0.result != nil } }

  /// Waits for the end. To be called once.
  func outcome() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let result = state.withLock { state -> Result<Void, any Error>? in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Ends the reading; only the first call counts. Any thread.
  func end(_ error: any Error) { decide(.failure(error)) }

  private func decide(_ result: Result<Void, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }

  /// The stream's end: the last frame is shown until then.
  func finish() {
    guard !isEnded else { return }
    hand(until: end)
    decide(.success(()))
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    guard !isEnded else { return }
    let stamp = buffer.pointee.pts
    let absolute = stamp == GStreamerRuntime.noTime ? nil : Double(stamp) / 1e9
    let time = max(0, absolute.map { $0 - (start ?? $0) } ?? end)
    if start == nil { start = absolute }
    let length = buffer.pointee.duration
    end = max(end, time + (length == GStreamerRuntime.noTime ? Self.usualDuration : Double(length) / 1e9))
    if let pending, time - pending.time < shortest { return }
    hand(until: time)
    guard !isEnded else { return }
    guard let caps, let image = picture(buffer, caps: caps) else {
      return end(CameraError.pictureFailed(message: "a frame of the movie is in a form that is not known"))
    }
    pending = MovieFrame(image: image, time: time, duration: 0)
  }

  private func hand(until next: Double) {
    guard var frame = pending else { return }
    pending = nil
    frame.duration = max(0, next - frame.time)
    do {
      try body(frame)
      state.withLock { $0.count += 1 }
    } catch { end(error) }
  }

  private func picture(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>
  ) -> DecodedImage? {
    guard let frame = CameraFrame.copying(buffer, caps: caps, largestArea: Self.largestArea),
      case .raw(let layout) = frame.content
    else { return nil }
    let target = RawConverter.Kind(layout: "BGRx", size: frame.size.fitted(into: size))
    if converter?.source != layout.kind || converter?.target != target {
      converter = RawConverter(from: layout.kind, to: target)
    }
    guard let (result, block) = converter?.convert(frame.block, layout: layout) else { return nil }
    return DecodedImage(size: target.size, stride: result.strides[0], block: block)
  }
}

extension PixelSize {
  /// The size of the same shape that fits into another, not enlarged.
  fileprivate func fitted(into box: PixelSize) -> PixelSize {
    let scale = min(1, Double(max(1, box.width)) / Double(width), Double(max(1, box.height)) / Double(height))
    return PixelSize(
      width: max(1, Int((Double(width) * scale).rounded())), height: max(1, Int((Double(height) * scale).rounded())))
  }
}
