// Phases of the program: starts that arrive before, during and after a closing.

import CameraModels
import Testing

@testable import PhotoMe

@Suite struct ProgramPhaseTests {
  private static let ends: [ClosingModel.Outcome] = [.finished, .stoodStill]

  @Test(arguments: ProgramPhaseTests.ends) func aClosingEndsTheProgram(_ outcome: ClosingModel.Outcome) {
    var phase = ProgramPhase()
    #expect(phase.activated() == .showWindow)
    let begins = phase.quit()
    #expect(begins && phase.isClosing)
    let beginsAgain = phase.quit()
    #expect(!beginsAgain, "it is under way")
    let ends = phase.closed(outcome)
    #expect(ends && !phase.startsAgain && !phase.isClosing)
  }

  @Test func aStartCancelsTheClosing() {
    var phase = ProgramPhase()
    _ = phase.quit()
    #expect(phase.activated() == .cancelClosing)
    let ends = phase.closed(.calledOff)
    #expect(!ends)
    #expect(phase.activated() == .showWindow)
    let begins = phase.quit()
    #expect(begins)
  }

  @Test("A start between a closing's end and the report of it isn't lost", arguments: ProgramPhaseTests.ends)
  func aStartTooLateToCancel(_ outcome: ClosingModel.Outcome) {
    var phase = ProgramPhase()
    _ = phase.quit()
    #expect(phase.activated() == .cancelClosing)
    let ends = phase.closed(outcome)
    #expect(ends && phase.startsAgain)
  }

  @Test(arguments: ProgramPhaseTests.ends)
  func aStartWhileTheProgramEndsComesAfterwards(_ outcome: ClosingModel.Outcome) {
    var phase = ProgramPhase()
    _ = phase.quit()
    _ = phase.closed(outcome)
    #expect(phase.activated() == .none)
    #expect(phase.startsAgain)
    // The closing of a second quit, before the end.
    let endsAgain = phase.closed(.finished)
    #expect(!endsAgain && phase.startsAgain)
  }
}
