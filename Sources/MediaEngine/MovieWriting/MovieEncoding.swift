// One try at a movie with one pair of encoders: the pipeline, and waiting for its last byte.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// Why a try failed, and whether another encoder may do better.
struct MovieFailure: Error {
  enum Part {
    case picture
    case sound
    /// No other encoder would help.
    case other
  }
  var part: Part
  var message: String
}

/// A pipeline that makes an MP4 of frames and sound, in memory.
@PipelineActor
final class MovieEncoding {
  private let pipeline: Pipeline
  private let feeder: MovieFrameFeeder
  nonisolated let progress = MovieProgress()
  private let collector: MovieCollector
  private let detour: URL
  private let sound: (track: SoundTrack, encoder: SoundEncoder)?

  /// Builds the pipeline.
  ///
  /// - Parameters:
  ///   - keepsFrames: Whether `frames` must stay whole for another try.
  ///   - detour: A file that may be made and removed again, for what lies between the two ways through the muxer.
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
      // In units a second; the default of 1800 would round the duration to half a millisecond.
      muxer.set("movie-timescale", Self.timescale)
      let sink = try AppSink.make(receiver: collector)
      try pipeline.add(chain: [muxer, sink])
      let source = try Self.addPicture(
        to: pipeline, size: MoviePictureMaker.pictureSize(of: frames.size), rate: rate,
        colorimetry: MoviePictureMaker.colorimetry, encoder: encoder, muxer: muxer, timescale: Self.timescale,
        progress: progress)
      feeder = MovieFrameFeeder(
        frames, to: source, progress: progress, keepsFrames: keepsFrames, niceness: LivePhotoWriter.niceness)
    } catch {
      throw MovieFailure(part: .picture, message: error.words)
    }
    if let sound {
      do throws(CameraError) { try Self.addSound(to: pipeline, sound, muxer: muxer) } catch {
        throw MovieFailure(part: .sound, message: error.words)
      }
    }
  }

  /// Frames' times are kept to 6 µs: video's usual unit, into which 30 and 29.97 frames a second go.
  nonisolated static let timescale = 90_000

  /// Adds what encodes pictures to a pipeline, up to the muxer.
  ///
  /// - Parameters:
  ///   - size: With even sides.
  ///   - colorimetry: Of the pictures, in GStreamer's words.
  ///   - timescale: Of the track, in units a second.
  /// - Returns: The source, which takes I420 pictures in GStreamer's default layout.
  static func addPicture(
    to pipeline: Pipeline, size: PixelSize, rate: FrameRate, colorimetry: String, encoder: VideoEncoder, muxer: Element,
    timescale: Int, progress: MovieProgress
  ) throws(CameraError) -> Element {
    let format = CameraFormat(encoding: .raw(MoviePictureMaker.layout), size: size, frameRates: [rate])
    let source = try AppSource.make(
      caps: format.caps(rate: rate) + ",colorimetry=(string)\(colorimetry)"
        + ",interlace-mode=(string)progressive,pixel-aspect-ratio=(fraction)1/1", isLive: false)
    // Three pictures wait at most.
    source.set("block", true)
    source.set("max-bytes", size.area * 3 / 2 * 3)
    let parser = try Element("h264parse", name: "parser")
    let form = try Element("capsfilter")
    form.setCaps("video/x-h264,stream-format=(string)avc,alignment=(string)au")
    // Graphics cards take NV12 for the most part.
    let converter = encoder.isHardware ? [try Element("videoconvert")] : []
    try pipeline.add(chain: [source] + converter + [try encoder.make(size: size, rate: rate), parser, form])
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
    // All of it waits: half a megabyte.
    source.set("max-bytes", 0)
    let parser = try Element("aacparse", name: "soundparser")
    let encoder = try sound.encoder.make(channels: sound.track.channels)
    try pipeline.add(chain: [source, try Element("audioconvert"), encoder, parser])
    try pipeline.link(parser, to: muxer.requestPad("audio_%u"))
    AppSource.push(sound.track.samples, to: source, time: 0)
    AppSource.end(source)
  }

  /// Encodes everything and returns the file's bytes. Call it once.
  ///
  /// - Parameter patience: After so long without progress it is given up.
  func run(patience: TimeSpan) async throws(MovieFailure) -> [UInt8] {
    defer {
      feeder.stop()
      pipeline.stop()
    }
    guard !Task.isCancelled else { throw .cancelled }
    _ = pipeline.play()
    feeder.start()
    try await waitForEnd(patience)
    if let message = feeder.failure { throw MovieFailure(part: .other, message: message) }
    let file = collector.take()
    guard let sound else { return file }
    do { return try MovieFile.skippingFirstSamples(sound.encoder.delay, in: file) } catch {
      throw MovieFailure(part: .other, message: "the written movie has no \(error.missing) box")
    }
  }

  private func waitForEnd(_ patience: TimeSpan) async throws(MovieFailure) {
    let outcome = FirstArrival()
    let reason = Mutex<PipelineFailure?>(nil)
    let (events, progress) = (pipeline.events, progress)
    let standstill = CameraError.movieFailed(message: "the encoder stood still")
    let listener = Task.detached {
      for await event in events {
        switch event {
        case .endOfStream:
          outcome.decide(.success(()))
        case .failed(let failure):
          reason.withLock { $0 = $0 ?? failure }
          outcome.decide(.failure(standstill))
        }
      }
    }
    let watchdog = Task.detached {
      var seen = -1
      while (try? await Task.sleep(nanoseconds: UInt64(max(1, patience.nanoseconds)))) != nil {
        let steps = progress.steps
        if steps == seen { outcome.decide(.failure(standstill)) }
        seen = steps
      }
    }
    defer {
      listener.cancel()
      watchdog.cancel()
    }
    do throws(CameraError) {
      // The watchdog is the limit; an hour only names one.
      try await outcome.wait(atMost: .seconds(3600), late: standstill)
    } catch {
      if Task.isCancelled { throw .cancelled }
      guard let reason = reason.withLock({ $0 }) else {
        throw MovieFailure(part: .picture, message: "the encoder stood still")
      }
      if reason.element == "muxer", let words = MovieOutput.words(in: reason.detail, detour.deletingLastPathComponent())
      {
        throw MovieFailure(part: .other, message: words)
      }
      let part: MovieFailure.Part =
        switch reason.element {
        case "muxer": .other
        case "soundencoder", "soundparser": .sound
        default: .picture
        }
      throw MovieFailure(part: part, message: reason.message)
    }
  }
}

extension MovieFailure {
  static let cancelled = MovieFailure(part: .other, message: "it was cancelled")
}

extension CameraError {
  /// What went wrong, to stand inside another sentence.
  fileprivate var words: String {
    if case .device(_, let message) = self { return message }
    return description
  }
}

/// Gathers the bytes of a file that is written from front to back.
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

  /// Everything that came. Empty afterwards.
  func take() -> [UInt8] {
    bytes.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
  }
}
