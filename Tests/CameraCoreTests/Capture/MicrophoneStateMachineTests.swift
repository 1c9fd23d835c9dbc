// The microphone's state machine: opened, changed, lost, refused, and overtaken at every point.

import CameraCore
import Testing

@Suite struct MicrophoneStateMachineTests {
  static let device = MicrophoneDevice(id: "mic", name: "Mic", kind: .pulse(source: "mic"), isDefault: true)
  static let other = MicrophoneDevice(id: "other", name: "Other", kind: .pulse(source: "other"), isDefault: false)
  static let start = MonotonicTime(nanoseconds: 0)

  @Test func isOpenAsLongAsItIsWanted() {
    let bench = MicrophoneBench()
    #expect(bench.machine.sound == .off)
    #expect(bench.want(.automatic, 1) == .open(.automatic, 1))
    #expect(bench.machine.sound == nil, "not known yet")
    bench.send { $0.opened(Self.device, 1, at: Self.start) }
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
    bench.send { $0.opened(Self.device, 1, at: Self.start) }
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
    #expect(bench.send { $0.closed(1) } == .pause(.seconds(1), 1), "it is gone: not at once")
    #expect(bench.send { $0.lost("again", 1, at: Self.start) } == .late)
  }

  @Test func aMicrophoneThatGoesAwayIsReplacedAtOnce() {
    let bench = MicrophoneBench.recording()
    #expect(bench.send { $0.devicesChanged(DeviceList(microphones: [Self.other])) } == .close(1))
    #expect(bench.send { $0.closed(1) } == .open(.automatic, 2))
    bench.send { $0.opened(Self.other, 2, at: Self.start + .seconds(1)) }
    #expect(bench.machine.sound == .recording(Self.other))
  }

  @Test func theChosenOneComesBackWhenItIsPluggedInAgainAndNoShotNeedsTheOther() {
    let bench = MicrophoneBench()
    bench.want(.device("mic"), 1)
    bench.send { $0.opened(Self.other, 1, at: Self.start) }
    #expect(bench.answers == [1: .recording(Self.other)])
    #expect(bench.send { $0.devicesChanged(DeviceList(microphones: [Self.other])) } == .none)
    guard
      case .waitForShots(let ticket) = bench.send({
        $0.devicesChanged(DeviceList(microphones: [Self.other, Self.device]))
      })
    else {
      Issue.record("The chosen one isn't taken back.")
      return
    }
    #expect(bench.machine.sound == .recording(Self.other), "a shot may need it")
    #expect(bench.send { $0.gathered(ticket) } == .close(1))
    #expect(bench.send { $0.closed(1) } == .open(.device("mic"), 2))
    bench.send { $0.opened(Self.device, 2, at: Self.start + .seconds(1)) }
    #expect(bench.send { $0.devicesChanged(DeviceList(microphones: [Self.other, Self.device])) } == .none)
    #expect(bench.machine.sound == .recording(Self.device))
  }

  @Test func unpluggedAgainBeforeTheShotEndedChangesNothing() {
    let bench = MicrophoneBench()
    bench.want(.device("mic"), 1)
    bench.send { $0.opened(Self.other, 1, at: Self.start) }
    bench.send { $0.devicesChanged(DeviceList(microphones: [Self.other, Self.device])) }
    #expect(bench.send { $0.devicesChanged(DeviceList(microphones: [Self.other])) } == .none)
    #expect(bench.send { $0.gathered(.init(rawValue: 0)) } == .none)
    #expect(bench.machine.sound == .recording(Self.other))
  }

  @Test func automaticFollowsTheDesktopsDefault() {
    let bench = MicrophoneBench.recording()
    var (first, second) = (Self.device, Self.other)
    (first.isDefault, second.isDefault) = (false, false)
    #expect(bench.send { $0.devicesChanged(DeviceList(microphones: [second, first])) } == .none, "there is no default")
    second.isDefault = true
    let list = DeviceList(microphones: [first, second])
    #expect(bench.send { $0.devicesChanged(list) } == .waitForShots(.init(rawValue: 0)))
    #expect(bench.send { $0.gathered(.init(rawValue: 0)) } == .close(1))
    #expect(bench.send { $0.closed(1) } == .open(.automatic, 2))
  }

  @Test func aServerThatAnswersAgainIsAskedAtOnce() {
    let bench = MicrophoneBench()
    #expect(bench.send { $0.serverAnswered() } == .none)
    bench.want(.automatic, 1)
    #expect(bench.send { $0.serverAnswered() } == .none, "it is being opened")
    bench.send { $0.openFailed("it hangs", 1) }
    #expect(bench.send { $0.serverAnswered() } == .open(.automatic, 2))
    #expect(bench.send { $0.pauseEnded(1) } == .late)
    bench.send { $0.openFailed("it hangs again", 2) }
    #expect(bench.machine.sound == .silent(reason: "it hangs"), "the first reason stands")
    bench.want(MicrophoneChoice.none, 2)
    bench.send { $0.openFailed("none was chosen", 3) }
    #expect(bench.send { $0.serverAnswered() } == .none)
  }

  @Test func theMicrophoneOfAChoice() {
    let list = DeviceList(microphones: [Self.other, Self.device])
    #expect(list.microphone(for: .automatic) == Self.device)
    #expect(list.microphone(for: .device("other")) == Self.other)
    #expect(list.microphone(for: .device("away")) == Self.device)
    #expect(list.microphone(for: .none) == nil)
    #expect(DeviceList().microphone(for: .device("away")) == nil)
  }

