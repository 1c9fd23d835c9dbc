// The bench for the camera's state machine.

import CameraCore
import Testing

/// The machine by reference, so that an expectation may step it, with the answers that it gave.
final class MachineBench {
  private(set) var machine = CameraStateMachine()
  private(set) var answers: [UInt64: CameraStateMachine.Answer.Outcome] = [:]
  private var plugged: [CameraDevice] = [CameraStateMachineTests.camera]

  static func running() -> MachineBench {
    let bench = MachineBench()
    bench.open(CameraStateMachineTests.any, 1)
    bench.send { $0.opened(CameraStateMachineTests.session, 1) }
    return bench
  }

  /// After a steady run the camera broke, and is being opened again.
  static func reopening() -> MachineBench {
    let bench = running()
    let (broken, camera) = (CameraStateMachineTests.broken, CameraStateMachineTests.camera)
    bench.send { $0.lost(broken, device: camera, after: .seconds(10), 1) }
    bench.send { $0.closed(1) }
    return bench
  }

  @discardableResult
  func send(_ event: (inout CameraStateMachine) -> CameraStateMachine.Action) -> CameraStateMachine.Work {
    let action = event(&machine)
    for answer in action.answers {
      #expect(answers[answer.ticket.rawValue] == nil, "answered twice")
      answers[answer.ticket.rawValue] = answer.outcome
    }
    if case .impossible(let reason) = action.work { Issue.record("\(reason)") }
    return action.work
  }

  func machineAction(_ event: (inout CameraStateMachine) -> CameraStateMachine.Action) -> CameraStateMachine.Action {
    event(&machine)
  }

  @discardableResult
  func open(_ configuration: CameraConfiguration, _ ticket: UInt64) -> CameraStateMachine.Work {
    send { $0.open(configuration, .init(rawValue: ticket)) }
  }

  @discardableResult
  func plug(_ camera: CameraDevice) -> CameraStateMachine.Work {
    plugged.append(camera)
    return look()
  }

  @discardableResult
  func unplug(_ camera: CameraDevice) -> CameraStateMachine.Work {
    plugged.removeAll { $0 == camera }
    return look()
  }

  private func look() -> CameraStateMachine.Work {
    let plugged = plugged
    return send { $0.devicesChanged(DeviceList(cameras: plugged)) { !plugged.contains($0) } }
  }
}
