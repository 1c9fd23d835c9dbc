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
  /// The most bytes of a sensor's own frames, which are kept beside the rings.
  static let rawByteLimit = 32 << 20

  /// Presses at least this many frames apart get different frames; a little less than one, because the times of presses
  /// are in whole milliseconds.
  static let burstSpacing = 0.9

  struct State: ~Copyable {
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
    /// Whether the window is complete, or as complete as it will be. Then it holds nothing of the rings.
    var isCut = false
    let window = OneShot<LiveWindow, CancellationError>()
  }

  private let state = Mutex(State())
  private let limits: EngineLimits
  /// Counts the frames that live.
  let budget: FrameBudget

  init(limits: EngineLimits = EngineLimits(), budget: FrameBudget = FrameBudget(limit: CaptureStore.totalLimit)) {
    self.limits = limits
    self.budget = budget
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
      return (true, state.leftOutLast, state.cutCompleteWindows(), served)
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

  /// Nothing is on screen any more.
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

  // MARK: Shots

  /// The frame of a shot and what goes with it.
  struct Choice {
    var id: CaptureID
    var frame: CameraFrame
    var session: CameraSession
    var microphone: MicrophoneDevice?
    /// Whether the frame was on screen, so that it was decoded.
    var wasShown = false
    /// The frames around it, the nearest first, where they were asked for.
    var companions: [CameraFrame] = []
    /// The same frame as the sensor has it; `nil` when it isn't saved.
    var raw: BayerFrame?
  }

  /// A shot that waits for the next frame.
  final class FrameWaiter: Sendable {
    let isLive: Bool
    let choice = OneShot<Choice, CameraError>()

    init(isLive: Bool) { self.isLive = isLive }
  }

  /// Chooses the frame that was on screen at the press, or the newest one from before it where nothing is shown or what
  /// is shown is stale. For a live photo, `gather` or `abandon` must follow.
  ///
  /// In a burst, a busy machine paints fewer frames than the camera takes. A press that is at least a frame later than the
  /// last one gets a newer frame than that even so: the newest from before the press.
  ///
  /// - Parameters:
  ///   - limit: Only frames from before this instant that were not on screen are taken.
  ///   - companions: The number of frames around it that are handed out as well.
  /// - Returns: `nil` without a camera, or when its last frame was stale at the press: `nextChoice` tells.
  func choose(pressed: MonotonicTime, isLive: Bool, before limit: MonotonicTime? = nil, companions: Int = 0) -> Choice?
  {
    withState { state in
      guard let session = state.session else { return nil }
      let onScreen = limit == nil ? state.shown.last { $0.at <= pressed }?.frame : nil
      let instant = limit.map { min(pressed, $0 - TimeSpan(nanoseconds: 1)) } ?? pressed
      let newest = state.frames.entry(at: instant)?.payload
      var candidates = [onScreen, newest].compactMap { $0 }
      if let last = state.lastShot, let newest, newest.time > last.frame,
        (pressed - last.pressed).seconds * session.frameRate.framesPerSecond >= Self.burstSpacing
      {
        candidates.removeAll { $0.time <= last.frame }
      }
      guard let frame = candidates.first(where: { state.freshness?.isFresh($0.time, at: pressed) ?? true }),
        limit.map({ frame.time < $0 }) ?? true
      else { return nil }
      state.lastShot = (pressed, frame.time)
      var choice = state.begin(frame, session, isLive: isLive)
      choice.wasShown = frame.time == onScreen?.time
      if companions > 0 {
        choice.companions = state.frames.entries(nearest: frame.time, count: companions).map(\.payload)
      }
      return choice
    }
  }

  /// Waits for the next frame, for a shot that found only a stale one. Each frame goes to one shot. For a live photo,
  /// `gather` or `abandon` must follow.
  ///
  /// - Throws: `CameraError.stoppedSending` when none comes in time, why the camera is gone, or `notRunning`.
  func nextChoice(isLive: Bool) async throws(CameraError) -> Choice {
    let waiter = FrameWaiter(isLive: isLive)
    let late = withState { state -> CameraError in
      guard let session = state.session else {
        waiter.choice.decide(.failure(state.shotError))
        return state.shotError
      }
      state.frameWaiters.append(waiter)
      return .stoppedSending(camera: session.camera.name)
    }
    defer { withState { state in state.frameWaiters.removeAll { $0 === waiter } } }
    return try await waiter.choice.wait(atMost: limits.nextFrame, late: late)
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

  /// Begins a shot with its frame.
  mutating func begin(_ frame: CameraFrame, _ session: CameraSession, isLive: Bool) -> CaptureStore.Choice {
    let id = CaptureID(rawValue: nextID)
    nextID += 1
    let microphone = isLive ? self.microphone : nil
    if isLive {
      gatherings[id] = CaptureStore.Gathering(
        still: frame, session: session, frames: frames.beginCapture(at: frame.time),
        sound: microphone == nil ? nil : sound.beginCapture(at: frame.time), framesSince: framesSince)
    }
    let raw = rawFrames.last { $0.time == frame.time }?.frame
    return CaptureStore.Choice(id: id, frame: frame, session: session, microphone: microphone, raw: raw)
  }

  /// Keeps a sensor's frame as long as a press may refer to it.
  mutating func keep(_ raw: BayerFrame, at time: MonotonicTime) {
    rawFrames.append((time, raw))
    let most = max(1, CaptureStore.rawByteLimit / max(1, raw.block.count))
    let surplus = rawFrames.count - most
    if surplus > 0 { rawFrames.removeFirst(surplus) }
    let limit = time - CaptureStore.rawMemory
    while let first = rawFrames.first, first.time < limit { rawFrames.removeFirst() }
  }
}
