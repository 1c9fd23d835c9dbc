// Writes the movie of a live photo: H.264 and AAC in an MP4 with its index in front.

import CameraCore
import Foundation
import LinuxShim
import Synchronization

/// Writes movies, two at a time; the others wait their turn. Decoding and encoding run at low priority, so that the
/// viewfinder loses nothing to them.
final class LivePhotoWriter: Sendable {
  /// Of the threads that decode and encode; 10 is a tenth of the normal share of a processor that is wanted by others.
  static let niceness: Int32 = 10
  /// How many movies are written at a time.
  static let placeCount = 2

  /// Who writes and who waits.
  let queue = WriterQueue(places: placeCount)
  private let limits: EngineLimits
  private let encoders: @Sendable () -> [VideoEncoder]
  private let soundEncoders: @Sendable () -> [SoundEncoder]

  private let steps = Mutex<(done: Int, running: [ObjectIdentifier: MovieProgress])>((0, [:]))

  /// Changes with each step of any movie, and with each movie's end.
  var stepCount: Int {
    steps.withLock { steps in steps.running.values.reduce(steps.done) { $0 + $1.steps } }
  }

  /// - Parameters:
  ///   - encoders: What counts as installed, best first; the next is tried when one fails.
  ///   - soundEncoders: Likewise; when none works, the movie is silent.
  init(
    limits: EngineLimits, encoders: @escaping @Sendable () -> [VideoEncoder] = VideoEncoder.installed,
    soundEncoders: @escaping @Sendable () -> [SoundEncoder] = SoundEncoder.installed
  ) {
    self.limits = limits
    self.encoders = encoders
    self.soundEncoders = soundEncoders
  }

  /// Writes a movie into `folder`, which is made when it is missing. Both tracks begin with the first frame and end with
  /// the last one. Frames are let go as they are encoded, as far as nobody else holds the window.
  ///
  /// While it is written the file's name begins with a point and ends in `.tmp`.
  ///
  /// - Throws: `CameraError.movieFailed`, also when the task is cancelled. No file is left behind then.
  func write(_ window: consuming LiveWindow, into folder: URL) async throws(CameraError) -> CapturedMovie {
    guard let frames = MovieFrames(copy window) else {
      throw .movieFailed(message: "the camera went away before a frame was kept")
    }
    let (sound, still, rate) = (window.sound, window.still.time, window.session.frameRate)
    // From here on the frames belong to the list that lets them go.
    window.frames = []
    do { try await queue.enter() } catch { throw .movieFailed(message: MovieFailure.cancelled.message) }
    defer { queue.leave() }
    let output = try MovieOutput(folder: folder)
    let (file, hasSound) = try await encode(frames, sound, rate: rate, detour: output.detour)
    if Task.isCancelled { throw .movieFailed(message: MovieFailure.cancelled.message) }
    let url = try output.save(file)
    // glibc keeps the pictures of a movie for later ones: 160 to 205 MB stayed after some movies, for 100 MB in use.
    // A lower limit for its big blocks would do it too, but costs the preview 2.5 ms a frame.
    Task.detached(priority: .background) { linux_give_back_memory() }
    return CapturedMovie(
      url: url, duration: seconds(frames.duration), photoDisplayTime: seconds(frames.displayTime(of: still)),
      hasSound: hasSound)
  }

  /// Tries one encoder after the other.
  private func encode(
    _ frames: MovieFrames, _ chunks: [SoundChunk], rate: FrameRate, detour: URL
  ) async throws(CameraError) -> (file: [UInt8], hasSound: Bool) {
    defer { try? FileManager.default.removeItem(at: detour) }
    var videoEncoders = encoders()[...]
    var audioEncoders = LivePhotoEncoders.missingForSound() == nil ? soundEncoders()[...] : []
    guard !videoEncoders.isEmpty else { throw GStreamerRuntime.missing("x264enc") }
    while let encoder = videoEncoders.first {
      let sound = audioEncoders.first.flatMap { encoder in
        // What lags behind comes out at the end.
        SoundTrack(
          chunks, from: frames.origin, to: frames.origin + TimeSpan(nanoseconds: frames.duration),
          tail: encoder.delay + 1024
        ).map { ($0, encoder) }
      }
      do throws(MovieFailure) {
        // A graphics card may fail in the middle; a program that has given a packet goes on to the end.
        let encoding = try await MovieEncoding(
          frames, rate: rate, encoder: encoder, sound: sound, keepsFrames: encoder.isHardware, detour: detour)
        let progress = encoding.progress
        steps.withLock { $0.running[ObjectIdentifier(progress)] = progress }
        defer {
          steps.withLock { steps in
            steps.running[ObjectIdentifier(progress)] = nil
            steps.done += progress.steps + 1
          }
        }
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
    throw .movieFailed(message: "no encoder could be used")
  }

  /// A time as the file has it: in whole units of its time scale.
  private func seconds(_ nanoseconds: Int64) -> Double {
    (Double(nanoseconds) * Double(MovieEncoding.timescale) / 1e9).rounded() / Double(MovieEncoding.timescale)
  }
}
