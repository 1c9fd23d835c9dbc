// The actions of the shutter's options, for the popover beside it, keys and D-Bus.

import CGtk
import CameraModels

/// Adds the actions, and keeps their states and the popover's button up to date.
@MainActor final class CaptureCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, camera: CameraModel) {
    // The parameter is in seconds.
    actions.addChoice("countdown", chosen: "\(camera.delay.seconds)") { text in
      Int(text).flatMap(ShutterDelay.init).map(camera.setDelay)
    }
    actions.add("cycle-countdown") { camera.cycleDelay() }
    actions.add("cancel-countdown") { camera.countdown.cancel() }
    // A state for scripts: the seconds that remain.
    actions.addReport("counting", text: "")
    observations = [
      ModelObservation { actions.setState("countdown", "\(camera.delay.seconds)") },
      ModelObservation {
        actions.setState("counting", camera.countdown.remaining.map { "\($0)" } ?? "")
        actions.setEnabled("cancel-countdown", camera.countdown.isRunning)
      },
    ]
  }
}