  @Test func anOpeningThatIsOvertakenEndsAsWhatIsWantedThen() {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    #expect(bench.want(nil, 2) == .giveUp(1))
    #expect(bench.send { $0.opened(Self.device, 1, at: Self.start) } == .close(1))
    #expect(bench.want(.device("mic"), 3) == .none)
    #expect(bench.send { $0.closed(1) } == .open(.device("mic"), 2))
    bench.send { $0.opened(Self.device, 2, at: Self.start) }
    #expect(bench.answers == [1: .recording(Self.device), 2: .recording(Self.device), 3: .recording(Self.device)])
  }

  @Test func aLossBeforeTheFirstSoundIsReportedIsNoRecording() {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    #expect(bench.send { $0.lost("it broke", 1, at: Self.start) } == .giveUp(1))
    #expect(bench.answers == [1: .silent(reason: "it broke")])
    #expect(bench.send { $0.opened(Self.device, 1, at: Self.start) } == .close(1))
    bench.send { $0.closed(1) }
    #expect(bench.machine.sound == .silent(reason: "it broke"))
  }

  @Test func aFailureOfAGoodMicrophoneCostsNoWord() {
    let bench = MicrophoneBench.recording()
    #expect(bench.send { $0.lost("it fell silent", 1, at: Self.start + .seconds(60)) } == .close(1))
    #expect(bench.machine.sound == nil && bench.machine.failure == "it fell silent")
    #expect(bench.send { $0.closed(1) } == .open(.automatic, 2))
    bench.send { $0.opened(Self.device, 2, at: Self.start + .seconds(61)) }
    #expect(bench.machine.sound == .recording(Self.device) && bench.machine.failure == nil)
    // Well again for a while.
    #expect(bench.send { $0.lost("it fell silent", 2, at: Self.start + .seconds(92)) } == .close(2))
    #expect(bench.send { $0.closed(2) } == .open(.automatic, 3))
  }

  @Test func aMicrophoneThatFailsAgainAtOnceIsSilentAndTriedAgainAfterAPause() {
    let bench = MicrophoneBench.recording()
    bench.send { $0.lost("it fell silent", 1, at: Self.start + .seconds(1)) }
    bench.send { $0.closed(1) }
    bench.send { $0.opened(Self.device, 2, at: Self.start + .seconds(2)) }
    #expect(bench.send { $0.lost("it fell silent", 2, at: Self.start + .seconds(4)) } == .close(2))
    #expect(bench.machine.sound == .silent(reason: "it fell silent"))
    #expect(bench.send { $0.closed(2) } == .pause(.seconds(2), 1))
    #expect(bench.send { $0.pauseEnded(1) } == .open(.automatic, 3))
    #expect(bench.send { $0.pauseEnded(1) } == .late)
    bench.send { $0.opened(Self.device, 3, at: Self.start + .seconds(7)) }
    #expect(bench.machine.sound == .recording(Self.device))
  }

  @Test func pausesGrowAndTheFirstReasonStands() {
    let bench = MicrophoneBench.recording()
    bench.send { $0.lost("the server went away", 1, at: Self.start) }
    bench.send { $0.closed(1) }
    var pauses: [TimeSpan] = []
    for attempt in UInt64(2)...6 {
      guard case .pause(let pause, let number) = bench.send({ $0.openFailed("attempt \(attempt)", attempt) }) else {
        Issue.record("isn't tried again")
        return
      }
      pauses.append(pause)
      #expect(bench.machine.sound == .silent(reason: "the server went away"))
      #expect(bench.send { $0.pauseEnded(number) } == .open(.automatic, attempt + 1))
    }
    #expect(pauses == [.seconds(2), .seconds(4), .seconds(4), .seconds(4), .seconds(4)])
  }

  @Test func whoeverAsksAgainHearsTheNewReason() {
    let bench = MicrophoneBench()
    bench.want(.automatic, 1)
    bench.send { $0.openFailed("none was found", 1) }
    #expect(bench.want(.automatic, 2) == .open(.automatic, 2))
    #expect(bench.send { $0.pauseEnded(1) } == .late)
    #expect(bench.send { $0.openFailed("it is broken", 2) } == .pause(.seconds(1), 2))
    #expect(bench.answers[2] == .silent(reason: "it is broken"))
    bench.send { $0.devicesChanged(DeviceList()) }
    bench.send { $0.openFailed("it is muted", 3) }
    #expect(bench.machine.sound == .silent(reason: "it is muted"))
    bench.want(nil, 3)
    #expect(bench.send { $0.pauseEnded(3) } == .late && bench.machine.sound == .off)
  }

  @Test func nobodyTriesAgainWithoutAMicrophone() {
    let bench = MicrophoneBench()
    bench.want(MicrophoneChoice.none, 1)
    #expect(bench.send { $0.openFailed("none was chosen", 1) } == .none)
    #expect(bench.machine.sound == .silent(reason: "none was chosen"))
  }

  @Test func whatContradictsTheStateIsNamed() {
    let events: [(inout MicrophoneStateMachine) -> MicrophoneStateMachine.Action] = [
      { $0.opened(Self.device, 1, at: Self.start) }, { $0.openFailed("", 1) }, { $0.closed(1) },
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
    bench.send { $0.opened(MicrophoneStateMachineTests.device, 1, at: MicrophoneStateMachineTests.start) }
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
