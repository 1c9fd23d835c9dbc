// Requests to the camera's state machine: open, retry, stop, conceal, reveal.

extension CameraStateMachine {
  /// A camera is wanted. The ticket is answered with the session, or with why there is none.
  public mutating func open(_ configuration: CameraConfiguration, _ ticket: Ticket) -> Action {
    guard isVisible else {
      var action = retire(to: Rest(reason: .concealed, configuration: configuration))
      action.answers.append(Answer(ticket: ticket, outcome: .refused(.notRunning)))
      return action
    }
    switch state {
    case .idle, .resting:
      return begin(configuration, [ticket])
    case .opening(var opening) where opening.configuration == configuration:
      opening.waiters.append(ticket)
      state = .opening(opening)
      return Action(.none)
    case .opening(let opening):
      state = .withdrawing(opening.generation, then: .open(configuration, [ticket]))
      return Action(.giveUp(opening.generation), Self.refuse(opening.waiters))
    case .running(var running):
      guard configuration.isMet(by: running.session) else {
        return finish(running, then: .open(configuration, [ticket]))
      }
      running.configuration = configuration
      state = .running(running)
      return Action(.none, [Answer(ticket: ticket, outcome: .running(running.session))])
    case .finishing(var running, let wait, let next):
      guard configuration.isMet(by: running.session) else {
        state = .finishing(running, wait: wait, then: .open(configuration, [ticket]))
        return Action(.none, Self.refuse(next.waiters))
      }
      running.configuration = configuration
      state = .running(running)
      return Action(.none, Self.refuse(next.waiters) + [Answer(ticket: ticket, outcome: .running(running.session))])
    case .withdrawing(let generation, let next):
      let (merged, answers) = next.replaced(by: configuration, ticket)
      state = .withdrawing(generation, then: merged)
      return Action(.none, answers)
    case .closing(let generation, let next):
      let (merged, answers) = next.replaced(by: configuration, ticket)
      state = .closing(generation, then: merged)
      return Action(.none, answers)
    }
  }

  /// The way out of most troubles: opens what was wanted last. The ticket is answered as by `open`.
  public mutating func retry(_ ticket: Ticket) -> Action {
    switch state {
    case .idle:
      return Action(.none, Self.refuse([ticket]))
    case .opening(let opening):
      return open(opening.configuration, ticket)
    case .running(let running):
      return open(running.configuration, ticket)
    case .finishing(_, _, let next), .withdrawing(_, let next), .closing(_, let next):
      return open(next.configuration, ticket)
    case .resting(let rest):
      return open(rest.configuration, ticket)
    }
  }

  /// Nothing is to be open until someone opens again. Answered when that is so, or when it has been overtaken.
  public mutating func stop(_ ticket: Ticket) -> Action {
    guard let configuration else { return Action(.none, [Answer(ticket: ticket, outcome: .closed)]) }
    return retire(to: Rest(reason: .stopped, configuration: configuration), [ticket])
  }

  /// A camera that ended the program the last time is shown as failed instead of being opened; `retry` opens it. Counts
  /// only before anything else was asked for.
  public mutating func distrust(_ configuration: CameraConfiguration, because error: CameraError) -> Action {
    guard case .idle = state else { return Action(.late) }
    state = .resting(Rest(reason: .failed(error, device: nil), configuration: configuration))
    return Action(.none)
  }

  /// The viewfinder can't be seen. The ticket is answered when nothing is open any more, or when it has been overtaken.
  public mutating func conceal(_ concealment: Concealment, _ ticket: Ticket) -> Action {
    concealments.insert(concealment)
    switch state {
    case .opening, .running:
      break
    case .finishing(_, _, let next), .withdrawing(_, let next), .closing(_, let next):
      if case .rest(let rest, _) = next { return retire(to: rest, [ticket]) }
    case .idle, .resting:
      return Action(.none, [Answer(ticket: ticket, outcome: .closed)])
    }
    guard let configuration else { return Action(.none, [Answer(ticket: ticket, outcome: .closed)]) }
    return retire(to: Rest(reason: .concealed, configuration: configuration), [ticket])
  }

  /// One thing less hides the viewfinder. A camera that rests because it was concealed opens again.
  public mutating func reveal(_ concealment: Concealment) -> Action {
    concealments.remove(concealment)
    guard isVisible else { return Action(.none) }
    switch state {
    case .resting(let rest) where rest.reason == .concealed:
      return begin(rest.configuration, [])
    case .finishing(let running, let wait, .rest(let rest, let waiters)) where rest.reason == .concealed:
      if rest.configuration.isMet(by: running.session) {
        state = .running(running)
      } else {
        state = .finishing(running, wait: wait, then: .open(rest.configuration, []))
      }
      return Action(.none, Self.refuse(waiters))
    case .withdrawing(let generation, .rest(let rest, let waiters)) where rest.reason == .concealed:
      state = .withdrawing(generation, then: .open(rest.configuration, []))
      return Action(.none, Self.refuse(waiters))
    case .closing(let generation, .rest(let rest, let waiters)) where rest.reason == .concealed:
      state = .closing(generation, then: .open(rest.configuration, []))
      return Action(.none, Self.refuse(waiters))
    case .idle, .opening, .running, .finishing, .withdrawing, .closing, .resting:
      return Action(.none)
    }
  }

  /// Someone doesn't wait any longer. An opening that nobody else waits for is given up.
  public mutating func cancel(_ ticket: Ticket) -> Action {
    switch state {
    case .opening(var opening):
      guard let index = opening.waiters.firstIndex(of: ticket) else { return Action(.late) }
      opening.waiters.remove(at: index)
      state = .opening(opening)
      guard opening.waiters.isEmpty else { return Action(.none, Self.refuse([ticket])) }
      var action = retire(to: Rest(reason: .stopped, configuration: opening.configuration))
      action.answers += Self.refuse([ticket])
      return action
    case .finishing(let running, let wait, let next):
      guard let left = next.without(ticket) else { return Action(.late) }
      state = .finishing(running, wait: wait, then: left)
      return Action(.none, Self.refuse([ticket]))
    case .withdrawing(let generation, let next):
      guard let left = next.without(ticket) else { return Action(.late) }
      state = .withdrawing(generation, then: left)
      return Action(.none, Self.refuse([ticket]))
    case .closing(let generation, let next):
      guard let left = next.without(ticket) else { return Action(.late) }
      state = .closing(generation, then: left)
      return Action(.none, Self.refuse([ticket]))
    case .idle, .running, .resting:
      return Action(.late)
    }
  }

  /// Answers those whose request has been overtaken.
  static func refuse(_ waiters: [Ticket]) -> [Answer] {
    waiters.map { Answer(ticket: $0, outcome: .refused(.notRunning)) }
  }
}
