// Writing of live photos' movies: H.264, or HEVC with 10 bits, and AAC in an MP4 with its index in front.

import CameraCore
import Foundation
import LinuxShim
import Localization
import Synchronization

/// Writes movies, two at a time. Decoding and encoding run at low priority, so that the viewfinder loses nothing to them.
final class LivePhotoWriter: Sendable {
  /// The niceness of the threads that decode and encode: a tenth of the normal share of a busy processor.
  static let niceness: Int32 = 10
  /// The number of movies that are written at a time.
  static let placeCount = 2

  /// Admits the movies that are being written.
  let gate = AsyncGate(places: placeCount)
  private let waiting: WaitingWindows
  private let limits: EngineLimits
  private let making: EncoderMaking
  private let encoders: @Sendable () -> [VideoEncoder]
  private let deepEncoders: @Sendable () -> [VideoEncoder]
  private let soundEncoders: @Sendable () -> [SoundEncoder]
  private let disk: MovieOutput.Disk

  private let steps = Mutex<(done: Int, running: [ObjectIdentifier: MovieProgress])>((0, [:]))

  /// Changes with each step of any movie, and with each movie's end.
  var stepCount: Int {
    steps.withLock { steps in steps.running.values.reduce(steps.done) { $0 + $1.steps } }
  }

  /// - Parameters:
  ///   - waiting: Holds the frames of the movies, which may lose some of them there.
  ///   - making: The way encoders are made; `nil` for the usual one within the limits.
  ///   - encoders: The installed video encoders, best first; the next is tried when one fails.
  ///   - deepEncoders: Likewise of 10 bits, for frames that have them; `encoders` follow with 8 bits.
  ///   - soundEncoders: Likewise; when none works, the movie is silent.
  ///   - disk: The disk of the movies.
  init(
    limits: EngineLimits, waiting: WaitingWindows = WaitingWindows(), making: EncoderMaking? = nil,
    encoders: @escaping @Sendable () -> [VideoEncoder] = VideoEncoder.installed,
    deepEncoders: @escaping @Sendable () -> [VideoEncoder] = VideoEncoder.installedDeep,
    soundEncoders: @escaping @Sendable () -> [SoundEncoder] = SoundEncoder.installed,
    disk: MovieOutput.Disk = MovieOutput.Disk()
  ) {
    self.limits = limits
    self.making = making ?? EncoderMaking(limit: limits.encoderMaking)
    self.waiting = waiting
    self.encoders = encoders
    self.deepEncoders = deepEncoders
    self.soundEncoders = soundEncoders
    self.disk = disk
  }

  /// Writes a movie into `folder`, which is created if it is missing. Both tracks begin with the first frame and end with
  /// the last one. Frames are released as they are encoded, unless something else holds the window.
  ///
  /// While it is written, the file's name begins with a dot and ends in `.tmp`.
  ///
  /// - Throws: `CameraError.movieFailed`, also when the task is canceled. No file is left behind then.
  func write(_ window: consuming LiveWindow, into folder: URL) async throws(CameraError) -> CapturedMovie {
    // From here on the frames belong to those that wait, which may leave some out, then to `MovieFrames`.
    let ticket = waiting.add(consume window)
    defer { waiting.remove(ticket) }
    try waiting.check(ticket)
    do { try await gate.enterUnlessCancelled() } catch {
      throw .movieFailed(message: MovieFailure.cancelled.message)
    }
    defer { gate.leave() }
    let (frames, begun) = try waiting.begin(ticket)
    var live = begun
    let (sound, still, rate) = (live.sound, live.still.time, live.session.frameRate)
    let output = try await MovieOutput(folder: folder, limits: limits, disk: disk)
    let encoded: Result<(file: [UInt8], hasSound: Bool), CameraError>
    do throws(CameraError) {
      encoded = .success(try await encode(frames, sound, rate: rate, detour: output.detour))
    } catch { encoded = .failure(error) }
    await output.removeDetour()
    let (file, hasSound) = try encoded.get()
    if Task.isCancelled { throw .movieFailed(message: MovieFailure.cancelled.message) }
    let url = try await output.save(file)
    if frames.lacksSome { live.noteFewerFrames() }
    // glibc keeps freed frames for reuse: 160 to 205 MB stayed after some movies, for 100 MB in use. A lower mmap
    // threshold would avoid it too, but costs the preview 2.5 ms a frame.
    Task.detached(priority: .background) { linux_give_back_memory() }
    return CapturedMovie(
      url: url, duration: seconds(frames.duration), photoDisplayTime: seconds(frames.displayTime(of: still)),
      hasSound: hasSound, shortfalls: live.shortfalls)
  }

  /// Tries one encoder after the other.
  private func encode(
    _ frames: MovieFrames, _ chunks: [SoundChunk], rate: FrameRate, detour: URL
  ) async throws(CameraError) -> (file: [UInt8], hasSound: Bool) {
    var videoEncoders = ((frames.deepColorimetry == nil ? [] : deepEncoders()) + encoders())[...]
    var audioEncoders = LivePhotoEncoders.missingForSound() == nil ? soundEncoders()[...] : []
    guard !videoEncoders.isEmpty else { throw GStreamerRuntime.missing("x264enc") }
    while let encoder = videoEncoders.first {
      let sound = audioEncoders.first.flatMap { encoder in
        // The encoder's delay comes out at the end.
        SoundTrack(
          chunks, from: frames.origin, to: frames.origin + TimeSpan(nanoseconds: frames.duration),
          tail: encoder.delay + 1024
        ).map { ($0, encoder) }
      }
      do throws(MovieFailure) {
        // A graphics card may fail at any time; a software encoder that has produced a packet won't.
        let encoding = try await making.make(with: encoder) { () throws(MovieFailure) in
          try LivePhotoEncoding(
            frames, rate: rate, encoder: encoder, sound: sound, keepsFrames: encoder.isHardware, detour: detour)
        }
        begin(encoding.progress)
        defer { end(encoding.progress) }
        return (try await encoding.run(patience: limits.movieProgress), sound != nil)
      } catch {
        guard error.part != .other, frames.isWhole, !Task.isCancelled else {
          throw .movieFailed(message: error.message)
        }
        if error.part == .sound, !audioEncoders.isEmpty {
          audioEncoders.removeFirst()
        } else {
          encoder.giveUp()
          videoEncoders.removeFirst()
          if videoEncoders.isEmpty { throw .movieFailed(message: error.message) }
        }
      }
    }
    throw .movieFailed(message: localized("no encoder works"))
  }

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  @inline(never)
  private func begin(_ progress: MovieProgress) {
    steps.withLock { $0.running[ObjectIdentifier(progress)] = progress }
  }

  @inline(never)
  private func end(_ progress: MovieProgress) {
    steps.withLock { steps in
      steps.running[ObjectIdentifier(progress)] = nil
      steps.done += progress.steps + 1
    }
  }

  /// A time as it is in the file: in whole units of its timescale.
  private func seconds(_ nanoseconds: Int64) -> Double {
    (Double(nanoseconds) * Double(LivePhotoEncoding.timescale) / 1e9).rounded() / Double(LivePhotoEncoding.timescale)
  }
}
