// Failures of single system calls, chosen by their number.

import Foundation
import Synchronization

/// Counts the calls to a simulated file system and lets one of them fail, or be the last.
package final class CallFaults: Sendable {
  /// The calls that are counted.
  package enum Counted: Sendable, Hashable {
    /// Those that change names, contents or attributes, or make them durable.
    case changes
    /// Those that write contents.
    case writes
    /// Those that look up, list or read.
    case reads
  }

  package enum Fault: Sendable, Hashable {
    /// The call fails with this `errno`, once.
    case error(Int32)
    /// Half of the bytes are written, which is no error.
    case shortWrite
    /// The process is killed before the call: nothing changes anymore.
    case death
    /// The process is killed halfway through a write.
    case tornWrite
  }

  /// The way in which a call goes on.
  enum Verdict: Equatable {
    case proceed
    case fail(Int32)
    /// Half of the bytes, and then an error if there is one.
    case half(Int32?)
  }

  private struct State {
    var fault: Fault?
    var counted = Counted.changes
    var number = 0
    var count = 0
    var victim: String?
    var isDead = false
  }
  private let state = Mutex(State())

  package init() {}

  /// Counts from 1 from now on; the call with the number fails. `nil` only counts.
  package func arm(_ fault: Fault?, at number: Int = 0, of counted: Counted = .changes) {
    state.withLock { $0 = State(fault: fault, counted: counted, number: number) }
  }

  /// Ends counting and failing. The dead stay dead.
  package func disarm() { state.withLock { $0.fault = nil } }

  /// The number of calls since `arm`.
  package var count: Int { state.withLock { $0.count } }

  /// The call that failed; `nil` as long as there was none.
  package var victim: String? { state.withLock { $0.victim } }

  /// The verdict on a call.
  func next(_ kinds: Set<Counted>, _ call: String, _ path: String) -> Verdict {
    state.withLock { state in
      // Whoever is dead can't change anything; what it reads meanwhile doesn't matter.
      if state.isDead { return kinds.contains(.reads) ? .proceed : .fail(EIO) }
      guard kinds.contains(state.counted) else { return .proceed }
      state.count += 1
      guard let fault = state.fault, state.count == state.number else { return .proceed }
      state.victim = "\(call) \(path)"
      switch fault {
      case .error(let code): return .fail(code)
      case .shortWrite: return kinds.contains(.writes) ? .half(nil) : .proceed
      case .death, .tornWrite:
        state.isDead = true
        return fault == .tornWrite && kinds.contains(.writes) ? .half(EIO) : .fail(EIO)
      }
    }
  }
}
