// The last moments of picture and sound, and the live photos that are being cut from them.

import CameraCore
import Foundation
import Synchronization

/// The rings of frames and sound, the history of what was on screen, and the windows that live photos wait for, behind
/// one lock.
///
/// Streaming threads put frames and sound in; `choose` takes the frame of a shot out without waiting for anything.
final class CaptureStore: Sendable {
  /// Before and after the press, in a live photo.
  static let liveRoll = TimeSpan.seconds(1.5)
  /// The rings' reach beyond a window: a press refers to a frame that is up to some paintings old.
  static let slack = TimeSpan.milliseconds(100)
  /// The age up to which frames are kept while Live is off: longer than it takes from a press until it is handled.
  static let shortRoll = TimeSpan.seconds(0.3)
  /// The time that a window waits for late frames and sound, beyond its own end.
  static let patience = TimeSpan.seconds(1)
  /// The most that the ring of frames may hold when no shot needs it, in bytes.
  static let byteLimit = 64 << 20
  /// A press can't refer to a painting older than this.
  static let shownMemory = TimeSpan.seconds(0.7)

  struct State: ~Copyable {
    var frames = LivePhotoRing<CameraFrame>(
      preRoll: shortRoll, postRoll: liveRoll, slack: slack, byteLimit: byteLimit)
    var sound = LivePhotoRing<SoundChunk>(
      preRoll: liveRoll, postRoll: liveRoll, slack: slack, byteLimit: 4 << 20)
    var session: CameraSession?
    var microphone: MicrophoneDevice?
    var isLive = false
    /// The paintings of the last moments, in order.
    var shown: [(at: MonotonicTime, frame: CameraFrame)] = []
    var gatherings: [CaptureID: Gathering] = [:]
    var nextID: UInt64 = 1
    /// When the rings began to be filled for Live; `nil` until the first frame or sound since.
    var framesSince: MonotonicTime?
    var soundSince: MonotonicTime?
    var preRollWaiters: [CheckedContinuation<Void, Never>] = []
    var quietWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// A live photo whose window is still arriving, or has arrived and not been fetched.
  struct Gathering {
    var still: CameraFrame
    var session: CameraSession
    var frames: LivePhotoRing<CameraFrame>.Hold
    /// `nil` when the movie will have no sound.
    var sound: LivePhotoRing<SoundChunk>.Hold?
    /// Whether the window is complete, or as complete as it will be. Then it holds nothing of the rings.
    var isCut = false
    let window = OneShot<LiveWindow, CancellationError>()
  }

  private let state = Mutex(State())

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  // MARK: Arrivals

  /// A camera begins to deliver.
  func open(_ session: CameraSession) {
    withState { state in
      state.session = session
      state.framesSince = nil
    }
  }

  /// The camera has ended. Windows that were waiting for it are as complete as they will be.
  func close() {
    let resume = withState { state in
      state.session = nil
      state.shown = []
      state.framesSince = nil
      let resume = state.cutWindows { _ in true }
      state.frames.removeAll()
      return resume
    }
    resume.run()
  }

  /// Takes a frame.
  ///
  /// - Returns: Whether it is newer than the one before.
  func receive(_ frame: CameraFrame) -> Bool {
    let (isNew, resume) = withState { state -> (Bool, Resumptions) in
      guard state.session != nil, state.frames.append(frame, at: frame.time, byteCount: frame.block.count) else {
        return (false, Resumptions())
      }
      if state.framesSince == nil {
        // Frames from before Live was turned on count as well.
        state.framesSince = state.frames.entry(at: MonotonicTime(nanoseconds: .min))?.time
      }
      return (true, state.cutCompleteWindows())
    }
    resume.run()
    return isNew
  }

  /// Takes a chunk of sound.
  func receive(_ chunk: SoundChunk) {
    let resume = withState { state -> Resumptions in
      guard state.microphone != nil else { return Resumptions() }
      let duration = chunk.end - chunk.time
      guard state.sound.append(chunk, at: chunk.time, duration: duration, byteCount: chunk.block.count) else {
        return Resumptions()
      }
      if state.soundSince == nil { state.soundSince = chunk.time }
      return state.cutCompleteWindows()
    }
    resume.run()
  }

  /// Notes which frame is on screen since when.
  func markShown(_ frame: CameraFrame, at shown: MonotonicTime) {
    withState { state in
      guard state.session != nil else { return }
      if let last = state.shown.last, last.frame.time == frame.time || shown < last.at { return }
      state.shown.append((shown, frame))
      let cut = shown - Self.shownMemory
      while state.shown.count > 1, state.shown[1].at <= cut { state.shown.removeFirst() }
    }
  }

