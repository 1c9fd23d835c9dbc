// A program that is stopped at any disk operation, and goes on later.

import Dispatch
import Foundation
import Synchronization

@testable import PhotoLibrary

/// The n-th step waits until it is released, as if the process had been stopped in between.
final class Pause: Sendable {
  private struct State {
    var left: Int
    var isArmed = false
    var hasEnded = false
    var waiter: CheckedContinuation<Bool, Never>?
    var isReached = false
  }

  private let state: Mutex<State>
  private let gate = DispatchSemaphore(value: 0)

  init(at number: Int) { state = Mutex(State(left: number)) }

  var disk: Disk {
    Disk { [self] step, _ in
      guard step != .read, step != .watch else { return nil }
      let (isHere, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Bool, Never>?) in
        guard state.isArmed else { return (false, nil) }
        state.left -= 1
        guard state.left == 0 else { return (false, nil) }
        state.isReached = true
        defer { state.waiter = nil }
        return (true, state.waiter)
      }
      waiter?.resume(returning: true)
      if isHere { gate.wait() }
      return nil
    }
  }

  func arm() { state.withLock { $0.isArmed = true } }

  /// To be called when the change is done: then nobody waits for its steps anymore.
  func end() {
    let waiter = state.withLock { state in
      (state.hasEnded, state.isArmed) = (true, false)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: false)
  }

  /// Returns when the step is reached, or `false` when the change ended before it.
  func isReached() async -> Bool {
    await withCheckedContinuation { continuation in
      if let answer = add(continuation) { continuation.resume(returning: answer) }
    }
  }

  @inline(never) private func add(_ continuation: CheckedContinuation<Bool, Never>) -> Bool? {
    state.withLock { state in
      if state.isReached { return true }
      if state.hasEnded { return false }
      state.waiter = continuation
      return nil
    }
  }

  /// Lets it go on.
  func release() { gate.signal() }
}
