// Permission to use cameras, as the camera's state machine learns of it.

extension CameraStateMachine {
  /// An opening waits for the desktop's permission, or has it.
  public mutating func awaitsPermission(_ isAwaited: Bool, _ generation: Generation) -> Action {
    guard case .opening(var opening) = state, opening.generation == generation else { return Action(.late) }
    opening.asksPermission = isAwaited
    state = .opening(opening)
    return Action(.none)
  }

  /// The desktop has withdrawn its permission, which was seen as an unplug or a failure at first.
  public mutating func accessWithdrawn(_ error: CameraError) -> Action {
    switch state {
    case .resting(let rest) where rest.mayBeRefusal:
      state = .resting(rest.refused(error))
    case .withdrawing(let generation, .rest(let rest, let waiters)) where rest.mayBeRefusal:
      state = .withdrawing(generation, then: .rest(rest.refused(error), waiters))
    case .closing(let generation, .rest(let rest, let waiters)) where rest.mayBeRefusal:
      state = .closing(generation, then: .rest(rest.refused(error), waiters))
    case .closing(let generation, .reopen(_, let rest)):
      state = .closing(generation, then: .rest(rest.refused(error), []))
    case .idle, .opening, .running, .finishing, .withdrawing, .closing, .resting:
      return Action(.late)
    }
    return Action(.none)
  }
}