  /// Nothing is on screen any more.
  func forgetShown() { withState { $0.shown = [] } }

  // MARK: Live

  /// Starts or stops keeping what live photos need.
  func setLive(_ isLive: Bool) {
    let resume = withState { state -> Resumptions in
      state.isLive = isLive
      state.frames.preRoll = isLive ? Self.liveRoll : Self.shortRoll
      state.framesSince = nil
      return state.cutCompleteWindows()
    }
    resume.run()
  }

  /// Sound comes from this microphone from now on, or from none.
  func setMicrophone(_ microphone: MicrophoneDevice?) {
    let resume = withState { state -> Resumptions in
      guard state.microphone != microphone else { return Resumptions() }
      state.microphone = microphone
      state.soundSince = nil
      // Whoever waits for sound that won't come gets what there is once the frames are there.
      let resume = state.cutCompleteWindows()
      if microphone == nil { state.sound.removeAll() }
      return resume
    }
    resume.run()
  }

  var ringByteCount: Int { withState { $0.frames.byteCount + $0.sound.byteCount } }

  /// Whether shots hold so much that another frame of this size would go past the ring's limit.
  func isOverfull(adding byteCount: Int) -> Bool {
    withState { $0.frames.holdCount > 0 && $0.frames.byteCount + byteCount > Self.byteLimit }
  }

  var isLive: Bool { withState { $0.isLive } }

  /// Whether a live photo's window is still arriving.
  var isGathering: Bool { withState { $0.isGathering } }

  /// Returns when the rings reach back over the pre-roll; at once when Live is off or no camera runs.
  func waitForPreRoll() async {
    await withCheckedContinuation { continuation in
      let isReady = withState { state in
        if state.hasPreRoll { return true }
        state.preRollWaiters.append(continuation)
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  // MARK: Shots

  /// The frame of a shot and what goes with it.
  struct Choice {
    var id: CaptureID
    var frame: CameraFrame
    var session: CameraSession
    var microphone: MicrophoneDevice?
  }

  /// Chooses the frame that was on screen at the press, or the newest one from before it where nothing is shown. For a
  /// live photo, `gather` or `abandon` must follow.
  func choose(pressed: MonotonicTime, isLive: Bool) -> Choice? {
    withState { state in
      guard let session = state.session else { return nil }
      let onScreen = state.shown.last { $0.at <= pressed }?.frame
      guard let frame = onScreen ?? state.frames.entry(at: pressed)?.payload else { return nil }
      let id = CaptureID(rawValue: state.nextID)
      state.nextID += 1
      let microphone = isLive ? state.microphone : nil
      if isLive {
        state.gatherings[id] = Gathering(
          still: frame, session: session, frames: state.frames.beginCapture(at: frame.time),
          sound: microphone == nil ? nil : state.sound.beginCapture(at: frame.time))
      }
      return Choice(id: id, frame: frame, session: session, microphone: microphone)
    }
  }

  /// The window of a live photo, once it is complete; after the camera's end or `patience`, what there is of it.
  ///
  /// - Returns: `nil` when the task was canceled.
  func gather(_ id: CaptureID) async -> LiveWindow? {
    guard let (window, end) = withState({ $0.gatherings[id].map { ($0.window, $0.frames.end) } }) else { return nil }
    defer { abandon(id) }
    let timer = Task.detached {
      let wait = end + Self.patience - .now
      if wait > .zero { try? await Task.sleep(nanoseconds: UInt64(wait.nanoseconds)) }
      if !Task.isCancelled { self.withState { state in state.cutWindows { $0 == id } }.run() }
    }
    defer { timer.cancel() }
    return try? await window.wait(orWhenCancelled: CancellationError())
  }

  /// Gives up a shot's window, if it still holds one.
  func abandon(_ id: CaptureID) {
    let resume = withState { state -> Resumptions in
      guard let gathering = state.gatherings.removeValue(forKey: id) else { return Resumptions() }
      if !gathering.isCut { state.release(gathering) }
      var resume = state.cutCompleteWindows()
      resume.windows.append((gathering.window, .failure(CancellationError())))
      return resume
    }
    resume.run()
  }

  /// Returns when no shot is gathering its movie.
  func waitUntilGathered() async {
    await withCheckedContinuation { continuation in
      let isQuiet = withState { state in
        if !state.isGathering { return true }
        state.quietWaiters.append(continuation)
        return false
      }
      if isQuiet { continuation.resume() }
    }
  }
}
