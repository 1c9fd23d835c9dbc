// The actions that choose cameras and open the microphones, and states of cameras, sound and load for scripts.

import CameraCore
import CameraModels

/// Adds the actions and the states, and keeps the states up to date.
@MainActor final class DeviceCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, camera: CameraModel, window: MainWindow) {
    actions.addChoice("select-camera", chosen: camera.selectedCameraID ?? "") { id in
      Task { await camera.selectCamera(id) }
    }
    actions.add("switch-camera") { Task { await camera.switchCamera() } }
    actions.add("choose-camera") { [weak window] in window?.showCameraMenu() }
    actions.add("use-test-camera") { Task { await camera.useTestCamera() } }
    actions.add("choose-microphone") { [weak window] in window?.showMicrophones() }
    // The camera that delivers; empty while none does.
    actions.addReport("running-camera", text: "")
    // What offers another camera beside the shutter, and whether the menu of cameras is open.
    actions.addReport("camera-switch", text: CameraSwitch.Form.none.rawValue)
    actions.addReport("camera-menu-shown", text: "no")
    // The sound in the open popover of microphones: heard or silent; empty where none is measured.
    actions.addReport("sound-level", text: "")
    // What the level of pressure is due to.
    actions.addReport("pressure-factors", text: "")
    window.cameraSwitchChanged = { actions.setState("camera-switch", $0.rawValue) }
    window.followCameraMenu { actions.setState("camera-menu-shown", $0 ? "yes" : "no") }
    observations = [
      ModelObservation { actions.setState("select-camera", camera.selectedCameraID ?? "") },
      ModelObservation {
        let isFree = camera.cameraChangeRefusal == nil
        let isToggle = if case .toggle = camera.cameraSwitch { true } else { false }
        actions.setEnabled("switch-camera", isFree && isToggle)
        for action in ["select-camera", "use-test-camera"] { actions.setEnabled(action, isFree) }
      },
      ModelObservation { actions.setState("running-camera", camera.session?.camera.id ?? "") },
      ModelObservation(of: { camera.microphones.level.map { $0.decibels > SoundLevel.floor ? "heard" : "silent" } }) {
        actions.setState("sound-level", $0 ?? "")
      },
      ModelObservation {
        let factors = camera.pressure.state.factors.sorted().map { "\($0)" }
        actions.setState("pressure-factors", factors.joined(separator: " "))
      },
    ]
  }
}
