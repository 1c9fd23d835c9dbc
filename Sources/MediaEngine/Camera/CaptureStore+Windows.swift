// Frame and sound windows of live photos: completeness, cutting, and the tasks that wait for them. Decisions are made
// under the store's lock; the tasks are resumed after it is released.

import CameraCore

/// The tasks to resume when the lock is free again.
struct Resumptions: Sendable {
  typealias Window = (
    OneShot<WaitingWindows.Ticket, CancellationError>, Result<WaitingWindows.Ticket, CancellationError>
  )

  var windows: [Window] = []
  var others: [CheckedContinuation<Void, Never>] = []

  func run() {
    for (window, result) in windows { window.decide(result) }
    for continuation in others { continuation.resume() }
  }
}

extension CaptureStore.State {
  /// Whether a window is still arriving, or a movie is being recorded.
  var isGathering: Bool { recorder != nil || gatherings.values.contains { !$0.isCut } }

  /// Whether a live photo taken now would reach back over the whole pre-roll, or a still have all its companions.
  var hasPreRoll: Bool {
    guard isLive || keepsCompanions, session != nil else { return true }
    // Counted from when the ring began to fill, not from its oldest entry: a ring that reached its limit of bytes is as
    // full as it gets.
    func isFilled(since start: MonotonicTime?, until end: MonotonicTime?) -> Bool {
      guard let start, let end else { return false }
      // The frame that was on screen is a little older than the newest.
      return end - start >= wantedRoll + CaptureStore.slack
    }
    guard isFilled(since: framesSince, until: frames.newest?.time) else { return false }
    return !isLive || microphone == nil || isFilled(since: soundSince, until: sound.newest?.end)
  }

  /// Cuts the windows that are complete, and resumes those who wait for what has come true.
  mutating func cutCompleteWindows() -> Resumptions {
    guard !gatherings.isEmpty || !preRollWaiters.isEmpty || !quietWaiters.isEmpty else { return Resumptions() }
    let complete = gatherings.filter { isComplete($0.value) }.map(\.key)
    return cutWindows { complete.contains($0) }
  }

  /// Cuts the windows for which `isDue` holds, as complete as they are.
  mutating func cutWindows(where isDue: (CaptureID) -> Bool) -> Resumptions {
    var resume = Resumptions()
    for (id, gathering) in gatherings where !gathering.isCut && isDue(id) {
      gatherings[id]?.isCut = true
      let ticket = windows.add(release(gathering))
      gatherings[id]?.ticket = ticket
      resume.windows.append((gathering.window, .success(ticket)))
    }
    if hasPreRoll {
      resume.others += preRollWaiters
      preRollWaiters = []
    }
    if !isGathering {
      resume.others += quietWaiters
      quietWaiters = []
    }
    return resume
  }

  /// Ends a shot's holds on the rings, and hands out what they held.
  @discardableResult
  mutating func release(_ gathering: CaptureStore.Gathering) -> LiveWindow {
    let window = frames.endCapture(gathering.frames)
    let heard = gathering.sound.map { sound.endCapture($0).entries.map(\.payload) } ?? []
    var live = LiveWindow(
      session: gathering.session, still: gathering.still, frames: window.entries.map(\.payload), sound: heard)
    live.shortfalls = CaptureShortfall.ofFrames(
      at: window.entries.map(\.time), from: window.start, to: window.end, session: gathering.session,
      since: gathering.framesSince, isTrimmed: gathering.isTrimmed, isCutShort: gathering.isCutShort, loss: loss)
    if halvesMovies { live.halveFrames() }
    if gathering.lacksFrames { live.noteFewerFrames() }
    if gathering.sound != nil { live.noteMissingSound(because: gathering.soundFailure) }
    return live
  }

  /// The microphone failed: the windows that still wait for its sound will say why they lack some.
  mutating func noteSoundFailure(_ failure: String) {
    for (id, gathering) in gatherings where !gathering.isCut && gathering.soundFailure == nil {
      gatherings[id]?.soundFailure = failure
    }
  }

  private func isComplete(_ gathering: CaptureStore.Gathering) -> Bool {
    guard frames.isComplete(gathering.frames) else { return false }
    // A microphone that was opened again after a failure, and has sent nothing yet, isn't waited for.
    guard let hold = gathering.sound, microphone != nil, soundSince != nil else { return true }
    return sound.isComplete(hold)
  }
}
