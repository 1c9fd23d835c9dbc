// Decodes a movie from its first frame to its last, as fast as the frames are taken.

import CGStreamer
import CameraCore
import EngineInterface
import PhotoEffects
import Synchronization

/// A frame of a movie, upright.
struct DecodedFrame: Sendable {
  /// I420.
  var frame: CameraFrame
  /// How its pixels lie, and what they mean.
  var layout: RawLayout
  /// Of the stream; `nil` when it doesn't say.
  var rate: FrameRate?
  /// When it is shown, in nanoseconds from the movie's start.
  var time: Int64
  /// How long, in nanoseconds; 0 when the stream doesn't say.
  var duration: Int64
  /// Whether the decoder had to guess some of it.
  var isDamaged: Bool
}

/// One pass through a movie's picture.
@PipelineActor
final class MovieDecoding {
  private let name: String
  private let bytes: MovieBytes
  private let pipeline: Pipeline
  private let outcome = FirstArrival()
  private let reason = FirstFailure()
  private let progress: MovieProgress

  /// - Parameters:
  ///   - niceness: Of the threads that decode.
  ///   - progress: Counts the frames.
  ///   - take: Called with each frame, on the streaming thread, which it holds up while it has no room. Returns whether
  ///     more are wanted.
  init(
    _ source: MovieSource, niceness: Int32, progress: MovieProgress, take: @escaping @Sendable (DecodedFrame) -> Bool
  ) throws(EditError) {
    name = source.url.lastPathComponent
    self.progress = progress
    do throws(CameraError) {
      bytes = try MovieBytes(source.url, range: source.byteRange)
      let element = try bytes.makeSource()
      pipeline = try Pipeline(name: "movie decoding", baseTime: nil, niceness: niceness)
      let demuxer = try Element("qtdemux", name: "demuxer")
      try pipeline.add(chain: [element, demuxer])
      let (name, outcome, reason) = (name, outcome, reason)
      let receiver = DecodedFrameReceiver(
        progress: progress, take: take, onEnough: { outcome.decide(.success(())) })
      let missing = Mutex<CameraError?>(nil)
      let linker = StreamLinker { kind, type in
        guard kind == .picture else { return [] }
        do throws(CameraError) { return try Self.row(type, receiver) } catch {
          missing.withLock { $0 = error }
          return []
        }
      } onAllFound: { linker in
        guard !linker.has(.picture) else { return }
        let words = missing.withLock { $0?.description }.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
        reason.note(
          EditError.unreadableMovie(file: name, reason: words ?? "there is no picture in it that can be decoded"))
        outcome.decide(.failure(.notRunning))
      }
      linker.watch(demuxer)
    } catch {
      throw Self.words(error, name)
    }
  }

  private nonisolated static func words(_ error: CameraError, _ name: String) -> EditError {
    if case .playbackFailed(_, let message) = error { return .unreadableMovie(file: name, reason: message) }
    let text = error.description
    return .unreadableMovie(file: name, reason: text.hasSuffix(".") ? String(text.dropLast()) : text)
  }

  private nonisolated static func row(
    _ type: String, _ receiver: DecodedFrameReceiver
  ) throws(CameraError) -> [Element] {
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    // Other threads decode while this one waits for room.
    let queue = try Element("queue")
    queue.set("max-size-buffers", 30)
    var row = [queue] + decoder + [try Element("videoconvert")]
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
    return row + [form, ahead, try AppSink.make(receiver: receiver)]
  }

  /// Decodes until the end, or until no more frames are wanted. Call it once.
  ///
  /// - Throws: `EditError.unreadableMovie`, or `CancellationError`.
  func run() async throws {
    defer {
      pipeline.stop()
      bytes.end()
    }
    let (events, outcome, reason, name) = (pipeline.events, outcome, reason, name)
    let listener = Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: outcome.decide(.success(()))
        case .failed(let failure):
          // GStreamer ends its sentences, as the error's does.
          let message = failure.message.hasSuffix(".") ? String(failure.message.dropLast()) : failure.message
          reason.note(EditError.unreadableMovie(file: name, reason: message))
          outcome.decide(.failure(.notRunning))
        }
      }
    }
    defer { listener.cancel() }
    if !pipeline.play() {
      // The reason follows on the bus; if not, this is it.
      Task.detached {
        try? await Task.sleep(nanoseconds: 200_000_000)
        outcome.decide(.failure(.notRunning))
      }
    }
    do throws(CameraError) {
      // A day: whoever takes the frames watches the progress.
      try await outcome.wait(atMost: .seconds(86_400), late: .notRunning)
    } catch {
      try Task.checkCancellation()
      throw reason.error ?? EditError.unreadableMovie(file: name, reason: "it could not be opened")
    }
  }
}

/// Takes frames off the decoder.
private final class DecodedFrameReceiver: SampleReceiver {
  private let progress: MovieProgress
  private let take: @Sendable (DecodedFrame) -> Bool
  private let onEnough: @Sendable () -> Void
  private let isDone = Atomic(false)

  /// Of a frame, in pixels: more than any level of H.264 and H.265 allows.
  private static let largestArea = 67_108_864

  /// - Parameter onEnough: Called when no more frames are wanted.
  init(
    progress: MovieProgress, take: @escaping @Sendable (DecodedFrame) -> Bool,
    onEnough: @escaping @Sendable () -> Void
  ) {
    (self.progress, self.take, self.onEnough) = (progress, take, onEnough)
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    receive(buffer, caps: caps, segment: nil)
  }

  func receive(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) {
    guard !isDone.load(ordering: .relaxed), let caps, buffer.pointee.pts != GStreamerRuntime.noTime,
      let frame = CameraFrame.copying(buffer, caps: caps, largestArea: Self.largestArea),
      case .raw(let layout) = frame.content
    else { return }
    var time = Int64(clamping: buffer.pointee.pts)
    if let segment, segment.pointee.format == GST_FORMAT_TIME {
      let shown = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
      // Outside of what the edit list shows.
      guard shown != GStreamerRuntime.noTime else { return }
      time = Int64(clamping: shown)
    }
    let length = buffer.pointee.duration
    progress.encoded.add(1, ordering: .relaxed)
    let decoded = DecodedFrame(
      frame: frame, layout: layout, rate: Self.rate(caps), time: time,
      duration: length == GStreamerRuntime.noTime ? 0 : Int64(clamping: length),
      isDamaged: buffer.pointee.mini_object.flags & guint(GST_BUFFER_FLAG_CORRUPTED.rawValue) != 0)
    guard !take(decoded) else { return }
    isDone.store(true, ordering: .relaxed)
    onEnough()
  }

  private static func rate(_ caps: UnsafeMutablePointer<GstCaps>) -> FrameRate? {
    var (numerator, denominator): (gint, gint) = (0, 0)
    guard let structure = gst_caps_get_structure(caps, 0),
      gst_structure_get_fraction(structure, "framerate", &numerator, &denominator) != 0, numerator > 0, denominator > 0
    else { return nil }
    return FrameRate(Int(numerator), Int(denominator))
  }
}
