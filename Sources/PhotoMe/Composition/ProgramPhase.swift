// Phases of the program from running to its end, and the starts that arrive on the way.

import CameraModels

/// Decides when the program ends, and whether it then starts again.
///
///     running ── quit → closing ─┬ activated → running
///                                └ closed → ending
///
/// A start is answered by the program that runs already. It cancels a closing, and the window comes back. A closing that
/// has ended, but hasn't been reported yet, can't be canceled any more: the program then ends and starts again.
struct ProgramPhase {
  private enum State {
    case running
    /// The window is gone; what was taken is being finished. A start shows the window again.
    case closing
    /// Nothing more is waited for but the library. A start can only begin anew afterwards.
    case ending(startsAgain: Bool)
  }

  /// The answer to a start.
  enum Activation {
    case showWindow
    case cancelClosing
    /// The program starts again when it has ended.
    case none
  }

  private var state = State.running

  /// Whether what was taken is being finished, and can still be interrupted.
  var isClosing: Bool { if case .closing = state { true } else { false } }

  /// Whether the program starts again after its end.
  var startsAgain: Bool { if case .ending(startsAgain: true) = state { true } else { false } }

  /// The program was started, by a user or another program.
  mutating func activated() -> Activation {
    switch state {
    case .running:
      return .showWindow
    case .closing:
      state = .running
      return .cancelClosing
    case .ending:
      state = .ending(startsAgain: true)
      return .none
    }
  }

  /// Someone wants the program to end.
  ///
  /// - Returns: Whether the closing begins now.
  mutating func quit() -> Bool {
    guard case .running = state else { return false }
    state = .closing
    return true
  }

  /// The closing has ended.
  ///
  /// - Returns: Whether the program ends.
  mutating func closed(_ outcome: ClosingModel.Outcome) -> Bool {
    switch (outcome, state) {
    case (.calledOff, _), (_, .ending):
      return false
    case (.finished, .running), (.stoodStill, .running):
      // Started after the closing had ended, before that was reported.
      state = .ending(startsAgain: true)
    case (.finished, .closing), (.stoodStill, .closing):
      state = .ending(startsAgain: false)
    }
    return true
  }
}
