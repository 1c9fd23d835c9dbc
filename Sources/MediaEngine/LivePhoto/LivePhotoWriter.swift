// Writes the movie of a live photo: H.264 and AAC in an MP4 with its index in front.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// Writes movies, one or two at a time; the others wait their turn. Everything runs at low priority, so that the
/// viewfinder loses nothing to it.
@PipelineActor
final class LivePhotoWriter {
  /// Of the threads that decode and encode; 10 is a tenth of the normal share of a processor that is wanted by others.
  nonisolated static let niceness: Int32 = 10

  private let limits: EngineLimits
  /// For tests: what counts as installed.
  private let encoders: @Sendable () -> [VideoEncoder]
  private let turn: Turnstile

  nonisolated init(limits: EngineLimits, encoders: @escaping @Sendable () -> [VideoEncoder] = VideoEncoder.installed) {
    self.limits = limits
    self.encoders = encoders
    // Each encoder has threads for every processor already.
    turn = Turnstile(places: ProcessInfo.processInfo.activeProcessorCount > 4 ? 2 : 1)
  }

  /// Writes a movie into `folder`, under a name that begins with a point.
  ///
  /// - Throws: `CameraError.movieFailed`, also when the task is cancelled. No file is left behind then.
  func write(_ window: LiveWindow, into folder: URL) async throws(CameraError) -> CapturedMovie {
    await turn.enter()
    defer { turn.leave() }
    let size = window.still.size
    let frames = window.frames.filter { $0.size == size }
    guard !frames.isEmpty else { throw .movieFailed(message: "the camera went away before a frame was kept") }
    let candidates = encoders()
    guard !candidates.isEmpty else { throw GStreamerRuntime.missing("x264enc") }
    let movie = Movie(window, frames: frames, size: size)
    var lastError = CameraError.movieFailed(message: "no encoder could be used")
    for encoder in candidates {
      let url = folder.appending(path: ".live-\(UUID().uuidString).mp4")
      do {
        try await write(movie, with: encoder, to: url)
        return CapturedMovie(
          url: url, duration: movie.duration, photoDisplayTime: movie.photoDisplayTime, hasSound: movie.sound != nil)
      } catch {
        try? FileManager.default.removeItem(at: url)
        try? FileManager.default.removeItem(at: url.appendingPathExtension("part"))
        if Task.isCancelled { throw .movieFailed(message: "it was cancelled") }
        lastError = .movieFailed(message: error.message)
        guard error.isEncoders else { break }
        encoder.giveUp()
      }
    }
    throw lastError
  }

  /// What is to be written.
  private struct Movie: Sendable {
    var frames: [CameraFrame]
    var size: PixelSize
    var rate: FrameRate
    var sound: SoundTrack?
    var soundEncoder: SoundEncoder?
    /// In seconds.
    var duration: Double
    var photoDisplayTime: Double

    /// Both tracks begin with the first frame, and the sound ends with the last one.
    init(_ window: LiveWindow, frames: [CameraFrame], size: PixelSize) {
      self.frames = frames
      self.size = size
      rate = window.session.frameRate
      let (start, last) = (frames[0].time, frames[frames.count - 1].time)
      let end = last + .seconds(1 / max(1, rate.framesPerSecond))
      duration = (end - start).seconds
      photoDisplayTime = min(max(0, (window.still.time - start).seconds), (last - start).seconds)
      soundEncoder = SoundEncoder.installed()
      // The encoder lags behind: what it is given first comes out when `delay` samples have passed. So it is given the
      // sound of that later moment, and the 20 to 40 ms before are silent.
      let delay = soundEncoder.map { TimeSpan.seconds(Double($0.delay) / Double(SoundChunk.sampleRate)) } ?? .zero
      if MovieParts.missingForSound() == nil { sound = SoundTrack(window.sound, from: start + delay, to: end) }
    }
  }

  private struct WriteFailure: Error {
    var message: String
    /// Another encoder may do better; a full disk stays full.
    var isEncoders: Bool
  }

  private func write(_ movie: Movie, with encoder: VideoEncoder, to url: URL) async throws(WriteFailure) {
    let (pipeline, feeder): (Pipeline, MovieFrameFeeder)
    do { (pipeline, feeder) = try build(movie, encoder, url) } catch {
      throw WriteFailure(message: "\(error)", isEncoders: true)
    }
    defer {
      feeder.stop()
      pipeline.stop()
    }
    guard !Task.isCancelled else { throw WriteFailure(message: "it was cancelled", isEncoders: false) }
    _ = pipeline.play()
    feeder.start()
    try await finish(pipeline, feeder)
    if let message = feeder.failure { throw WriteFailure(message: message, isEncoders: false) }
  }

