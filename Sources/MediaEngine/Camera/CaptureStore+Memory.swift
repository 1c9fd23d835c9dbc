// The one budget of memory over the rings, what is on screen, and the live photos that are gathered, wait or are written.

import CameraCore

extension CaptureStore {
  /// The part of the budget that is free after it was exceeded: some frames fit in before it is looked at again.
  static let headroom = 8
  /// The part of the budget that has to be free before live photos get movies again.
  static let comfort = 4

  /// Whether pictures and movies that are being saved hold all of the budget, though nothing else does. A press holds a frame
  /// that is there anyway, so a little more than the budget is no reason to refuse it.
  var isFull: Bool { budget.isExceeded(adding: -budget.limit / Self.headroom) }
}

extension CaptureStore.State {
  /// Brings all frames back within the budget, if they exceed it, in steps: movies lose frames, the newest movies are given
  /// up so that photos remain, then the ring keeps less. Each frame that is left out goes from everywhere at once, so that
  /// its memory is free.
  mutating func relieve(_ budget: FrameBudget) -> Resumptions {
    if !budget.isExceeded(adding: budget.limit / CaptureStore.comfort) { givesMoviesUp = false }
    guard budget.isExceeded(), let newest = frames.newest?.time else { return Resumptions() }
    func isTight() -> Bool { budget.isExceeded(adding: budget.limit / CaptureStore.headroom) }
    // A press may still refer to what is younger.
    let limit = newest - CaptureStore.shownMemory
    for spacing in WindowThinning.spacings where isTight() {
      let gathered = gatherings.values.filter { !$0.isCut }.map { gathering in
        (times: frames.times(of: gathering.frames), still: gathering.still.time)
      }
      let dropped = WindowThinning.dropped(from: gathered + windows.contents, spacing: spacing).filter { $0 < limit }
      guard !dropped.isEmpty else { continue }
      leaveOut(dropped)
      windows.leaveOut(dropped)
    }
    var resume = Resumptions()
    while isTight(), giveUpNewest(&resume) { givesMoviesUp = true }
    if isTight() { shown.removeFirst(max(0, shown.count - 1)) }
    // Without windows to hold it, the ring is there for the next press only.
    while budget.isExceeded(), frames.holdCount == 0, let oldest = frames.forgetOldest() { forgotten = oldest.time }
    return resume
  }

  /// Leaves out frames from the ring and from the windows that are being gathered.
  private mutating func leaveOut(_ dropped: Set<MonotonicTime>) {
    for (id, gathering) in gatherings where !gathering.isCut && !gathering.lacksFrames {
      gatherings[id]?.lacksFrames = frames.times(of: gathering.frames).contains { dropped.contains($0) }
    }
    frames.leaveOut(dropped)
    if let newest = dropped.max() { thinned = max(newest, thinned ?? newest) }
  }

  /// Gives up the newest movie: of those that are being gathered, else of those that wait.
  ///
  /// - Returns: Whether there was one.
  private mutating func giveUpNewest(_ resume: inout Resumptions) -> Bool {
    let newest = gatherings.filter { !$0.value.isCut }.keys.max { $0.rawValue < $1.rawValue }
    guard let newest, let window = giveUp(newest) else { return windows.giveUpNewest() }
    resume.windows.append(window)
    return true
  }

  /// Gives up the movie of a shot whose window is being gathered.
  mutating func giveUp(_ id: CaptureID) -> Resumptions.Window? {
    guard let gathering = gatherings[id], !gathering.isCut else { return nil }
    gatherings[id]?.isCut = true
    var window = release(gathering)
    window.giveUp()
    let ticket = windows.add(window)
    gatherings[id]?.ticket = ticket
    return (gathering.window, .success(ticket))
  }
}
