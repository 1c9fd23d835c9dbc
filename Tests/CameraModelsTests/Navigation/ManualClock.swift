// A clock that a test advances by hand.

import Synchronization

/// Sleeps end when the test has advanced the clock far enough, and at no other time.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant()
    var count = 0
    var sleepers: [Sleeper] = []
    var canceled: Set<Int> = []
    var waiters: [(sleeperCount: Int, CheckedContinuation<Void, Never>)] = []

    /// Removes those that wait for this many sleepers.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      let ready = waiters.filter { $0.sleeperCount == sleepers.count }.map(\.1)
      waiters.removeAll { $0.sleeperCount == sleepers.count }
      return ready
    }
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (isOver, isCanceled, ready) = state.withLock { state in
          let isOver = deadline <= state.now
          let isCanceled = state.canceled.remove(id) != nil
          if !isOver, !isCanceled {
            state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          }
          return (isOver, isCanceled, state.takeWaiters())
        }
        ready.forEach { $0.resume() }
        if isCanceled { continuation.resume(throwing: CancellationError()) } else if isOver { continuation.resume() }
      }
    } onCancel: {
      let (sleeper, ready) = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.canceled.insert(id)
          return (nil as Sleeper?, [CheckedContinuation<Void, Never>]())
        }
        return (state.sleepers.remove(at: index), state.takeWaiters())
      }
      sleeper?.continuation.resume(throwing: CancellationError())
      ready.forEach { $0.resume() }
    }
  }

  /// Advances the time, and ends the sleeps that are over.
  func advance(by duration: Duration) {
    let (over, ready) = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let over = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return (over, state.takeWaiters())
    }
    over.forEach { $0.continuation.resume() }
    ready.forEach { $0.resume() }
  }

  /// The number of tasks that are sleeping.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Returns when this many tasks are sleeping.
  func wait(forSleepers count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        guard state.sleepers.count != count else { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
