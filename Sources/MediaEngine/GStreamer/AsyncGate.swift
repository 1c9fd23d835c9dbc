// An asynchronous semaphore, first come, first served.

import Synchronization

/// Admits a limited number of tasks at a time; the others wait in the order in which they came.
///
/// Unlike an actor, it stays closed while the work inside is suspended.
final class AsyncGate: Sendable {
  private struct State {
    var free: Int
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    /// Tickets that were canceled before they were in the queue.
    var cancelled: Set<UInt64> = []
    var nextTicket: UInt64 = 0
    var mostInside = 0
    var inside = 0

    mutating func admit() {
      inside += 1
      mostInside = max(mostInside, inside)
    }
  }

  private let state: Mutex<State>

  /// - Parameter places: The number of tasks that may be inside at a time.
  init(places: Int = 1) { state = Mutex(State(free: places)) }

  /// The number of tasks that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }
  /// The most tasks that were ever inside at once.
  var mostInside: Int { state.withLock { $0.mostInside } }

  /// Waits for a place, however the task fares meanwhile. Each call is followed by one of `leave`.
  func enter() async { _ = await takePlace(newTicket()) }

  /// Waits for a place. Each call that returns is followed by one of `leave`.
  ///
  /// - Throws: `CancellationError` if the task is canceled while it waits; it holds no place then.
  func enterUnlessCancelled() async throws(CancellationError) {
    let ticket = newTicket()
    let isIn = await withTaskCancellationHandler {
      await takePlace(ticket)
    } onCancel: {
      cancel(ticket)
    }
    forget(ticket)
    if !isIn { throw CancellationError() }
  }

  /// Passes the place on to the task that has waited longest.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.inside -= 1
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      state.admit()
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  @inline(never)
  private func cancel(_ ticket: UInt64) {
    let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) {
        return state.waiting.remove(at: index).continuation
      }
      state.cancelled.insert(ticket)
      return nil
    }
    continuation?.resume(returning: false)
  }

  @inline(never)
  private func forget(_ ticket: UInt64) { state.withLock { _ = $0.cancelled.remove(ticket) } }

  @inline(never)
  private func newTicket() -> UInt64 {
    state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
  }

  /// - Returns: Whether the place was taken; `false` if the ticket was canceled.
  private func takePlace(_ ticket: UInt64) async -> Bool {
    await withCheckedContinuation { queue($0, ticket) }
  }

  @inline(never)
  private func queue(_ continuation: CheckedContinuation<Bool, Never>, _ ticket: UInt64) {
    let isIn = state.withLock { state -> Bool? in
      if state.cancelled.contains(ticket) { return false }
      if state.free > 0 {
        state.free -= 1
        state.admit()
        return true
      }
      state.waiting.append((ticket, continuation))
      return nil
    }
    if let isIn { continuation.resume(returning: isIn) }
  }
}
