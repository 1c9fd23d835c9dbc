// The camera's state machine: every way through it, and random events that may break none of its rules.

import CameraCore
import TestSupport
import Testing

@Suite struct CameraStateMachineTests {
  static let format = CameraFormat(
    encoding: .motionJPEG, size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)])
  static let camera = CameraDevice(id: "cam", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: [format])
  static let other = CameraDevice(id: "other", name: "Other", kind: .v4l2(path: "/dev/video8"), formats: [format])
  static let session = CameraSession(camera: camera, format: format, frameRate: FrameRate(30))
  static let any = CameraConfiguration()
  /// The camera that ran, and no other.
  static let itself = CameraConfiguration(cameraID: "cam")
  static let broken = CameraError.device(camera: "Webcam", message: "broken")

  // MARK: Opening

  @Test func runsWithItsFirstFrame() {
    let bench = MachineBench()
    #expect(bench.machine.status == nil)
    #expect(bench.open(Self.any, 1) == .open(Self.any, 1))
    #expect(bench.machine.status == .starting)
    #expect(bench.send { $0.opened(Self.session, 1) } == .none)
    #expect(bench.machine.status == .running(Self.session))
    #expect(bench.machine.isDelivering)
    #expect(bench.answers == [1: .running(Self.session)])
  }

  @Test func theSameAgainWaitsForTheSameOpening() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    #expect(bench.open(Self.any, 2) == .none)
    bench.send { $0.opened(Self.session, 1) }
    #expect(bench.answers == [1: .running(Self.session), 2: .running(Self.session)])
  }

  @Test func whatRunsIsNotOpenedAgain() {
    let bench = MachineBench.running()
    #expect(bench.open(CameraConfiguration(cameraID: "cam"), 2) == .none)
    #expect(bench.open(CameraConfiguration(cameraID: "/dev/video9"), 3) == .none)
    #expect(bench.answers[3] == .running(Self.session))
  }

  @Test func anotherCameraWaitsUntilTheFirstHasClosed() {
    let bench = MachineBench.running()
    let wanted = CameraConfiguration(cameraID: "other")
    #expect(bench.open(wanted, 2) == .waitForShots(2))
    #expect(bench.machine.status == .starting)
    #expect(bench.machine.isDelivering, "shots gather their movies")
    #expect(bench.send { $0.gathered(2) } == .close(1))
    #expect(bench.send { $0.closed(1) } == .open(wanted, 3))
  }

  @Test func aSecondOpeningOvertakesTheFirst() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    let wanted = CameraConfiguration(cameraID: "other")
    #expect(bench.open(wanted, 2) == .giveUp(1))
    #expect(bench.answers == [1: .refused(.notRunning)])
    #expect(bench.send { $0.openFailed(.notRunning, device: nil, 1) } == .open(wanted, 2))
  }

  @Test func anOpeningThatComesTooLateIsClosed() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.send { $0.stop(.init(rawValue: 2)) }
    #expect(bench.send { $0.opened(Self.session, 1) } == .close(1))
    #expect(bench.answers[2] == nil)
    bench.send { $0.closed(1) }
    #expect(bench.answers == [1: .refused(.notRunning), 2: .closed])
    #expect(bench.machine.status == .interrupted(.suspended))
  }

  @Test(arguments: [
    (CameraError.noCamera, CameraStatus.noCamera),
    (.permissionDenied(camera: "Webcam"), .permissionDenied(.permissionDenied(camera: "Webcam"))),
    (.accessDenied, .permissionDenied(.accessDenied)), (.portal(.noPortal), .failed(.portal(.noPortal))),
    (.inUse(camera: "Webcam"), .interrupted(.inUse(camera: "Webcam"))),
    (.unplugged(camera: "Webcam"), .interrupted(.unplugged)),
    (broken, .failed(broken)),
  ])
  func everyFailureHasItsStatusAndIsRetried(error: CameraError, status: CameraStatus) {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.send { $0.openFailed(error, device: Self.camera, 1) }
    #expect(bench.machine.status == status)
    #expect(bench.answers == [1: .refused(error)])
    #expect(bench.send { $0.retry(.init(rawValue: 2)) } == .open(Self.any, 2))
  }

  @Test func aSlowCameraIsWaitedForInWords() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    #expect(bench.send { $0.awaitsPicture(of: Self.camera, 7) } == .late)
    #expect(bench.send { $0.awaitsPicture(of: Self.camera, 1) } == .none)
    #expect(bench.machine.status == .awaitingPicture(camera: "Webcam"))
    #expect(bench.send { $0.opened(Self.session, 1) } == .none)
    #expect(bench.machine.status == .running(Self.session))
    #expect(bench.send { $0.awaitsPicture(of: Self.camera, 1) } == .late)
  }

  @Test func theHolderOfABusyCameraIsShown() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.send { $0.openFailed(.inUse(camera: "Webcam", holder: "cheese"), device: Self.camera, 1) }
    #expect(bench.machine.status == .interrupted(.inUse(camera: "Webcam", holder: "cheese")))
    #expect(bench.machine.status?.error == .inUse(camera: "Webcam", holder: "cheese"))
  }

  @Test(arguments: [
    CameraError.unresponsive(camera: "Webcam"), .noUsableMode(camera: "Webcam", offered: ["H.264 1280x720"]),
  ])
  func aCameraWithSomethingInItsWayOpensWhenThatIsGone(error: CameraError) {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.send { $0.openFailed(error, device: Self.camera, 1) }
    var obstructed = Self.camera
    obstructed.obstacle = .unresponsive
    let stillThere: (CameraDevice) -> Bool = { _ in false }
    #expect(bench.send { $0.devicesChanged(DeviceList(cameras: [obstructed]), isGone: stillThere) } == .none)
    #expect(bench.machine.status == .failed(error))
    let work = bench.send { $0.devicesChanged(DeviceList(cameras: [Self.camera]), isGone: stillThere) }
    #expect(work == .open(Self.any, 2))
  }

  @Test func aSuspectIsShownAndOpensWhenItIsRetried() {
    let bench = MachineBench()
    #expect(bench.send { $0.distrust(Self.any, because: Self.broken) } == .none)
    #expect(bench.machine.status == .failed(Self.broken))
    #expect(bench.send { $0.retry(.init(rawValue: 1)) } == .open(Self.any, 1))
    #expect(bench.send { $0.distrust(Self.any, because: Self.broken) } == .late)
  }

  @Test func anOpeningThatNobodyWaitsForAnyMoreIsGivenUp() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.open(Self.any, 2)
    #expect(bench.send { $0.cancel(.init(rawValue: 1)) } == .none)
    #expect(bench.send { $0.cancel(.init(rawValue: 2)) } == .giveUp(1))
    #expect(bench.answers == [1: .refused(.notRunning), 2: .refused(.notRunning)])
  }

  // MARK: Out of sight

  @Test func concealedWhileItOpensItNeverRuns() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    #expect(bench.send { $0.conceal(.page, .init(rawValue: 2)) } == .giveUp(1))
    #expect(bench.machine.status == .interrupted(.suspended))
    #expect(bench.send { $0.opened(Self.session, 1) } == .close(1))
    bench.send { $0.closed(1) }
    #expect(bench.answers[2] == .closed)
    #expect(bench.send { $0.reveal(.page) } == .open(Self.any, 2))
  }

  @Test func concealedItOpensNothing() {
    let bench = MachineBench()
    bench.send { $0.conceal(.page, .init(rawValue: 1)) }
    #expect(bench.open(Self.any, 2) == .none)
    #expect(bench.answers[2] == .refused(.notRunning))
    #expect(bench.send { $0.retry(.init(rawValue: 3)) } == .none)
    #expect(bench.machine.status == .interrupted(.suspended))
    #expect(bench.send { $0.reveal(.page) } == .open(Self.any, 1))
  }

  @Test func aCameraThatComesWhileNobodyLooksOpensWhenSomebodyDoes() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.send { $0.openFailed(.noCamera, device: nil, 1) }
    bench.send { $0.conceal(.page, .init(rawValue: 2)) }
    #expect(bench.plug(Self.camera) == .none)
    #expect(bench.machine.status == .interrupted(.suspended))
    #expect(bench.send { $0.reveal(.page) } == .open(Self.any, 2))
  }

  @Test func aGlanceAwayWhileAShotGathersItsMovieClosesNothing() {
    let bench = MachineBench.running()
    #expect(bench.send { $0.conceal(.page, .init(rawValue: 2)) } == .waitForShots(2))
    #expect(bench.send { $0.reveal(.page) } == .none)
    #expect(bench.machine.status == .running(Self.session))
    #expect(bench.send { $0.gathered(2) } == .late)
  }

  @Test func itIsRevealedWhenNothingHidesItAnyMore() {
    let bench = MachineBench.running()
    bench.send { $0.conceal(.page, .init(rawValue: 2)) }
    bench.send { $0.conceal(.lock, .init(rawValue: 3)) }
    bench.send { $0.gathered(2) }
    bench.send { $0.closed(1) }
    #expect(bench.answers[2] == .closed && bench.answers[3] == .closed)
    #expect(bench.send { $0.reveal(.lock) } == .none)
    #expect(bench.send { $0.reveal(.page) } == .open(Self.any, 3))
  }

  @Test func whatWasStoppedStaysClosedWhenItIsRevealed() {
    let bench = MachineBench.running()
    bench.send { $0.stop(.init(rawValue: 2)) }
    bench.send { $0.conceal(.page, .init(rawValue: 3)) }
    #expect(bench.send { $0.reveal(.page) } == .none)
    bench.send { $0.gathered(2) }
    bench.send { $0.closed(1) }
    #expect(bench.machine.status == .interrupted(.suspended))
    #expect(bench.answers[2] == .closed && bench.answers[3] == .closed)
  }

  // MARK: What no engine can send

  @Test func whatContradictsTheStateIsNamedAndChangesNothing() {
    let bench = MachineBench()
    let impossible: [(inout CameraStateMachine) -> CameraStateMachine.Action] = [
      { $0.opened(Self.session, 1) }, { $0.openFailed(.noCamera, device: nil, 1) }, { $0.closed(1) },
    ]
    for event in impossible {
      guard case .impossible = bench.machineAction(event).work else {
        Issue.record("was taken for possible")
        continue
      }
      #expect(bench.machine.status == nil)
    }
    #expect(bench.machineAction { $0.gathered(1) }.work == .late)
    #expect(bench.machineAction { $0.lost(Self.broken, device: Self.camera, after: .zero, 1) }.work == .late)
    #expect(bench.machineAction { $0.cancel(.init(rawValue: 1)) }.work == .late)
  }

  @Test(arguments: 0..<400) func randomEventsBreakNoRule(seed: UInt64) {
    var world = RandomWorld(seed: seed)
    for _ in 0..<120 { world.step() }
    world.comeToRest()
    #expect(world.faults.isEmpty, "seed \(seed): \(world.faults)")
  }
}
