// The microphone's state machine: opened, changed, lost, refused, and overtaken at every point.

import CameraCore
import Testing

@Suite struct MicrophoneStateMachineTests {
  static let device = MicrophoneDevice(id: "mic", name: "Mic", kind: .pulse(source: "mic"), isDefault: true)

  @Test func isOpenAsLongAsItIsWanted() {
    let bench = MicrophoneBench()
    #expect(bench.machine.sound == .off)
    #expect(bench.want(.automatic, 1) == .open(.automatic, 1))
    #expect(bench.machine.sound == nil, "not known yet")
    bench.send { $0.opened(Self.device, 1) }
    #expect(bench.answers == [1: .recording(Self.device)])
    #expect(bench.want(.device("mic"), 2) == .none, "it is the very same")
    #expect(bench.want(nil, 3) == .close(1))
    #expect(bench.machine.sound == .off)
    #expect(bench.answers[3] == nil, "it isn't closed yet")
    bench.send { $0.closed(1) }
    #expect(bench.answers[3] == .off)
  }

  @Test func liveIsOffAtOnceAndItsSoundAfterTheShotsThatAreUnderWay() {
    let bench = MicrophoneBench.recording()
    #expect(bench.machine.isLive)
    #expect(bench.send { $0.setLive(nil, .init(rawValue: 2)) } == .waitForShots(.init(rawValue: 2)))
    #expect(!bench.machine.isLive && bench.machine.sound == .recording(Self.device))
    #expect(bench.send { $0.gathered(.init(rawValue: 2)) } == .close(1))
    bench.send { $0.closed(1) }
    #expect(bench.answers[2] == .off)
  }

  @Test func liveThatIsTurnedOnAgainMeanwhileKeepsTheMicrophone() {
    let bench = MicrophoneBench.recording()
    bench.send { $0.setLive(nil, .init(rawValue: 2)) }
    #expect(bench.want(.automatic, 3) == .none)
    #expect(bench.send { $0.gathered(.init(rawValue: 2)) } == .none)
    #expect(bench.answers[2] == .recording(Self.device) && bench.answers[3] == .recording(Self.device))
  }

  @Test func isOpenOnlyWhileTheCameraDelivers() {
    let bench = MicrophoneBench(isCameraDelivering: false)
    #expect(bench.want(.automatic, 1) == .none)
    #expect(bench.answers == [1: .off] && bench.machine.isLive)
    #expect(bench.send { $0.cameraDelivers(true) } == .open(.automatic, 1))
    #expect(bench.send { $0.cameraDelivers(true) } == .none)
    bench.send { $0.opened(Self.device, 1) }
    #expect(bench.send { $0.waitUntilClosed(.init(rawValue: 2)) } == .none)
    #expect(bench.answers[2] == .recording(Self.device), "the camera delivers: there is nothing to wait for")
    #expect(bench.send { $0.cameraDelivers(false) } == .close(1))
    #expect(bench.send { $0.waitUntilClosed(.init(rawValue: 3)) } == .none)
    #expect(bench.answers[3] == nil)
    bench.send { $0.closed(1) }
    #expect(bench.answers[3] == .off)
  }

  @Test func anotherChoiceClosesItFirst() {
    let bench = MicrophoneBench.recording()
    #expect(bench.want(.device("other"), 2) == .close(1))
    #expect(bench.send { $0.closed(1) } == .open(.device("other"), 2))
  }

  @Test func whatCanNotBeHadIsSilentAndTriedAgainWhenAskedOrWhenDevicesChange() {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    bench.send { $0.openFailed("none was found", 1) }
    #expect(bench.answers == [1: .silent(reason: "none was found")])
    #expect(bench.send { $0.cameraDelivers(true) } == .none, "it delivers already")
    #expect(bench.want(.automatic, 2) == .open(.automatic, 2))
    bench.send { $0.openFailed("none was found", 2) }
    #expect(bench.send { $0.devicesChanged(DeviceList()) } == .open(.automatic, 3))
  }

  @Test func aMicrophoneThatGoesAwayIsClosedAndSilent() {
    let bench = MicrophoneBench.recording()
    #expect(bench.send { $0.devicesChanged(DeviceList(microphones: [Self.device])) } == .none)
    #expect(bench.send { $0.devicesChanged(DeviceList()) } == .close(1))
    guard case .silent(let reason)? = bench.machine.sound else {
      Issue.record("\(String(describing: bench.machine.sound))")
      return
    }
    #expect(reason.contains("Mic"))
    #expect(bench.send { $0.closed(1) } == .none)
    #expect(bench.send { $0.lost("again", 1) } == .late)
  }

  @Test func anOpeningThatIsOvertakenEndsAsWhatIsWantedThen() {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    #expect(bench.want(nil, 2) == .giveUp(1))
    #expect(bench.send { $0.opened(Self.device, 1) } == .close(1))
    #expect(bench.want(.device("mic"), 3) == .none)
    #expect(bench.send { $0.closed(1) } == .open(.device("mic"), 2))
    bench.send { $0.opened(Self.device, 2) }
    #expect(bench.answers == [1: .recording(Self.device), 2: .recording(Self.device), 3: .recording(Self.device)])
  }

  @Test func aLossBeforeTheFirstSoundIsReportedIsNoRecording() {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    #expect(bench.send { $0.lost("it broke", 1) } == .giveUp(1))
    #expect(bench.answers == [1: .silent(reason: "it broke")])
    #expect(bench.send { $0.opened(Self.device, 1) } == .close(1))
    bench.send { $0.closed(1) }
    #expect(bench.machine.sound == .silent(reason: "it broke"))
  }

  @Test func whatContradictsTheStateIsNamed() {
    let events: [(inout MicrophoneStateMachine) -> MicrophoneStateMachine.Action] = [
      { $0.opened(Self.device, 1) }, { $0.openFailed("", 1) }, { $0.closed(1) },
    ]
    for event in events {
      var machine = MicrophoneStateMachine()
      guard case .impossible = event(&machine).work else {
        Issue.record("was taken for possible")
        continue
      }
      #expect(machine.sound == .off)
    }
  }
}

/// The machine by reference, with the answers that it gave.
private final class MicrophoneBench {
  private(set) var machine = MicrophoneStateMachine()
  private(set) var answers: [UInt64: LiveSound] = [:]

  init(isCameraDelivering: Bool = true) { send { $0.cameraDelivers(isCameraDelivering) } }

  static func recording() -> MicrophoneBench {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    bench.send { $0.opened(MicrophoneStateMachineTests.device, 1) }
    return bench
  }

  /// Turns Live on, or off with no shot under way.
  @discardableResult
  func want(_ choice: MicrophoneChoice?, _ ticket: UInt64) -> MicrophoneStateMachine.Work {
    let ticket = MicrophoneStateMachine.Ticket(rawValue: ticket)
    let work = send { $0.setLive(choice, ticket) }
    return work == .waitForShots(ticket) ? send { $0.gathered(ticket) } : work
  }

  @discardableResult
  func send(_ event: (inout MicrophoneStateMachine) -> MicrophoneStateMachine.Action) -> MicrophoneStateMachine.Work {
    let action = event(&machine)
    for answer in action.answers {
      #expect(answers[answer.ticket.rawValue] == nil, "answered twice")
      answers[answer.ticket.rawValue] = answer.sound
    }
    return action.work
  }
}
