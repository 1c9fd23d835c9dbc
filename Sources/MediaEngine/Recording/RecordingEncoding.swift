// The pipeline of a recording: frames and sound in, a file that can be played at any time out.

import CGStreamer
import CameraCore
import Foundation

/// A pipeline from raw frames and sound to an MP4 on disk.
///
/// The muxer writes short fragments, so that a file whose program was killed plays up to its last fragment. When the
/// stream ends in order, it writes an ordinary index instead, and the fragments become part of an ordinary file.
///
/// An actor of its own, made on any thread: see `EncoderMaking`.
actor RecordingEncoding {
  /// The sound of a recording, as it is encoded.
  struct SoundForm: Sendable, Hashable {
    var encoder: SoundEncoder
    var channels: Int
  }

  /// The streams of a recording, as they are encoded.
  struct Form: Sendable, Hashable {
    /// Of the camera's frames.
    var size: PixelSize
    var rate: FrameRate
    var encoder: VideoEncoder
    var quality: RecordingSettings.Quality
    /// Whether its pictures are stabilized, and smaller for that.
    var isStabilized = false
    /// The color space of frames of 10 bits, by GStreamer's name, for encoders of 10 bits; `nil` for other frames.
    var deepColorimetry: String?
    /// `nil` for a silent movie.
    var sound: SoundForm?

    /// Of the pictures that are encoded.
    var pictureSize: PixelSize {
      let whole = MoviePictureMaker.pictureSize(of: size)
      return isStabilized ? MovieStabilizer.size(of: whole) ?? whole : whole
    }
  }

  /// The length of a fragment, in milliseconds: the most that a kill costs, beside the frame that is being encoded.
  static let fragmentDuration = 250

  /// Takes frames: I420, or I420_10LE for an encoder of 10 bits, in GStreamer's default layout. Blocks while the encoder is busy.
  nonisolated let picture: Element
  /// Takes sound, any amount of it; `nil` for a silent movie.
  nonisolated let sound: Element?
  private let pipeline: Pipeline
  private let outcome = OneShot<Void, MovieFailure>()
  private let folder: URL
  private let executor = QueueExecutor(label: "photome.recording")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Builds the pipeline; nothing runs yet.
  ///
  /// - Parameter path: The file, which is overwritten.
  /// - Throws: `MovieFailure` if an element is missing or can't be used.
  init(_ form: Form, path: String, progress: MovieProgress) throws(MovieFailure) {
    folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let muxer: Element
    do throws(CameraError) {
      pipeline = try Pipeline(name: "recording", baseTime: .now)
      muxer = try Element("mp4mux", name: "muxer")
      muxer.set("fragment-duration", Self.fragmentDuration)
      muxer.set("fragment-mode", "first-moov-then-finalise")
      muxer.set("movie-timescale", LivePhotoEncoding.timescale)
      let sink = try Element("filesink", name: "file")
      sink.set("location", path)
      sink.set("async", false)
      // Each fragment reaches the kernel at once: a kill finds nothing in a buffer of ours.
      sink.set("buffer-mode", "unbuffered")
      try pipeline.add(chain: [muxer, sink])
      FragmentProbe.add(to: sink)
      picture = try LivePhotoEncoding.addPicture(
        to: pipeline, size: form.pictureSize, rate: form.rate,
        colorimetry: MoviePictureMaker.colorimetry(for: form.encoder, form.deepColorimetry), encoder: form.encoder,
        muxer: muxer,
        timescale: LivePhotoEncoding.timescale, progress: progress, purpose: .recording(form.quality))
      progress.noteEnd(at: muxer, pad: "video_0")
    } catch {
      throw MovieFailure(part: .picture, message: error.ofPipeline)
    }
    do throws(CameraError) {
      if let sound = form.sound { self.sound = try Self.addSound(sound, to: pipeline, muxer) } else { self.sound = nil }
    } catch {
      throw MovieFailure(part: .sound, message: error.ofPipeline)
    }
  }

  private static func addSound(
    _ form: SoundForm, to pipeline: Pipeline, _ muxer: Element
  ) throws(CameraError) -> Element {
    let source = try AppSource.make(
      caps: "audio/x-raw,format=(string)S16LE,layout=(string)interleaved,rate=(int)\(SoundChunk.sampleRate)"
        + ",channels=(int)\(form.channels)", isLive: false)
    // It never blocks: sound is pushed by the microphone's thread, and is a fiftieth of what the frames take. Sound that
    // is far ahead of the picture isn't pushed.
    source.set("max-bytes", 0)
    let parser = try Element("aacparse", name: "soundparser")
    let encoder = try form.encoder.make(channels: form.channels)
    try pipeline.add(chain: [source, try Element("audioconvert"), encoder, parser])
    try pipeline.link(parser, to: muxer.requestPad("audio_%u"))
    return source
  }

  /// Begins to encode.
  ///
  /// - Parameter onPlaying: Called, on another thread, when the pipeline runs.
  func start(_ onPlaying: @escaping @Sendable () -> Void) {
    let (events, outcome, folder) = (pipeline.events, outcome, folder)
    // Ends with the pipeline.
    Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: outcome.decide(.success(()))
        case .failed(let failure): outcome.decide(.failure(await .of(failure, folder: folder)))
        }
      }
    }
    pipeline.playInBackground(onPlaying)
  }

  /// Waits until the file is complete.
  ///
  /// - Throws: `MovieFailure`.
  func waitForEnd() async throws(MovieFailure) { try await outcome.wait() }

  /// Ends the waiting with a failure, unless it has ended. Any thread.
  nonisolated func giveUp(_ failure: MovieFailure) { outcome.decide(.failure(failure)) }

  /// Closes the file. An encoder that hangs is left to itself after a while.
  ///
  /// - Returns: Whether nothing writes to the file any more.
  @discardableResult
  func stop() async -> Bool {
    await pipeline.stopInBackground(atMost: Self.patience)
    return pipeline.isDown
  }

  /// Returns when nothing writes to the file any more, however long that takes.
  func waitUntilDown() async { await pipeline.waitUntilDown() }

  private static let patience = TimeSpan.seconds(5)
}
