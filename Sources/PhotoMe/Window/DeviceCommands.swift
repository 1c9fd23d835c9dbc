// The action that opens the microphones, and states of cameras, sound and load for scripts.

import CameraCore
import CameraModels

/// Adds the action and the states, and keeps the states up to date.
@MainActor final class DeviceCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, camera: CameraModel, window: MainWindow) {
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
