// Encoding of a live photo's movie into memory, with one pair of encoders.

import CGStreamer
import CameraCore
import Foundation
import Localization
import MediaFormats
import Synchronization

/// A pipeline that makes an MP4 of frames and sound, in memory.
///
/// An actor of its own, made on any thread: see `EncoderMaking`.
actor LivePhotoEncoding {
  private let pipeline: Pipeline
  private let feeder: MovieFrameFeeder
  nonisolated let progress = MovieProgress()
  private let collector: MovieCollector
  private let detour: URL
  private let sound: (track: SoundTrack, encoder: SoundEncoder)?
  private let executor = QueueExecutor(label: "photome.live-photo")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Builds the pipeline; nothing runs yet.
  ///
  /// - Parameters:
  ///   - keepsFrames: Whether `frames` must stay whole for another attempt.
  ///   - detour: A temporary file for the muxer, which rewrites the samples behind the index.
  /// - Throws: `MovieFailure` if an element is missing or can't be used.
  init(
    _ frames: MovieFrames, rate: FrameRate, encoder: VideoEncoder, sound: (track: SoundTrack, encoder: SoundEncoder)?,
    keepsFrames: Bool, detour: URL
  ) throws(MovieFailure) {
    self.sound = sound
    self.detour = detour
    collector = MovieCollector(progress: progress)
    let muxer: Element
    do throws(CameraError) {
      pipeline = try Pipeline(name: "live photo", baseTime: .now, niceness: LivePhotoWriter.niceness)
      muxer = try Element("mp4mux", name: "muxer")
      // The index comes first, so that players can start at once.
      muxer.set("faststart", true)
      muxer.set("faststart-file", detour.path)
      // Units a second; the default of 1800 would round the duration to half a millisecond.
      muxer.set("movie-timescale", Self.timescale)
      let sink = try AppSink.make(receiver: collector)
      try pipeline.add(chain: [muxer, sink])
      let source = try Self.addPicture(
        to: pipeline, size: MoviePictureMaker.pictureSize(of: frames.size), rate: rate,
        colorimetry: MoviePictureMaker.colorimetry(for: encoder, frames.deepColorimetry), encoder: encoder,
        muxer: muxer, timescale: Self.timescale,
        progress: progress)
      feeder = MovieFrameFeeder(
        frames, to: source, coding: encoder.coding, progress: progress, keepsFrames: keepsFrames,
        niceness: LivePhotoWriter.niceness)
    } catch {
      throw MovieFailure(part: .picture, message: error.ofPipeline)
    }
    if let sound {
      do throws(CameraError) { try Self.addSound(to: pipeline, sound, muxer: muxer) } catch {
        throw MovieFailure(part: .sound, message: error.ofPipeline)
      }
    }
  }

  /// Units a second. Times are kept to 6 µs; 90 kHz is MPEG's usual unit, a multiple of 30 and 29.97 frames a second.
  static let timescale = 90_000

  /// Adds the elements that encode frames to a pipeline, up to the muxer.
  ///
  /// - Parameters:
  ///   - size: With even sides.
  ///   - colorimetry: GStreamer's name.
  ///   - timescale: Units a second of the track.
  ///   - purpose: The length and the quality of the movie, by which the encoder is set up.
  /// - Returns: The source, which takes frames of the encoder's layout as GStreamer has it by default: I420, or I420_10LE.
  static func addPicture(
    to pipeline: Pipeline, size: PixelSize, rate: FrameRate, colorimetry: String, encoder: VideoEncoder, muxer: Element,
    timescale: Int, progress: MovieProgress, purpose: VideoEncoder.Purpose = .clip
  ) throws(CameraError) -> Element {
    let format = CameraFormat(encoding: .raw(encoder.coding.layout), size: size, frameRates: [rate])
    let source = try AppSource.make(
      caps: format.caps(rate: rate) + ",colorimetry=(string)\(colorimetry)"
        + ",interlace-mode=(string)progressive,pixel-aspect-ratio=(fraction)1/1", isLive: false)
    // At most three frames wait.
    source.set("block", true)
    source.set("max-bytes", Int(Double(size.area) * encoder.coding.bytesPerPixel) * 3)
    let parser = try Element(encoder.coding.parser, name: "parser")
    let form = try Element("capsfilter")
    form.setCaps(encoder.coding.caps)
    // Most graphics cards take NV12, or P010 for 10 bits.
    let converter = encoder.isHardware ? [try Element("videoconvert")] : []
    var taken: [Element] = []
    if encoder.isHardware, encoder.coding == .hevcMain10 {
      // Else the converter may choose 8 bits.
      let depth = try Element("capsfilter")
      depth.setCaps("video/x-raw(ANY),format=(string){P010_10LE,I420_10LE}")
      taken.append(depth)
    }
    let compressor = try encoder.make(size: size, rate: rate, purpose: purpose)
    try pipeline.add(chain: [source] + converter + taken + [compressor, parser, form])
    progress.countPackets(of: form)
    try pipeline.link(form, to: muxer.requestPad("video_%u", setting: [("trak-timescale", "\(timescale)")]))
    return source
  }

  private static func addSound(
    to pipeline: Pipeline, _ sound: (track: SoundTrack, encoder: SoundEncoder), muxer: Element
  ) throws(CameraError) {
    let source = try AppSource.make(
      caps: "audio/x-raw,format=(string)S16LE,layout=(string)interleaved,rate=(int)\(SoundChunk.sampleRate)"
        + ",channels=(int)\(sound.track.channels)", isLive: false)
    // All of the sound waits: half a megabyte.
    source.set("max-bytes", 0)
    let parser = try Element("aacparse", name: "soundparser")
    let encoder = try sound.encoder.make(channels: sound.track.channels)
    try pipeline.add(chain: [source, try Element("audioconvert"), encoder, parser])
    try pipeline.link(parser, to: muxer.requestPad("audio_%u"))
    AppSource.push(sound.track.samples, to: source, time: 0)
    AppSource.end(source)
  }

  /// The time that an encoder gets to stop. One that hangs longer is left to itself: it holds its few frames.
  static let stopLimit = TimeSpan.seconds(5)

  /// Encodes everything and returns the file's bytes. Call it once.
  ///
  /// - Parameter patience: The time without progress after which it fails.
  /// - Throws: `MovieFailure`.
  func run(patience: TimeSpan) async throws(MovieFailure) -> [UInt8] {
    let result: Result<[UInt8], MovieFailure>
    do throws(MovieFailure) { result = .success(try await encode(patience)) } catch { result = .failure(error) }
    feeder.stop()
    await pipeline.stopInBackground(atMost: Self.stopLimit)
    return try result.get()
  }

  private func encode(_ patience: TimeSpan) async throws(MovieFailure) -> [UInt8] {
    guard !Task.isCancelled else { throw .cancelled }
    let feeder = feeder
    pipeline.playInBackground { feeder.start() }
    try await waitForEnd(patience)
    if let message = feeder.failure { throw MovieFailure(part: .other, message: message) }
    let file = collector.take()
    guard let sound else { return file }
    do { return try EncoderDelay.skip(sound.encoder.delay, in: file) } catch {
      throw MovieFailure(part: .other, message: localized("the video can’t be finished: \(error.reason)"))
    }
  }

  private func waitForEnd(_ patience: TimeSpan) async throws(MovieFailure) {
    let outcome = OneShot<Void, MovieFailure>()
    let (events, progress, folder) = (pipeline.events, progress, detour.deletingLastPathComponent())
    let listener = Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: outcome.decide(.success(()))
        case .failed(let failure): outcome.decide(.failure(await .of(failure, folder: folder)))
        }
      }
    }
    let watchdog = progress.watch(patience) { outcome.decide(.failure(.standstill)) }
    defer {
      listener.cancel()
      watchdog.cancel()
    }
    try await outcome.wait(orWhenCancelled: .cancelled)
  }
}

extension CameraError {
  /// The message of a pipeline that couldn't be built, to stand inside another sentence.
  var ofPipeline: String {
    if case .device(_, let message) = self { return message }
    return description.asClause
  }
}

/// Collects the bytes of a file that is written from front to back.
private final class MovieCollector: SampleReceiver {
  private let bytes = Mutex<[UInt8]>([])
  private let progress: MovieProgress

  init(progress: MovieProgress) { self.progress = progress }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
    defer { gst_buffer_unmap(buffer, &map) }
    bytes.withLock { $0.append(contentsOf: UnsafeRawBufferPointer(start: map.data, count: Int(map.size))) }
    progress.written.add(Int(map.size), ordering: .relaxed)
  }

  /// The bytes so far. The collector is empty afterwards.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func take() -> [UInt8] {
    bytes.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
  }
}
