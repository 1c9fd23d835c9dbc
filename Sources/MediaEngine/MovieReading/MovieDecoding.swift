// Decoding of all frames of a movie, as fast as they are taken.

import CGStreamer
import CameraCore
import EngineInterface
import Synchronization

/// A frame of a movie, upright.
struct DecodedFrame: Sendable {
  /// I420.
  var frame: CameraFrame
  /// The layout of the frame's planes.
  var layout: RawLayout
  /// The stream's frame rate; `nil` when it doesn't say.
  var rate: FrameRate?
  /// Presentation time, in nanoseconds from the movie's start.
  var time: Int64
  /// In nanoseconds; 0 when the stream doesn't say.
  var duration: Int64
  /// Whether the decoder had to guess some of it.
  var isDamaged: Bool
}

/// One run through the frames of a movie.
@PipelineActor
final class MovieDecoding {
  private let pipeline: MoviePipeline
  private let outcome: OneShot<Void, CameraError>

  /// Opens the movie; nothing is decoded yet.
  ///
  /// - Parameters:
  ///   - niceness: Added to the priority of the threads that decode.
  ///   - progress: Counts the frames.
  ///   - take: Called with each frame on the streaming thread, which waits meanwhile. Returns whether more are wanted.
  /// - Throws: `CameraError.playbackFailed`, or `missingPlugin`.
  init(
    _ source: MovieSource, niceness: Int32, progress: MovieProgress, take: @escaping @Sendable (DecodedFrame) -> Bool
  ) throws(CameraError) {
    let outcome = OneShot<Void, CameraError>()
    self.outcome = outcome
    let receiver = DecodedFrameReceiver(progress: progress, take: take) { outcome.decide(.success(())) }
    let outputs = MoviePipeline.Outputs(
      picture: { () throws(CameraError) in
        // Decoded while the taker works on the frame before.
        let ahead = try Element("queue")
        ahead.set("max-size-buffers", 2)
        ahead.set("max-size-bytes", 0)
        ahead.set("max-size-time", 0)
        return [ahead, try AppSink.make(receiver: receiver)]
      }, frameQueue: 30)
    pipeline = try MoviePipeline(source, kind: "movie decoding", niceness: niceness, outputs) { outcome.decide($0) }
  }

  /// Decodes until the end, or until no more frames are wanted. Call it once.
  ///
  /// - Throws: `CameraError`, or `CancellationError`.
  func run() async throws {
    defer { pipeline.stop() }
    pipeline.start()
    do throws(CameraError) {
      // No time limit: whoever takes the frames watches the progress.
      try await outcome.wait(orWhenCancelled: .notRunning)
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}

/// Takes frames off the decoder.
private final class DecodedFrameReceiver: SampleReceiver {
  private let progress: MovieProgress
  private let take: @Sendable (DecodedFrame) -> Bool
  private let onEnough: @Sendable () -> Void
  private let isDone = Atomic(false)

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
      let frame = CameraFrame.copying(buffer, caps: caps), case .raw(let layout) = frame.content
    else { return }
    var time = Int64(clamping: buffer.pointee.pts)
    if let segment, segment.pointee.format == GST_FORMAT_TIME {
      let shown = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
      // Outside of the edit list.
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
