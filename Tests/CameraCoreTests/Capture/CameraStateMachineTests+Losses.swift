// Cameras that break, stall, go away and come back.

import CameraCore
import Testing

extension CameraStateMachineTests {
  @Test func aLossIsTheStatusAtOnceAndAgainAfterItHasClosed() {
    let bench = MachineBench.running()
    #expect(bench.send { $0.lost(Self.broken, device: Self.camera, after: .zero, 1) } == .close(1))
    #expect(bench.machine.status == .failed(Self.broken))
    #expect(bench.send { $0.lost(Self.broken, device: Self.camera, after: .zero, 1) } == .late)
    #expect(bench.send { $0.closed(1) } == .none)
    #expect(bench.machine.status == .failed(Self.broken))
  }

  @Test(
    "A camera that ran steadily and broke is opened again by itself, once",
    arguments: [
      CameraError.noFrames(camera: "Webcam", seconds: 5), .damagedFrames(camera: "Webcam", seconds: 5), broken,
    ])
  func aSteadyCameraIsOpenedAgain(error: CameraError) {
    let bench = MachineBench.running()
    #expect(bench.send { $0.lost(error, device: Self.camera, after: .seconds(10), 1) } == .close(1))
    #expect(bench.machine.status == .starting, "no failure is shown")
    #expect(!bench.machine.isDelivering)
    #expect(bench.send { $0.closed(1) } == .open(Self.itself, 2))
    bench.send { $0.opened(Self.session, 2) }
    #expect(bench.machine.status == .running(Self.session))
    // What it has run since doesn't do for another opening.
    bench.send { $0.lost(error, device: Self.camera, after: .seconds(9), 2) }
    #expect(bench.machine.status == .failed(error))
    #expect(bench.send { $0.closed(2) } == .none)
    #expect(bench.machine.status == .failed(error))
    #expect(bench.send { $0.retry(.init(rawValue: 2)) } == .open(Self.any, 3))
  }

  @Test(
    "A camera that was taken away, or broke at once, is not opened again by itself",
    arguments: [
      (CameraError.unplugged(camera: "Webcam"), TimeSpan.seconds(99)), (.inUse(camera: "Webcam"), .seconds(99)),
      (.permissionDenied(camera: "Webcam"), .seconds(99)), (broken, .milliseconds(9999)),
    ])
  func otherLossesRest(error: CameraError, span: TimeSpan) {
    let bench = MachineBench.running()
    bench.send { $0.lost(error, device: Self.camera, after: span, 1) }
    #expect(bench.machine.status != .starting)
    #expect(bench.send { $0.closed(1) } == .none)
  }

  @Test func anOpeningByItselfThatFailsIsShownAndNotRepeated() {
    let bench = MachineBench.reopening()
    bench.send { $0.openFailed(Self.broken, device: Self.camera, 2) }
    #expect(bench.machine.status == .failed(Self.broken))
    #expect(bench.send { $0.retry(.init(rawValue: 2)) } == .open(Self.any, 3))
  }

  @Test("A camera that goes while it is opened again was unplugged; no other takes its place")
  func goneWhileItIsOpenedAgain() {
    let bench = MachineBench.running()
    bench.send { $0.lost(Self.broken, device: Self.camera, after: .seconds(10), 1) }
    bench.plug(Self.other)
    bench.unplug(Self.camera)
    #expect(bench.machine.status == .interrupted(.unplugged))
    #expect(bench.send { $0.closed(1) } == .none)
    #expect(bench.plug(Self.camera) == .open(Self.any, 2))

    let late = MachineBench.reopening()
    late.unplug(Self.camera)
    late.send { $0.openFailed(.unknownCamera(id: "cam", known: []), device: nil, 2) }
    #expect(late.machine.status == .interrupted(.unplugged))
    #expect(late.plug(Self.camera) == .open(Self.any, 3))
  }

  @Test func whoeverAsksMeanwhileOvertakesTheOpeningByItself() {
    let asked = MachineBench.running()
    asked.send { $0.lost(Self.broken, device: Self.camera, after: .seconds(10), 1) }
    asked.open(CameraConfiguration(cameraID: "other"), 2)
    #expect(asked.send { $0.closed(1) } == .open(CameraConfiguration(cameraID: "other"), 2))

    let concealed = MachineBench.running()
    concealed.send { $0.lost(Self.broken, device: Self.camera, after: .seconds(10), 1) }
    concealed.send { $0.conceal(.page, .init(rawValue: 2)) }
    #expect(concealed.send { $0.closed(1) } == .none)
    #expect(concealed.answers[2] == .closed)
    #expect(concealed.send { $0.reveal(.page) } == .open(Self.any, 2))

    let stopped = MachineBench.reopening()
    #expect(stopped.send { $0.stop(.init(rawValue: 2)) } == .giveUp(2))
    stopped.send { $0.openFailed(.notRunning, device: nil, 2) }
    #expect(stopped.machine.status == .interrupted(.suspended))
  }

