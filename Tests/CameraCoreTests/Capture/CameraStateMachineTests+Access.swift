// Permission to use cameras: asked for, refused, withdrawn and given back.

import CameraCore
import Testing

extension CameraStateMachineTests {
  @Test("While the desktop is asked that is the status, and nothing is while the camera opens then")
  func theDesktopIsAsked() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    #expect(bench.send { $0.awaitsPermission(true, 7) } == .late)
    #expect(bench.send { $0.awaitsPermission(true, 1) } == .none)
    #expect(bench.machine.status == .awaitingPermission)
    bench.send { $0.awaitsPermission(false, 1) }
    #expect(bench.machine.status == .starting)
    bench.send { $0.opened(Self.session, 1) }
    #expect(bench.send { $0.awaitsPermission(true, 1) } == .late)
    #expect(bench.machine.status == .running(Self.session))
  }

  @Test("A question is given up like any opening")
  func aQuestionIsGivenUp() {
    let bench = MachineBench()
    bench.open(Self.any, 1)
    bench.send { $0.awaitsPermission(true, 1) }
    #expect(bench.send { $0.conceal(.closing, .init(rawValue: 2)) } == .giveUp(1))
    bench.send { $0.openFailed(.notRunning, device: nil, 1) }
    #expect(bench.machine.status == .interrupted(.suspended))
  }

  @Test("A camera that goes because it was taken back says so, and comes back with the permission")
  func withdrawnAccess() {
    let bench = MachineBench.running()
    bench.unplug(Self.camera)
    #expect(bench.machine.status == .interrupted(.unplugged))
    #expect(bench.send { $0.accessWithdrawn(.accessDenied) } == .none)
    #expect(bench.machine.status == .permissionDenied(.accessDenied), "while it is being closed")
    bench.send { $0.closed(1) }
    #expect(bench.machine.status == .permissionDenied(.accessDenied))
    #expect(bench.plug(Self.camera) == .open(Self.any, 2))
  }

  @Test("The same for a stream that broke first, which isn’t opened again then")
  func withdrawnAccessBreaks() {
    let bench = MachineBench.running()
    bench.send { $0.lost(Self.broken, device: Self.camera, after: .seconds(99), 1) }
    #expect(bench.machine.status == .starting)
    bench.send { $0.accessWithdrawn(.accessDenied) }
    #expect(bench.send { $0.closed(1) } == .none)
    #expect(bench.machine.status == .permissionDenied(.accessDenied))
    #expect(bench.send { $0.retry(.init(rawValue: 2)) } == .open(Self.any, 2))
  }

  @Test("What runs, opens, or rests for another reason stays as it is")
  func withdrawnTooLate() {
    let running = MachineBench.running()
    #expect(running.send { $0.accessWithdrawn(.accessDenied) } == .late)
    #expect(running.machine.status == .running(Self.session))
    let concealed = MachineBench.running()
    concealed.send { $0.conceal(.page, .init(rawValue: 2)) }
    #expect(concealed.send { $0.accessWithdrawn(.accessDenied) } == .late)
    #expect(concealed.machine.status == .interrupted(.suspended))
  }
}
