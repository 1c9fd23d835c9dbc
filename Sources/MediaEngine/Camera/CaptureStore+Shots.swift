// The shots: the frame of each press, and the windows of live photos.

import CameraCore
import Foundation
import Synchronization

extension CaptureStore {
  /// The frames around that of a shot. They are large: whoever averages them takes them out, so that their memory is free
  /// while the shot is still being saved.
  final class Companions: Sendable {
    private let frames: Mutex<[CameraFrame]>
    let count: Int

    /// - Parameter frames: The nearest first.
    init(_ frames: [CameraFrame] = []) {
      count = frames.count
      self.frames = Mutex(frames)
    }

    /// The frames, the nearest first; none the second time.
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    func take() -> [CameraFrame] {
      frames.withLock { frames in
        defer { frames = [] }
        return frames
      }
    }
  }

  /// The frame of a shot and what goes with it.
  struct Choice {
    var id: CaptureID
    var frame: CameraFrame
    var session: CameraSession
    var microphone: MicrophoneDevice?
    /// Whether the frame was on screen, so that it was decoded.
    var wasShown = false
    /// The frames around it, where they were asked for.
    var companions = Companions()
    /// The same frame as the sensor has it; `nil` when it isn't saved, as with the photos of a burst: they are too many, and
    /// each would hold that memory.
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
  ///   - isNew: Whether only a newer frame than that of the last shot is taken, however soon the press came: for bursts.
  ///   - companions: The number of frames around it that are handed out as well.
  /// - Returns: `nil` without a camera or memory, or when its last frame was stale at the press: `nextChoice` tells.
  func choose(
    pressed: MonotonicTime, isLive: Bool, before limit: MonotonicTime? = nil, isNew: Bool = false, companions: Int = 0
  ) -> Choice? {
    withState { state in
      guard let session = state.session, !isFull else { return nil }
      let onScreen = limit == nil ? state.shown.last { $0.at <= pressed }?.frame : nil
      let instant = limit.map { min(pressed, $0 - TimeSpan(nanoseconds: 1)) } ?? pressed
      let newest = state.frames.entry(at: instant)?.payload
      var candidates = [onScreen, newest].compactMap { $0 }
      if let last = state.lastShot, let newest,
        isNew
          || newest.time > last.frame
            && (pressed - last.pressed).seconds * session.frameRate.framesPerSecond >= Self.burstSpacing
      {
        candidates.removeAll { $0.time <= last.frame }
      }
      candidates.removeAll { !(state.freshness?.isFresh($0.time, at: pressed) ?? true) }
      // Of large sensors' frames, few are kept: what is on screen may be older than all of them.
      let complete = session.savesRaw ? candidates.first { state.raw(of: $0) != nil } : nil
      guard let frame = complete ?? candidates.first,
        limit.map({ frame.time < $0 }) ?? true
      else { return nil }
      // A shot whose first frame was a damaged one chooses again, perhaps after a later press.
      if state.lastShot.map({ pressed >= $0.pressed }) ?? true { state.lastShot = (pressed, frame.time) }
      var choice = state.begin(frame, session, isLive: isLive)
      if isNew { choice.raw = nil }
      choice.wasShown = frame.time == onScreen?.time
      if companions > 0 {
        choice.companions = Companions(
          state.frames.entries(nearest: frame.time, count: companions).map(\.payload))
      }
      return choice
    }
  }

  /// Waits for the next frame, for a shot that found only a stale one. Each frame goes to one shot. For a live photo,
  /// `gather` or `abandon` must follow.
  ///
  /// - Throws: `CameraError.stoppedSending` when none comes in time, `tooManyShots` when there is no memory for it, why the
  ///   camera is gone, or `notRunning`.
  func nextChoice(isLive: Bool, isOfBurst: Bool = false) async throws(CameraError) -> Choice {
    if isFull, isOpen { throw .tooManyShots }
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
    var choice = try await waiter.choice.wait(atMost: limits.nextFrame, late: late)
    if isOfBurst { choice.raw = nil }
    return choice
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
    return (try? await window.wait(orWhenCancelled: CancellationError())).flatMap { windows.take($0) }
  }

  /// Gives up a shot's window, if it still holds one.
  func abandon(_ id: CaptureID) {
    let resume = withState { state -> Resumptions in
      guard let gathering = state.gatherings.removeValue(forKey: id) else { return Resumptions() }
      if !gathering.isCut { state.release(gathering) }
      // Cut, and never fetched.
      if let ticket = gathering.ticket { state.windows.remove(ticket) }
      var resume = state.cutCompleteWindows()
      resume.windows.append((gathering.window, .failure(CancellationError())))
      return resume
    }
    resume.run()
  }
}

extension CaptureStore.State {
  /// Begins a shot with its frame.
  mutating func begin(_ frame: CameraFrame, _ session: CameraSession, isLive: Bool) -> CaptureStore.Choice {
    let id = CaptureID(rawValue: nextID)
    nextID += 1
    let microphone = isLive ? self.microphone : nil
    if isLive {
      gatherings[id] = CaptureStore.Gathering(
        still: frame, session: session, frames: frames.beginCapture(at: frame.time),
        sound: microphone == nil ? nil : sound.beginCapture(at: frame.time), framesSince: framesSince,
        isTrimmed: frames.isTrimmed)
      if let start = gatherings[id]?.frames.start {
        gatherings[id]?.isCutShort = forgotten.map { $0 >= start } ?? false
        gatherings[id]?.lacksFrames = thinned.map { $0 >= start } ?? false
      }
      // Nobody waits for the window yet.
      if givesMoviesUp, let (window, result) = giveUp(id) { window.decide(result) }
    }
    return CaptureStore.Choice(id: id, frame: frame, session: session, microphone: microphone, raw: raw(of: frame))
  }

  /// A frame as the sensor has it; `nil` when it isn't kept, or not anymore.
  func raw(of frame: CameraFrame) -> BayerFrame? { rawFrames.last { $0.time == frame.time }?.frame }
}
