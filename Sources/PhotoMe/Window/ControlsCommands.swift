// The actions of the camera's controls and of its zoom, for buttons, keys and D-Bus.

import CGtk
import CameraModels

/// Adds the actions and keeps their states up to date.
@MainActor final class ControlsCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, controls: ControlsModel, window: MainWindow) {
    actions.add("camera-controls") { [weak window] in window?.showCameraControls() }
    actions.add("reset-controls") { Task { await controls.reset() } }
    actions.add("zoom-in") { controls.zoom(bySteps: 1) }
    actions.add("zoom-out") { controls.zoom(bySteps: -1) }
    actions.add("zoom-reset") { controls.setZoom(1) }
    // For scripts: the factor of the zoom, the controls with their values, and whether their popover is open.
    for report in ["zoom", "controls"] { actions.addReport(report, text: "") }
    actions.addReport("controls-shown", text: "no")
    window.cameraControlsShown = { actions.setState("controls-shown", $0 ? "yes" : "no") }
    observations = [
      ModelObservation(of: { controls.canZoom }) { canZoom in
        for action in ["zoom-in", "zoom-out", "zoom-reset"] { actions.setEnabled(action, canZoom) }
      },
      ModelObservation(of: { !controls.controls.isEmpty }) { actions.setEnabled("camera-controls", $0) },
      ModelObservation { actions.setState("zoom", controls.zoomText) },
      ModelObservation {
        actions.setState("controls", controls.controls.map { "\($0.id)=\($0.value)" }.joined(separator: " "))
      },
    ]
  }
}