  /// Waits for the last byte, as long as there is progress.
  private func finish(_ pipeline: Pipeline, _ feeder: MovieFrameFeeder) async throws(WriteFailure) {
    let outcome = FirstArrival()
    let failure = Mutex<PipelineFailure?>(nil)
    let events = pipeline.events
    let listener = Task.detached {
      for await event in events {
        if case .failed(let reason) = event { failure.withLock { $0 = $0 ?? reason } }
        if case .failed = event { outcome.decide(.failure(.movieFailed(message: "the encoder failed"))) }
        if case .endOfStream = event { outcome.decide(.success(())) }
      }
    }
    let limit = limits.movieProgress
    let watchdog = Task.detached {
      var seen = -1
      while (try? await Task.sleep(nanoseconds: UInt64(limit.nanoseconds))) != nil {
        if feeder.fedCount == seen { outcome.decide(.failure(.movieFailed(message: "the encoder stood still"))) }
        seen = feeder.fedCount
      }
    }
    defer {
      listener.cancel()
      watchdog.cancel()
    }
    do {
      // The watchdog is the limit; an hour only names one.
      try await outcome.wait(atMost: .seconds(3600), late: .movieFailed(message: "the encoder stood still"))
    } catch {
      let reason = failure.withLock { $0 }
      let isFile = reason.map { ["file", "muxer"].contains($0.element) } ?? false
      throw WriteFailure(message: reason?.message ?? "the encoder stood still", isEncoders: !isFile)
    }
  }

  private func build(
    _ movie: Movie, _ videoEncoder: VideoEncoder, _ url: URL
  ) throws(CameraError) -> (Pipeline, MovieFrameFeeder) {
    let pipeline = try Pipeline(name: "live photo", baseTime: .now, niceness: Self.niceness)
    let muxer = try Element("mp4mux", name: "muxer")
    // The index comes first, so that players can start at once; the detour is beside the file, not in /tmp.
    muxer.set("faststart", true)
    muxer.set("faststart-file", url.appendingPathExtension("part").path)
    let file = try Element("filesink", name: "file")
    file.set("location", url.path)
    file.set("async", false)
    try pipeline.add(chain: [muxer, file])

    let even = PixelSize(width: movie.size.width & ~1, height: movie.size.height & ~1)
    let format = CameraFormat(encoding: .raw(MovieFrameFeeder.layout), size: even, frameRates: [movie.rate])
    let source = try AppSource.make(
      caps: format.caps(rate: movie.rate) + ",colorimetry=(string)\(MovieFrameFeeder.colorimetry)"
        + ",interlace-mode=(string)progressive,pixel-aspect-ratio=(fraction)1/1", isLive: false)
    // Three pictures wait at most.
    source.set("block", true)
    source.set("max-bytes", even.area * 3 / 2 * 3)
    let parser = try Element("h264parse")
    let form = try Element("capsfilter")
    form.setCaps("video/x-h264,stream-format=(string)avc,alignment=(string)au")
    try pipeline.add(chain: [source, try videoEncoder.make(size: even, rate: movie.rate), parser, form])
    // Times in 90000ths of a second: a frame's time is kept to 11 µs.
    try pipeline.link(form, to: muxer.requestPad("video_%u", setting: [("trak-timescale", "90000")]))

    if let sound = movie.sound, let soundEncoder = movie.soundEncoder {
      let samples = try AppSource.make(
        caps: "audio/x-raw,format=(string)S16LE,layout=(string)interleaved,rate=(int)\(SoundChunk.sampleRate)"
          + ",channels=(int)\(sound.channels)", isLive: false)
      samples.set("max-bytes", 0)
      let soundParser = try Element("aacparse")
      try pipeline.add(chain: [samples, try Element("audioconvert"), try soundEncoder.make(), soundParser])
      try pipeline.link(soundParser, to: muxer.requestPad("audio_%u"))
      AppSource.push(sound.samples, to: samples, time: 0)
      AppSource.end(samples)
    }
    let feeder = MovieFrameFeeder(
      movie.frames, size: movie.size, rate: movie.rate, to: source, niceness: Self.niceness)
    return (pipeline, feeder)
  }
}
