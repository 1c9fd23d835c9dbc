// The frames of a movie on their way into the encoder: their times stay, their pixels go as soon as nobody needs them.

import CameraCore
import Synchronization

/// The frames of one movie, in order, all of one size.
final class MovieFrames: Sendable {
  /// Of the frames, in pixels.
  let size: PixelSize
  /// When each frame is shown, in nanoseconds since the first.
  let times: [Int64]
  /// How long the movie lasts in nanoseconds: until the last frame has been shown for as long as most of them.
  let duration: Int64
  /// The first frame's.
  let origin: MonotonicTime

  private struct State {
    var frames: [CameraFrame?]
    /// How many from the start are gone.
    var letGo = 0
  }
  private let state: Mutex<State>

  /// A live photo lasts no longer; photo servers take longer ones for movies. In nanoseconds.
  private static let longest: Int64 = 3_050_000_000

  /// - Returns: `nil` when there is no frame of the still's size.
  init?(_ window: LiveWindow) {
    let size = window.still.size
    let frames = window.frames.filter { $0.size == size }
    guard let first = frames.first else { return nil }
    self.size = size
    origin = first.time
    let times = frames.map { ($0.time - first.time).nanoseconds }
    self.times = times
    let rate = window.session.frameRate.framesPerSecond
    // A camera in the dark delivers fewer frames than its rate says: the usual distance counts.
    let distances = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
    let usual = distances.isEmpty ? Int64(1e9 / max(1, rate)) : distances[distances.count / 2]
    let last = times[times.count - 1]
    duration = max(last + 1_000_000, min(last + usual, Self.longest))
    state = Mutex(State(frames: frames))
  }

  var count: Int { times.count }

  /// Whether every frame is still here, so that another encoder can begin from the start.
  var isWhole: Bool { state.withLock { $0.letGo == 0 } }

  /// The frame, and how long it is shown, in nanoseconds; `nil` when it was let go.
  func frame(_ index: Int) -> CameraFrame? { state.withLock { $0.frames[index] } }

  func span(_ index: Int) -> Int64 { (index + 1 < count ? times[index + 1] : duration) - times[index] }

  /// Drops the frames before `index`.
  func letGo(before index: Int) {
    state.withLock { state in
      while state.letGo < index {
        state.frames[state.letGo] = nil
        state.letGo += 1
      }
    }
  }

  /// The time of the frame that is shown at an instant; that of the first or the last one outside of the movie.
  func displayTime(of instant: MonotonicTime) -> Int64 {
    let offset = (instant - origin).nanoseconds
    return times.last { $0 <= offset } ?? 0
  }
}
