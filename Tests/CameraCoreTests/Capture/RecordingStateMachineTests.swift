// Every path of a recording ends exactly once, and nothing that was recorded is thrown away.

import TestSupport
import Testing

@testable import CameraCore

@Suite struct RecordingStateMachineTests {
  private func recording() -> RecordingStateMachine {
    var machine = RecordingStateMachine()
    #expect(machine.requested() == .open)
    #expect(machine.firstFrame() == .tellBegan)
    return machine
  }

  @Test func aRecordingBeginsWithItsFirstFrameAndEndsWithItsFile() {
    var machine = recording()
    #expect(machine.isTaking)
    #expect(machine.firstFrame() == .none)
    #expect(machine.stop() == .finish)
    #expect(!machine.isTaking && !machine.needsCamera)
    #expect(machine.result == nil)
    #expect(machine.stop() == .none)
    #expect(machine.cameraLost() == .none)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .success(.stopped))
  }

  @Test func aPauseTakesNothingAndHoldsTheCamera() {
    var machine = recording()
    #expect(machine.pause() == .pause)
    #expect(machine.pause() == .none)
    #expect(!machine.isTaking && machine.needsCamera && machine.isPaused)
    #expect(machine.resume() == .resume)
    #expect(machine.resume() == .none)
    #expect(machine.isTaking)
    #expect(machine.pause() == .pause)
    #expect(machine.stop() == .finish)
  }

  @Test func aPauseBeforeTheFirstFrameCounts() {
    var machine = RecordingStateMachine()
    #expect(machine.requested() == .open)
    #expect(machine.pause() == .pause)
    #expect(machine.firstFrame() == .none)
    #expect(!machine.isTaking)
    #expect(machine.resume() == .resume)
    #expect(machine.firstFrame() == .tellBegan)
  }

  @Test func whatEndedBeforeItsFirstFrameLeavesNothing() {
    var machine = RecordingStateMachine()
    #expect(machine.requested() == .open)
    #expect(machine.stop() == .discard)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .failure(.recordingFailed(message: "it was stopped before its first picture")))
  }

  @Test func whatIsLostOrFullEndsWithTheFileKept() {
    var machine = recording()
    #expect(machine.cameraLost() == .finish)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .success(.cameraLost))
    machine = recording()
    #expect(machine.diskFull(hasFailedWriting: false) == .finish)
    // The reserve wasn't enough: another program took it.
    #expect(machine.diskFull(hasFailedWriting: true) == .cut)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .success(.diskFull))
    machine = recording()
    #expect(machine.encoderFailed("it broke.") == .cut)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .success(.encoderFailed("it broke.")))
  }

  @Test func whatCannotBeUsedOrIsLostEndsTheMovieWithItsReason() {
    var machine = recording()
    #expect(machine.framesFailed("they are damaged") == .finish)
    #expect(machine.ending == .failed("they are damaged"))
    // The muxer's complaint that nothing came is no other cause.
    #expect(machine.encoderFailed("nothing came") == .cut)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .success(.failed("they are damaged")))
    machine = recording()
    #expect(machine.writingFailed("the disk is broken") == .cut)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .success(.failed("the disk is broken")))
    machine = recording()
    #expect(machine.stop() == .finish)
    #expect(machine.diskFull(hasFailedWriting: true) == .cut)
    #expect(machine.ending == .diskFull)
    machine = RecordingStateMachine()
    #expect(machine.requested() == .open)
    #expect(machine.framesFailed("they are damaged") == .discard)
    #expect(machine.closed(nil) == .none)
    #expect(machine.result == .failure(.recordingFailed(message: "they are damaged")))
  }

  @Test func aRecordingThatCannotBeOpenedSaysWhy() {
    var machine = RecordingStateMachine()
    #expect(machine.requested() == .open)
    #expect(machine.openFailed(.notRunning) == .none)
    #expect(machine.result == .failure(.notRunning))
    #expect(machine.stop() == .none)
  }

  @Test func everyPathEndsOnce() {
    var numbers = SeededNumbers.fresh()
    for _ in 0..<2000 {
      var machine = RecordingStateMachine()
      var (began, ends) = (0, 0)
      for _ in 0..<30 {
        let action: RecordingStateMachine.Action =
          switch numbers.next() % 10 {
          case 0, 1: machine.requested()
          case 2, 3: machine.firstFrame()
          case 4: machine.pause()
          case 5: machine.resume()
          case 6: machine.stop()
          case 7: machine.cameraLost()
          case 8: machine.diskFull(hasFailedWriting: numbers.next() % 2 == 0)
          default: machine.encoderFailed("broken")
          }
        if action == .tellBegan { began += 1 }
        if action == .finish || action == .discard { ends += 1 }
        #expect(machine.result == nil)
      }
      #expect(began <= 1 && ends <= 1)
      // Someone always comes to the end.
      if machine.isTaking || machine.isPaused { _ = machine.stop() }
      let hadFrames = began == 1
      _ = machine.closed(nil)
      guard let result = machine.result else { continue }
      #expect((try? result.get()) != nil ? hadFrames : !hadFrames)
    }
  }
}
