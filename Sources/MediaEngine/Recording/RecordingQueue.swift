// The frames on their way from the camera's thread to the encoder's.

import CameraCore
import Dispatch
import Synchronization

/// A queue of camera frames between two threads, limited in number and in bytes. The camera's thread never waits: what
/// the encoder can't take in time is refused, the newest first, so that what is queued stays continuous.
final class RecordingQueue: Sendable {
  /// The most frames that wait, beyond those of `patience`: two seconds of most cameras.
  static let countLimit = 64
  /// The most bytes that wait, beyond the frames of `patience`.
  static let byteLimit = 64 << 20
  /// The most bytes that wait at all.
  static let greatestByteLimit = 160 << 20
  /// The time whose frames may wait, however large they are: sound is waited for, and muxer and encoder take some, too.
  private static let patience = MovieRecorder.soundPatience.seconds + 0.25

  private let frameFloor: Int

  /// - Parameter rate: Of the camera.
  init(rate: FrameRate = FrameRate(30)) {
    frameFloor = Int((min(rate.framesPerSecond, 1000) * Self.patience).rounded(.up))
  }

  private struct State {
    var frames: [(frame: CameraFrame, time: TimeSpan)] = []
    var byteCount = 0
    var isEnded = false
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  /// Whether no frame waits and more may come: nobody can be expected to make progress.
  var isIdle: Bool { withState { $0.frames.isEmpty && !$0.isEnded } }

  /// Frames that wait.
  var count: Int { withState { $0.frames.count } }

  /// How near it is to one of its limits, 0 to 1.
  var fullness: Double {
    withState { state in
      max(
        Double(state.frames.count) / Double(Self.countLimit),
        state.frames.count < 2 ? 0 : Double(state.byteCount) / Double(Self.byteLimit))
    }
  }

  /// Whether the queue was given up.
  var isCancelled: Bool { withState { $0.isCancelled } }

  /// Puts a frame into the queue.
  ///
  /// - Parameter time: Its time in the movie.
  /// - Returns: Whether there was room.
  func offer(_ frame: CameraFrame, at time: TimeSpan) -> Bool {
    let isIn = withState { state in
      guard !state.isEnded, !state.isCancelled, state.frames.count < max(Self.countLimit, frameFloor),
        state.frames.isEmpty
          || state.byteCount + frame.block.count
            <= (state.frames.count < frameFloor ? Self.greatestByteLimit : Self.byteLimit)
      else { return false }
      state.frames.append((frame, time))
      state.byteCount += frame.block.count
      return true
    }
    if isIn { arrivals.signal() }
    return isIn
  }

  /// No frame follows. What waits is still handed out.
  func end() {
    withState { $0.isEnded = true }
    arrivals.signal()
  }

  /// Gives up what waits.
  func cancel() {
    withState { state in
      state.isCancelled = true
      state.frames = []
      state.byteCount = 0
    }
    arrivals.signal()
  }

  /// The next frame, when there is one; blocks the thread until then.
  ///
  /// - Returns: `nil` after the last, and when the queue is given up.
  func next() -> (frame: CameraFrame, time: TimeSpan)? {
    while true {
      arrivals.wait()
      let (item, isOver) = withState { state -> ((frame: CameraFrame, time: TimeSpan)?, Bool) in
        guard !state.frames.isEmpty else { return (nil, state.isEnded || state.isCancelled) }
        let item = state.frames.removeFirst()
        state.byteCount -= item.frame.block.count
        return (item, false)
      }
      if item != nil || isOver { return item }
    }
  }
}
