// The frames of a live photo's movie, released as they are encoded.

import CameraCore
import Synchronization

/// The frames of one movie, in order, all of one size. Their times stay when their pixels are released.
final class MovieFrames: Sendable {
  /// The size of the frames, in pixels.
  let size: PixelSize
  /// The frames' times, in nanoseconds since the first.
  let times: [Int64]
  /// In nanoseconds; the last frame is shown for as long as most of them.
  let duration: Int64
  /// The time of the first frame.
  let origin: MonotonicTime
  /// The time of the frame that is the still.
  let still: MonotonicTime
  /// Whether the frames are to be mirrored.
  let isMirrored: Bool
  /// The color space of a movie of 10 bits, by GStreamer's name; `nil` where one of 8 bits is made: of cameras and settings
  /// without 10 bits, and where some frame was compressed for lack of memory, so that a movie doesn't change its look midway.
  let deepColorimetry: String?

  private struct State {
    var frames: [CameraFrame?]
    /// The number of frames from the start that are released.
    var released = 0
    /// Whether some were left out for lack of memory.
    var lacksSome = false
  }
  private let state: Mutex<State>

  /// In nanoseconds; photo servers treat longer live photos as movies.
  private static let longest: Int64 = 3_050_000_000

  /// - Returns: `nil` if there is no frame of the still's size.
  init?(_ window: LiveWindow) {
    let size = window.still.size
    let frames = window.frames.filter { $0.size == size }
    guard let first = frames.first else { return nil }
    self.size = size
    isMirrored = window.isMirrored
    let isDeep = window.session.isHDR && frames.allSatisfy { $0.deepLayout != nil }
    deepColorimetry = isDeep ? window.still.deepLayout?.colorimetry ?? MoviePictureMaker.colorimetry : nil
    origin = first.time
    still = window.still.time
    let times = frames.map { ($0.time - first.time).nanoseconds }
    self.times = times
    let rate = window.session.frameRate.framesPerSecond
    // In the dark, cameras deliver fewer frames than their rate says: the median interval counts.
    let distances = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
    let usual = distances.isEmpty ? Int64(1e9 / max(1, rate)) : distances[distances.count / 2]
    let last = times[times.count - 1]
    duration = max(last + 1_000_000, min(last + usual, Self.longest))
    state = Mutex(State(frames: frames))
  }

  var count: Int { times.count }

  /// Whether no frame is released yet, so that another encoder can start over.
  var isWhole: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { state.withLock { $0.released == 0 } }
  }

  /// Whether frames were left out for lack of memory.
  var lacksSome: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { state.withLock { $0.lacksSome } }
  }

  /// The times of the frames that are still held.
  var heldTimes: [MonotonicTime] { state.withLock { $0.frames.compactMap { $0?.time } } }

  /// Leaves out the frames of these times: those before them are shown longer.
  func leaveOut(_ dropped: Set<MonotonicTime>) {
    state.withLock { state in
      for (index, frame) in state.frames.enumerated() {
        guard let frame, dropped.contains(frame.time) else { continue }
        state.frames[index] = nil
        state.lacksSome = true
      }
    }
  }

  /// A frame; `nil` if it was released or left out.
  func frame(_ index: Int) -> CameraFrame? { state.withLock { $0.frames[index] } }

  /// The time for which a frame is shown, in nanoseconds.
  func span(_ index: Int) -> Int64 { (index + 1 < count ? times[index + 1] : duration) - times[index] }

  /// Releases the frames before `index`.
  func release(before index: Int) {
    state.withLock { state in
      while state.released < index {
        state.frames[state.released] = nil
        state.released += 1
      }
    }
  }

  /// The time of the frame that is shown at an instant; that of the first or the last one outside of the movie.
  func displayTime(of instant: MonotonicTime) -> Int64 {
    let offset = (instant - origin).nanoseconds
    return times.last { $0 <= offset } ?? 0
  }
}
