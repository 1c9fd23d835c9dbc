// Lets so many movies be written at a time; the others wait in the order in which they came, and may go away again.

import Synchronization

/// A gate with a number of places.
final class WriterQueue: Sendable {
  private struct State {
    var free: Int
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    /// Tickets that were cancelled before they stood in the line.
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

  init(places: Int) { state = Mutex(State(free: places)) }

  /// How many wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }
  /// The most that were ever inside at once.
  var mostInside: Int { state.withLock { $0.mostInside } }

  /// Goes in, as soon as there is a place. `leave` must follow.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits; it holds no place then.
  func enter() async throws {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
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
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        if let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) {
          return state.waiting.remove(at: index).continuation
        }
        state.cancelled.insert(ticket)
        return nil
      }
      continuation?.resume(returning: false)
    }
    _ = state.withLock { $0.cancelled.remove(ticket) }
    if !isIn { throw CancellationError() }
  }

  /// Leaves the place to the next.
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
}
