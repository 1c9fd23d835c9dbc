// Decoding of all frames of a movie, as fast as they are taken.

import CGStreamer
import CameraCore
import EngineInterface
import Localization
import MediaFormats
import Synchronization

/// A frame of a movie, upright.
struct DecodedFrame: Sendable {
  /// I420; of 10 bits in HDR and wide colors, if the decoding was told so.
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
@EncodingActor
final class MovieDecoding {
  private let pipeline: MoviePipeline
  private let outcome: OneShot<Void, CameraError>
  private let progress: MovieProgress
  private let receiver: DecodedFrameReceiver

  /// The usual patience with a decoder. A frame takes milliseconds; only one that hangs takes so long.
  nonisolated static let patience = TimeSpan.seconds(20)

  /// Opens the movie; nothing is decoded yet.
  ///
  /// - Parameters:
  ///   - niceness: Added to the priority of the threads that decode.
  ///   - progress: Counts the frames.
  ///   - keepsDepth: Whether frames of HDR and of wide colors come with 10 bits and their colors, for a `RawConverter`, and
  ///     not as the screen shows them.
  ///   - take: Called with each frame on the streaming thread, which waits meanwhile. Returns whether more are wanted.
  /// - Throws: `CameraError.playbackFailed`, or `missingPlugin`.
  init(
    _ source: MovieSource, niceness: Int32, progress: MovieProgress, keepsDepth: Bool = false,
    take: @escaping @Sendable (DecodedFrame) -> Bool
  ) async throws(CameraError) {
    let outcome = OneShot<Void, CameraError>()
    self.outcome = outcome
    self.progress = progress
    let receiver = DecodedFrameReceiver(progress: progress, keepsDepth: keepsDepth, take: take) {
      outcome.decide(.success(()))
    }
    self.receiver = receiver
    let outputs = MoviePipeline.Outputs(
      picture: { () throws(CameraError) in
        // Decoded while the taker works on the frame before.
        let ahead = try Element("queue")
        ahead.set("max-size-buffers", 2)
        ahead.set("max-size-bytes", 0)
        ahead.set("max-size-time", 0)
        return [ahead, try AppSink.make(receiver: receiver)]
      }, frameQueue: 30)
    let bytes = try await MovieBytes.open(source)
    pipeline = try MoviePipeline(bytes, kind: "movie decoding", niceness: niceness, outputs) { outcome.decide($0) }
  }

  /// Decodes until the end, or until no more frames are wanted. Call it once.
  ///
  /// - Parameter patience: The time without a frame after which the decoder is given up; the time in `take` doesn't count.
  ///   `nil` when the caller watches the progress.
  /// - Throws: `CameraError`, or `CancellationError`.
  func run(patience: TimeSpan?) async throws {
    pipeline.start()
    let watchdog = patience.map { patience in
      let (outcome, receiver, name) = (outcome, receiver, pipeline.name)
      return progress.watch(patience, isExcused: { receiver.isTaking }) {
        let seconds = Int(patience.seconds.rounded())
        let message = localized(
          "the decoder stopped responding for \(seconds) second",
          plural: "the decoder stopped responding for \(seconds) seconds", count: seconds)
        let error = CameraError.playbackFailed(file: name, message: message)
        if receiver.abandon() { outcome.decide(.failure(error)) }
      }
    }
    defer { watchdog?.cancel() }
    do throws(CameraError) {
      try await outcome.wait(orWhenCancelled: .notRunning)
    } catch {
      // Nothing may wait for a decoder that hangs.
      if receiver.isAbandoned { pipeline.abandon() } else { await pipeline.stop() }
      try Task.checkCancellation()
      throw error
    }
    await pipeline.stop()
  }
}

/// Takes frames off the decoder.
private final class DecodedFrameReceiver: SampleReceiver {
  private enum Stage: Int, AtomicRepresentable {
    case waiting, taking
    /// No more frames are wanted.
    case done
    /// Given up between two frames.
    case abandoned
  }

  private let progress: MovieProgress
  private let keepsDepth: Bool
  private let take: @Sendable (DecodedFrame) -> Bool
  private let onEnough: @Sendable () -> Void
  private let stage = Atomic(Stage.waiting)

  /// Whether the taker works on a frame.
  var isTaking: Bool { stage.load(ordering: .acquiring) == .taking }

  /// Whether the decoder was given up.
  var isAbandoned: Bool { stage.load(ordering: .acquiring) == .abandoned }

  /// Gives up a decoder that hangs, unless it has just sent a frame: none is taken from now on.
  ///
  /// - Returns: Whether it is given up.
  func abandon() -> Bool {
    stage.compareExchange(expected: .waiting, desired: .abandoned, ordering: .acquiringAndReleasing).exchanged
  }

  /// - Parameter onEnough: Called when no more frames are wanted.
  init(
    progress: MovieProgress, keepsDepth: Bool, take: @escaping @Sendable (DecodedFrame) -> Bool,
    onEnough: @escaping @Sendable () -> Void
  ) {
    (self.progress, self.keepsDepth, self.take, self.onEnough) = (progress, keepsDepth, take, onEnough)
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    receive(buffer, caps: caps, segment: nil)
  }

  func receive(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) {
    guard stage.load(ordering: .acquiring) == .waiting, let caps, let shown = buffer.movieTime(by: segment),
      let copy = CameraFrame.copying(buffer, caps: caps)
    else { return }
    // One thread: others work on the frames before.
    let frame = keepsDepth ? copy : copy.inScreenColors(threads: 1)
    guard case .raw(let layout) = frame.content else { return }
    let time = Self.time(GstClockTime(shown))
    let length = buffer.pointee.duration
    progress.encoded.add(1, ordering: .relaxed)
    let decoded = DecodedFrame(
      frame: frame, layout: layout, rate: Self.rate(caps), time: time,
      duration: length == GStreamerRuntime.noTime ? 0 : Self.time(length),
      isDamaged: buffer.pointee.mini_object.flags & guint(GST_BUFFER_FLAG_CORRUPTED.rawValue) != 0)
    guard stage.compareExchange(expected: .waiting, desired: .taking, ordering: .acquiringAndReleasing).exchanged
    else { return }
    let wantsMore = take(decoded)
    stage.store(wantsMore ? .waiting : .done, ordering: .releasing)
    if !wantsMore { onEnough() }
  }

  /// A time or a duration in nanoseconds. A file may claim any; whoever adds some of them stays far from an overflow.
  private static func time(_ nanoseconds: GstClockTime) -> Int64 {
    min(Int64(clamping: nanoseconds), Int64(MP4Head.longestDuration * 1e9))
  }

  private static func rate(_ caps: UnsafeMutablePointer<GstCaps>) -> FrameRate? {
    var (numerator, denominator): (gint, gint) = (0, 0)
    guard let structure = gst_caps_get_structure(caps, 0),
      gst_structure_get_fraction(structure, "framerate", &numerator, &denominator) != 0, numerator > 0, denominator > 0
    else { return nil }
    return FrameRate(Int(numerator), Int(denominator))
  }
}
