// The test camera's controls. Brightness, contrast and zoom change its pictures, as a camera's own do.

import CameraCore
import Localization
import Synchronization

/// The test camera's part of an engine.
struct TestSetup: Sendable {
  var fault: TestFault
  var controls = TestCameraControls()
}

/// The values of the test camera's controls, as long as the program runs.
final class TestCameraControls: Sendable {
  private struct State {
    var values = Dictionary(uniqueKeysWithValues: TestCameraControls.descriptions.map { ($0.id, $0.defaultValue) })
    var listeners = StreamListeners<[CameraControl]>()

    var controls: [CameraControl] {
      let isAutomatic = { (id: StandardControl) in (values[id.rawValue] ?? 0) != (id == .exposureAuto ? 1 : 0) }
      return TestCameraControls.descriptions.map { description in
        var control = description
        control.value = values[control.id] ?? control.defaultValue
        if let ruler = control.standard?.automatic, isAutomatic(ruler) { control.state.insert(.inactive) }
        return control
      }
    }
  }

  private let state = Mutex(State())

  /// The controls of a plain webcam.
  private static var descriptions: [CameraControl] {
    [
      number(.brightness, -64...64, 0), number(.contrast, 0...64, 32),
      CameraControl(
        id: StandardControl.exposureAuto.rawValue, title: StandardControl.exposureAuto.title,
        kind: .menu([item(1, "Manual Mode", .exposureAuto), item(3, "Aperture Priority Mode", .exposureAuto)]),
        range: 0...3, defaultValue: 3, value: 3),
      number(.exposure, 10...2500, 160), number(.zoom, 100...400, 100, step: 5),
      CameraControl(
        id: StandardControl.powerLineFrequency.rawValue, title: StandardControl.powerLineFrequency.title,
        kind: .menu([
          item(0, "Disabled", .powerLineFrequency), item(1, "50 Hz", .powerLineFrequency),
          item(2, "60 Hz", .powerLineFrequency),
        ]), range: 0...2, defaultValue: 1, value: 1),
    ].inDisplayOrder { $0 }
  }

  private static func item(_ value: Int, _ title: String, _ control: StandardControl) -> CameraControl.MenuItem {
    CameraControl.MenuItem(value: value, driverTitle: title, of: control)
  }

  private static func number(
    _ control: StandardControl, _ range: ClosedRange<Int>, _ value: Int, step: Int = 1
  ) -> CameraControl {
    CameraControl(
      id: control.rawValue, title: control.title, kind: .integer, range: range, step: step, defaultValue: value,
      value: value)
  }

  var controls: [CameraControl] {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { state.withLock { $0.controls } }
  }

  /// Sets controls.
  ///
  /// - Throws: `CameraControlError`, as a camera's driver does.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func set(_ values: [ControlValue]) throws(CameraControlError) -> [CameraControl] {
    let result = state.withLock { state -> Result<[CameraControl], CameraControlError> in
      for value in values {
        guard let control = state.controls.first(where: { $0.id == value.id }) else {
          return .failure(
            .unknown(name: value.id, camera: TestCamera.device.name, known: state.controls.map(\.id)))
        }
        guard control.isActive, control.accepts(value.value) else {
          return .failure(
            .refused(
              name: control.title, camera: TestCamera.device.name, message: localized("the value can’t be set now")))
        }
        state.values[value.id] = value.value
      }
      let controls = state.controls
      state.listeners.send(controls)
      return .success(controls)
    }
    return try result.get()
  }

  /// The controls at each change from now on.
  func changes() -> AsyncStream<[CameraControl]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [CameraControl].self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.listeners.add(continuation) }
    return stream
  }

  /// The effect of the controls on the scene.
  var look: FrameLook {
    let values = state.withLock { $0.values }
    func value(_ control: StandardControl) -> Double { Double(values[control.rawValue] ?? 0) }
    return FrameLook(
      zoom: value(.zoom) / 100, brightness: value(.brightness) / 160, contrast: value(.contrast) / 32)
  }

  deinit { state.withLock { $0.listeners.finish() } }
}
