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
  /// The same when stills are averaged: in the dark, some cameras send 8 frames a second.
  static let companionRoll = TimeSpan.seconds(0.9)
  /// The time that a window waits for late frames and sound, beyond its own end.
  static let patience = TimeSpan.seconds(1)
  /// The most that the ring of frames may hold when no shot needs it, in bytes.
  static let byteLimit = 64 << 20
  /// The most bytes of all frames together: the ring's, those on the screen, and those of live photos that wait.
  static let totalLimit = 160 << 20
  /// A press can't refer to a painting older than this.
  static let shownMemory = TimeSpan.seconds(0.7)

  /// The age up to which a sensor's own frames are kept: a painting may be of a frame that was old by then.
  static let rawMemory = shownMemory + shortRoll
  /// The most bytes of a sensor's own frames, which are kept beside the rings, unless these are fewer than `fewestRaw`.
  static let rawByteLimit = 32 << 20
  /// The fewest of a sensor's own frames that are kept, however large: what is on screen is up to two frames old.
  static let fewestRaw = 3

  /// Presses at least this many frames apart get different frames; a little less than one, because the times of presses
  /// are in whole milliseconds.
  static let burstSpacing = 0.9

  struct State: ~Copyable {
    /// The windows that are cut: until they are fetched, and on their way through the writer.
    let windows: WaitingWindows
    var frames = LivePhotoRing<CameraFrame>(
      preRoll: shortRoll, postRoll: liveRoll, slack: slack, byteLimit: byteLimit)
    var sound = LivePhotoRing<SoundChunk>(
      preRoll: liveRoll, postRoll: liveRoll, slack: slack, byteLimit: 4 << 20)
    /// The sensor's own frames of the last moments, in order, where shots get them.
    var rawFrames: [(time: MonotonicTime, frame: BayerFrame)] = []
    var session: CameraSession?
    /// The error that ended the last camera, unless it was closed on request.
    var loss: CameraError?
    /// The age up to which a frame may become a picture.
    var freshness: FrameFreshness?
    /// The shots that wait for the next frame, in the order of their presses.
    var frameWaiters: [FrameWaiter] = []
    var microphone: MicrophoneDevice?
    var isLive = false
    /// Whether frames around a press are wanted.
    var keepsCompanions = false
    /// The paintings of the last moments, in order.
    var shown: [(at: MonotonicTime, frame: CameraFrame)] = []
    /// The last shot: its press, and the time of its frame.
    var lastShot: (pressed: MonotonicTime, frame: MonotonicTime)?
    var gatherings: [CaptureID: Gathering] = [:]
    var nextID: UInt64 = 1
    /// When the rings began to be filled for Live; `nil` until the first frame or sound since.
    var framesSince: MonotonicTime?
    var soundSince: MonotonicTime?
    var preRollWaiters: [CheckedContinuation<Void, Never>] = []
    var quietWaiters: [CheckedContinuation<Void, Never>] = []
    /// The movie that is being recorded.
    var recorder: MovieRecorder?
    /// Whether no movie may begin, as the camera is about to be closed.
    var isEndingRecordings = false
    /// Whether movies have every other frame only, and whether the last one was left out.
    var halvesMovies = false
    var leftOutLast = false
    /// Whether live photos get no movies, since there is no memory for more of them.
    var givesMoviesUp = false
    /// The newest frame that the ring had to forget early for lack of memory, and the newest of which others were left out.
    var forgotten: MonotonicTime?
    var thinned: MonotonicTime?
  }

  /// A live photo whose window is still arriving, or has arrived and not been fetched.
  struct Gathering {
    var still: CameraFrame
    var session: CameraSession
    var frames: LivePhotoRing<CameraFrame>.Hold
    /// `nil` when the movie will have no sound.
    var sound: LivePhotoRing<SoundChunk>.Hold?
    /// When the ring of frames began to be filled.
    var framesSince: MonotonicTime?
    /// The first failure of the microphone since the press.
    var soundFailure: String?
    /// Whether frames of it were left out for lack of memory.
    var lacksFrames = false
    /// Whether the window is complete, or as complete as it will be. Then it holds nothing of the rings.
    var isCut = false
    /// Whether the ring had less than the pre-roll at the press, because the frames are large.
    var isTrimmed = false
    /// Whether the ring had less than the pre-roll at the press, because there was no memory for it.
    var isCutShort = false
    /// Of the window, once it is cut.
    var ticket: WaitingWindows.Ticket?
    let window = OneShot<WaitingWindows.Ticket, CancellationError>()
  }

  private let state: Mutex<State>
  let limits: EngineLimits
  /// Counts the frames and the sound that live.
  let budget: FrameBudget
  /// The windows that were cut, and those that are written.
  let windows: WaitingWindows

  init(limits: EngineLimits = EngineLimits(), budget: FrameBudget = FrameBudget(limit: CaptureStore.totalLimit)) {
    self.limits = limits
    self.budget = budget
    let windows = WaitingWindows()
    self.windows = windows
    state = Mutex(State(windows: windows))
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  // MARK: Arrivals

  /// A camera begins to deliver.
  func open(_ session: CameraSession) {
    withState { state in
      state.session = session
      state.loss = nil
      state.freshness = FrameFreshness(rate: session.frameRate, floor: limits.staleFrame)
      state.framesSince = nil
      state.lastShot = nil
    }
  }

  /// A camera was lost; `close` follows. Shots that have no picture yet, or not their whole movie, say so.
  func lose(_ camera: CameraDevice, because error: CameraError) {
    withState { if $0.session?.camera.id == camera.id { $0.loss = error } }
  }

  /// The camera has ended. Windows that were waiting for it are as complete as they will be.
  func close() {
    let (resume, waiters, error) = withState { state in
      state.session = nil
      state.shown = []
      state.rawFrames = []
      state.framesSince = nil
      let resume = state.cutWindows { _ in true }
      state.frames.removeAll()
      let waiters = state.frameWaiters
      state.frameWaiters = []
      return (resume, waiters, state.shotError)
    }
    resume.run()
    recorder?.cameraEnded()
    for waiter in waiters { waiter.choice.decide(.failure(error)) }
  }

  /// Takes a frame.
  ///
  /// - Parameter raw: The same frame as the sensor has it.
  /// - Returns: Whether it is newer than the one before.
  func receive(_ frame: CameraFrame, raw: BayerFrame? = nil) -> Bool {
    let (isNew, isLeftOut, resume, served) = withState { state -> (Bool, Bool, Resumptions, (FrameWaiter, Choice)?) in
      guard let session = state.session, state.frames.append(frame, at: frame.time, byteCount: frame.block.count)
      else { return (false, false, Resumptions(), nil) }
      state.leftOutLast = state.halvesMovies && !state.leftOutLast
      state.freshness?.received(at: frame.time)
      if let raw { state.keep(raw, at: frame.time) }
      // Each frame goes to one shot, so that no two that waited are the same picture.
      let waiter = state.frameWaiters.isEmpty ? nil : state.frameWaiters.removeFirst()
      let served = waiter.map { ($0, state.begin(frame, session, isLive: $0.isLive)) }
      if served != nil { state.lastShot = (frame.time, frame.time) }
      if state.framesSince == nil {
        // Frames from before Live was turned on count as well.
        state.framesSince = state.frames.entry(at: MonotonicTime(nanoseconds: .min))?.time
      }
      var resume = state.cutCompleteWindows()
      resume.windows += state.relieve(budget).windows
      return (true, state.leftOutLast, resume, served)
    }
    resume.run()
    if isNew { if isLeftOut { recorder?.leaveOut(frame) } else { recorder?.receive(frame) } }
    // A shot that has given up meanwhile needs no window.
    if let (waiter, choice) = served, !waiter.choice.decide(.success(choice)) { abandon(choice.id) }
    return isNew
  }

  /// Takes a chunk of sound.
  ///
  /// - Returns: Whether it is newer than the one before.
  @discardableResult
  func receive(_ chunk: SoundChunk) -> Bool {
    let (isNew, resume) = withState { state -> (Bool, Resumptions) in
      let duration = chunk.end - chunk.time
      guard state.microphone != nil,
        state.sound.append(chunk, at: chunk.time, duration: duration, byteCount: chunk.block.count)
      else { return (false, Resumptions()) }
      if state.soundSince == nil { state.soundSince = chunk.time }
      return (true, state.cutCompleteWindows())
    }
    resume.run()
    if isNew { recorder?.receive(chunk) }
    return isNew
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

  /// Nothing is on screen anymore.
  func forgetShown() { withState { $0.shown = [] } }

  /// Gives movies every other frame only, or all again. Photos lose nothing: the ring has all of them.
  func setHalvesMovies(_ halvesMovies: Bool) { withState { $0.halvesMovies = halvesMovies } }

  // MARK: Live

  /// Starts or stops keeping what live photos need.
  func setLive(_ isLive: Bool) {
    let resume = withState { state -> Resumptions in
      state.isLive = isLive
      state.frames.preRoll = state.wantedRoll
      state.framesSince = nil
      return state.cutCompleteWindows()
    }
    resume.run()
  }

  /// Sound comes from this microphone from now on, or from none.
  ///
  /// - Parameter failure: The microphone's failure, a sentence, when that is why there is none.
  func setMicrophone(_ microphone: MicrophoneDevice?, because failure: String? = nil) {
    let resume = withState { state -> Resumptions in
      if let failure { state.noteSoundFailure(failure) }
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

  /// Whether shots hold so much that another frame of this size would go past the ring's limit, or that of all frames.
  func isOverfull(adding byteCount: Int) -> Bool {
    if budget.isExceeded(adding: byteCount) { return true }
    return withState { $0.frames.holdCount > 0 && $0.frames.byteCount + byteCount > Self.byteLimit }
  }

  var isLive: Bool { withState { $0.isLive } }

  var isOpen: Bool { withState { $0.session != nil } }

  /// The newest frame of the camera that runs.
  var newestFrame: CameraFrame? { withState { $0.session == nil ? nil : $0.frames.newest?.payload } }
  /// The age up to which frames are kept.
  var preRoll: TimeSpan { withState { $0.wantedRoll } }

  /// Keeps frames for long enough that several around a press can be averaged, or only as long as a press takes.
  func setKeepsCompanions(_ keepsCompanions: Bool) {
    withState { state in
      state.keepsCompanions = keepsCompanions
      state.frames.preRoll = state.wantedRoll
    }
  }

  /// The number of shots that wait for the next frame. For tests.
  var waitingShotCount: Int { withState { $0.frameWaiters.count } }

  /// Whether a live photo's window is still arriving, or a movie is being recorded.
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

  /// Returns when no shot is gathering its movie, and no movie is being recorded.
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

extension CaptureStore.State {
  /// The age up to which frames are kept when no shot needs them.
  var wantedRoll: TimeSpan {
    isLive ? CaptureStore.liveRoll : keepsCompanions ? CaptureStore.companionRoll : CaptureStore.shortRoll
  }

  /// The reason why a shot has no picture when no camera runs.
  var shotError: CameraError { loss?.ofShot ?? .notRunning }

  /// Keeps a sensor's frame as long as a press may refer to it.
  mutating func keep(_ raw: BayerFrame, at time: MonotonicTime) {
    rawFrames.append((time, raw))
    let most = max(CaptureStore.fewestRaw, CaptureStore.rawByteLimit / max(1, raw.block.count))
    let surplus = rawFrames.count - most
    if surplus > 0 { rawFrames.removeFirst(surplus) }
    let limit = time - CaptureStore.rawMemory
    while let first = rawFrames.first, first.time < limit { rawFrames.removeFirst() }
  }
}
