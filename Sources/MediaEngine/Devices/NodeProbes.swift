// Questions to device nodes, none of which can hang whoever asks.

import CameraCore
import Dispatch
import Foundation
import Synchronization

/// Asks device nodes, each on a thread of its own: opening a device whose driver or cable hangs blocks for as long as that
/// lasts, and nothing can end it.
///
/// A node that is still being asked isn't asked again, so a device that hangs for ever costs one thread.
final class NodeProbes: Sendable {
  private final class Probe: Sendable {
    let deadline: DispatchTime
    /// Left when there is an answer.
    let group = DispatchGroup()
    let state = Mutex<(answer: NodeAnswer?, isGivenUp: Bool)>((nil, false))

    init(deadline: DispatchTime) {
      self.deadline = deadline
      group.enter()
    }

    /// The answer; waits for it until the deadline.
    func wait() -> NodeAnswer {
      _ = group.wait(timeout: deadline)
      return state.withLock { state in
        if state.answer == nil { state.isGivenUp = true }
        return state.answer ?? .unanswered
      }
    }
  }

  private let limit: TimeSpan
  private let question: @Sendable (String) -> NodeAnswer
  private let open = Mutex<[String: Probe]>([:])
  /// What nodes offered that could be asked.
  private let known = Mutex<[NodeIdentity: NodeDescription]>([:])
  private let listener = Mutex<(@Sendable () -> Void)?>(nil)

  /// - Parameters:
  ///   - limit: For one answer.
  ///   - question: Asks the node of that path; may block.
  init(
    limit: TimeSpan = EngineLimits().nodeAnswer,
    question: @escaping @Sendable (String) -> NodeAnswer = V4L2Cameras.ask
  ) {
    self.limit = limit
    self.question = question
  }

  /// Calls `onLateAnswer`, on any thread, when a node answers that had been given up.
  func listen(_ onLateAnswer: @escaping @Sendable () -> Void) { listener.withLock { $0 = onLateAnswer } }

  /// Asks all nodes at once. Blocks for at most the limit.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func answers(of paths: [String]) -> [NodeAnswer] {
    let probes = paths.map(probe)
    return probes.map { $0.wait() }
  }

  /// The answers, with those of earlier times where a node can't be asked because it is in use: by this very program,
  /// perhaps, whose camera stays in the list.
  func remembering(_ answers: [(NodeIdentity, NodeAnswer)]) -> [(NodeIdentity, NodeAnswer)] {
    known.withLock { known in
      let before = known
      known = [:]
      return answers.map { identity, answer in
        switch answer {
        case .camera(let description): known[identity.withoutNames] = description
        case .busy: known[identity.withoutNames] = before[identity.withoutNames]
        case .nothing, .refused, .unanswered: break
        }
        return (identity, answer == .busy ? known[identity.withoutNames].map { .camera($0) } ?? .busy : answer)
      }
    }
  }

  private func probe(_ path: String) -> Probe {
    let (probe, isNew) = open.withLock { open in
      if let known = open[path] { return (known, false) }
      let probe = Probe(deadline: .now() + .nanoseconds(Int(limit.nanoseconds)))
      open[path] = probe
      return (probe, true)
    }
    if isNew { Thread.detachNewThread { self.ask(path, probe) } }
    return probe
  }

  private func ask(_ path: String, _ probe: Probe) {
    let answer = question(path)
    open.withLock { _ = $0.removeValue(forKey: path) }
    let isGivenUp = probe.state.withLock { state in
      state.answer = answer
      return state.isGivenUp
    }
    probe.group.leave()
    if isGivenUp { listener.withLock { $0 }?() }
  }
}