  @Test func aLossWhileAnotherCameraIsAwaitedOpensThatOne() {
    let bench = MachineBench.running()
    bench.open(CameraConfiguration(cameraID: "other"), 2)
    bench.send { $0.lost(Self.broken, device: Self.camera, after: .seconds(10), 1) }
    #expect(bench.send { $0.closed(1) } == .open(CameraConfiguration(cameraID: "other"), 3))
  }

  @Test(
    "Access that is granted opens the camera",
    arguments: [
      (any, true), (CameraConfiguration(cameraID: "cam"), true), (CameraConfiguration(cameraID: "else"), false),
      (CameraConfiguration(cameraID: "else", acceptsOthers: true), true),
    ])
  func grantedAccess(wanted: CameraConfiguration, opens: Bool) {
    let bench = MachineBench()
    bench.unplug(Self.camera)
    bench.open(wanted, 1)
    let refusal = CameraError.permissionDenied(camera: "/dev/video9")
    bench.send { $0.openFailed(refusal, device: nil, 1) }
    var busy = Self.camera
    busy.obstacle = .inUse
    #expect(bench.plug(busy) == .none)
    #expect(bench.machine.status == .permissionDenied(refusal))
    bench.unplug(busy)
    #expect(bench.plug(Self.camera) == (opens ? .open(wanted, 2) : .none))
    #expect(bench.machine.status == (opens ? .starting : .permissionDenied(refusal)))
  }

  @Test func aLossBeforeItsFirstFrameIsReportedNeverEndsAsRunning() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    #expect(bench.send { $0.lost(.unplugged(camera: "Webcam"), device: Self.camera, after: .zero, 1) } == .giveUp(1))
    #expect(bench.send { $0.opened(Self.session, 1) } == .close(1))
    #expect(bench.answers == [1: .refused(.unplugged(camera: "Webcam"))])
    bench.send { $0.closed(1) }
    #expect(bench.machine.status == .interrupted(.unplugged))
  }

  @Test func anUnpluggedCameraOpensWhenThatVeryCameraIsBack() {
    let bench = MachineBench.running()
    #expect(bench.unplug(Self.camera) == .close(1))
    #expect(bench.machine.status == .interrupted(.unplugged))
    bench.send { $0.closed(1) }
    #expect(bench.plug(Self.other) == .none)
    #expect(bench.plug(Self.camera) == .open(Self.any, 2))
  }

  @Test("An error whose camera then goes was an unplug, and the camera's return opens it")
  func aFailedCameraThatGoesAndComesBack() {
    let bench = MachineBench.running()
    bench.send { $0.lost(Self.broken, device: Self.camera, after: .zero, 1) }
    // In the middle of closing, as the device file disappears a moment after the error.
    bench.unplug(Self.camera)
    #expect(bench.machine.status == .interrupted(.unplugged))
    bench.send { $0.closed(1) }
    #expect(bench.plug(Self.camera) == .open(Self.any, 2))

    bench.send { $0.openFailed(Self.broken, device: Self.camera, 2) }
    #expect(bench.plug(Self.other) == .none, "it hasn't gone")
    #expect(bench.machine.status == .failed(Self.broken))
    bench.unplug(Self.camera)
    #expect(bench.machine.status == .interrupted(.unplugged))
    #expect(bench.plug(Self.camera) == .open(Self.any, 3))
  }

  @Test func aCameraThatWasNamedAndUnknownOpensWhenItComes() {
    let bench = MachineBench()
    bench.unplug(Self.camera)
    let wanted = CameraConfiguration(cameraID: "cam")
    bench.open(wanted, 1)
    bench.send { $0.openFailed(.unknownCamera(id: "cam", known: []), device: nil, 1) }
    #expect(bench.plug(Self.other) == .none)
    #expect(bench.plug(Self.camera) == .open(wanted, 2))
  }

  @Test func aListThatIsOlderThanTheUnplugOpensNothing() {
    let bench = MachineBench.running()
    bench.send { $0.lost(.unplugged(camera: "Webcam"), device: Self.camera, after: .zero, 1) }
    bench.send { $0.closed(1) }
    let list = DeviceList(cameras: [Self.camera])
    #expect(bench.send { $0.devicesChanged(list) { _ in true } } == .none)
    #expect(bench.send { $0.devicesChanged(list) { _ in false } } == .open(Self.any, 2))
  }
}
