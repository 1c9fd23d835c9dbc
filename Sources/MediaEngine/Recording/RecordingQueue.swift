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

  /// What the encoder's thread gets.
  enum Item: Sendable {
    /// A frame, and its time in the movie.
    case frame(CameraFrame, TimeSpan)
    /// The movie pauses here: a frame may be long in coming, and is another view.
    case pause
  }

  private let frameFloor: Int
  /// The frames that wait while sound is waited for, however fast the encoder is.
  private let usualCount: Double

  /// - Parameter rate: Of the camera.
  init(rate: FrameRate = FrameRate(30)) {
    let framesPerSecond = min(rate.framesPerSecond, 1000)
    frameFloor = Int((framesPerSecond * Self.patience).rounded(.up))
    usualCount = framesPerSecond * MovieRecorder.soundPatience.seconds
    state = Mutex(State())
  }

  private init(continuing queue: RecordingQueue, with rest: State) {
    (frameFloor, usualCount) = (queue.frameFloor, queue.usualCount)
    state = Mutex(rest)
    let isOver = rest.isEnded || rest.isCancelled
    for _ in 0..<rest.frames.count + (rest.pause == nil ? 0 : 1) + (isOver ? 1 : 0) { arrivals.signal() }
  }

  private struct State {
    var frames: [(frame: CameraFrame, time: TimeSpan)] = []
    /// The number of frames before the pause.
    var pause: Int?
    var byteCount = 0
    var isEnded = false
    var isCancelled = false
  }

  private let state: Mutex<State>
  private let arrivals = DispatchSemaphore(value: 0)

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  /// Whether no frame waits and more may come: nobody can be expected to make progress.
  var isIdle: Bool { withState { $0.frames.isEmpty && !$0.isEnded } }

  /// Frames that wait.
  var count: Int { withState { $0.frames.count } }

  /// How near it is to one of its limits, 0 to 1, beyond the frames that always wait while sound is waited for: those don't
  /// tell of an encoder that is too slow.
  var fullness: Double {
    withState { state in
      guard state.frames.count >= 2 else { return 0 }
      let size = Double(state.byteCount) / Double(state.frames.count)
      let (count, floor) = (Double(state.frames.count), Double(frameFloor))
      let beyond = min(Double(max(Self.countLimit, frameFloor)), Double(Self.byteLimit) / size)
      let most = max(beyond, min(floor, Double(Self.greatestByteLimit) / size))
      let usual = min(usualCount, most / 2)
      return min(1, max(0, (count - usual) / (most - usual)))
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

  /// The movie pauses behind what waits.
  func pause() {
    let isNew = withState { state in
      defer { state.pause = state.frames.count }
      return state.pause == nil
    }
    if isNew { arrivals.signal() }
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
      state.pause = nil
    }
    arrivals.signal()
  }

  /// Moves what waits to a new queue, with its pause and its end. This one is given up: whoever reads it, perhaps much
  /// later, takes nothing from the new one.
  func handOn() -> RecordingQueue {
    let rest = withState { state in
      defer {
        state = State()
        state.isCancelled = true
      }
      return state
    }
    arrivals.signal()
    return RecordingQueue(continuing: self, with: rest)
  }

  /// The next frame or pause, when there is one; blocks the thread until then.
  ///
  /// - Returns: `nil` after the last, and when the queue is given up.
  func next() -> Item? {
    while true {
      arrivals.wait()
      let (item, isOver) = withState { state -> (Item?, Bool) in
        if state.pause == 0 {
          state.pause = nil
          return (.pause, false)
        }
        guard !state.frames.isEmpty else { return (nil, state.isEnded || state.isCancelled) }
        let (frame, time) = state.frames.removeFirst()
        state.byteCount -= frame.block.count
        if let pause = state.pause { state.pause = pause - 1 }
        return (.frame(frame, time), false)
      }
      if item != nil || isOver { return item }
    }
  }
}
