// Controls without a camera for the tests of the models.

import CameraCore
import EngineInterface
import Synchronization

/// A `CameraControlService` whose controls obey `ControlPlan`'s pairs, as a driver's do.
final class ScriptedControls: CameraControlService {
  struct State {
    var controls: [CameraControl]
    var failure: CameraControlError?
    /// The controls that refuse every value.
    var refusing: Set<CameraControl.ID> = []
    var writes: [ControlValue] = []
    var looks: [CameraDevice.ID: FrameLook] = [:]
    /// That of the webcam.
    var look: FrameLook { looks[ScriptedCamera.webcam.id] ?? FrameLook() }
    /// The cameras that don't answer yet, and those who wait for them.
    var silent: Set<CameraDevice.ID> = []
    var asked: [CheckedContinuation<Void, Never>] = []
    var sinks: [AsyncStream<[CameraControl]>.Continuation] = []
    var held: [CheckedContinuation<Void, Never>] = []
    /// Whether writes wait for `release`.
    var holds = false
  }

  private let state: Mutex<State>

  init(_ controls: [CameraControl]) { state = Mutex(State(controls: controls)) }

  @discardableResult
  func with<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// Another program sets a control.
  func change(_ id: CameraControl.ID, to value: Int) {
    state.withLock { state in
      state.apply(ControlValue(id, value))
      for sink in state.sinks { sink.yield(state.controls) }
    }
  }

  func release() {
    let held = state.withLock { state in
      state.holds = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// The silent cameras answer.
  func answer() {
    let asked = state.withLock { state in
      state.silent = []
      defer { state.asked = [] }
      return state.asked
    }
    for continuation in asked { continuation.resume() }
  }

  func controls(of camera: CameraDevice) async throws(CameraControlError) -> [CameraControl] {
    await withCheckedContinuation { continuation in
      let waits = with { state in
        let isSilent = state.silent.contains(camera.id)
        if isSilent { state.asked.append(continuation) }
        return isSilent
      }
      if !waits { continuation.resume() }
    }
    let (failure, controls) = with { ($0.failure, $0.controls) }
    if let failure { throw failure }
    return controls
  }

  func set(_ values: [ControlValue], of camera: CameraDevice) async throws(CameraControlError) -> [CameraControl] {
    await withCheckedContinuation { continuation in
      let waits = with { state in
        if state.holds { state.held.append(continuation) }
        return state.holds
      }
      if !waits { continuation.resume() }
    }
    for value in values {
      let isRefused = with { state in
        if state.refusing.contains(value.id) { return true }
        state.writes.append(value)
        state.apply(value)
        return false
      }
      if isRefused { throw .refused(name: value.id, camera: camera.name, message: "no") }
    }
    return with { $0.controls }
  }

  func reset(_ camera: CameraDevice) async throws(CameraControlError) -> [CameraControl] {
    with { state in
      for _ in 0..<2 { for write in ControlPlan(state.controls).resetting() { state.apply(write) } }
      return state.controls
    }
  }

  func changes(of camera: CameraDevice) -> AsyncStream<[CameraControl]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [CameraControl].self)
    with { $0.sinks.append(continuation) }
    return stream
  }

  func setLook(_ look: FrameLook, of camera: CameraDevice) { with { $0.looks[camera.id] = look } }
}

extension ScriptedControls.State {
  /// Sets a control, with the effect on those that it rules.
  mutating func apply(_ write: ControlValue) {
    guard let index = controls.firstIndex(where: { $0.id == write.id }) else { return }
    controls[index].value = write.value
    let ruler = controls[index]
    for manual in ruler.standard?.manuals ?? [] {
      guard let ruled = controls.firstIndex(where: { $0.id == manual.rawValue }) else { continue }
      if ruler.isAutomatic {
        controls[ruled].state.insert(.inactive)
      } else {
        controls[ruled].state.remove(.inactive)
      }
    }
  }
}
