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
    actions.addChoice("mirror", chosen: camera.settings.values.mirror.rawValue) { name in
      MirrorChoice(rawValue: name).map { choice in camera.settings.update { $0.mirror = choice } }
    }
    actions.addChoice("flash", chosen: camera.flashMode.rawValue) { name in
      FlashMode(rawValue: name).map(camera.setFlashMode)
    }
    actions.addChoice("guides", chosen: camera.guides.rawValue) { name in
      CompositionGuide(rawValue: name).map(camera.setGuides)
    }
    // A state for scripts: how often the window was white.
    actions.addReport("flashes", text: "0")
    // A state for scripts: the seconds that remain.
    actions.addReport("counting", text: "")
    observations = [
      ModelObservation { actions.setState("countdown", "\(camera.delay.seconds)") },
      ModelObservation { actions.setState("mirror", camera.settings.values.mirror.rawValue) },
      ModelObservation { actions.setState("flash", camera.flashMode.rawValue) },
      ModelObservation { actions.setState("guides", camera.guides.rawValue) },
      ModelObservation { actions.setState("flashes", "\(camera.flash.litCount)") },
      ModelObservation {
        actions.setState("counting", camera.countdown.remaining.map { "\($0)" } ?? "")
        actions.setEnabled("cancel-countdown", camera.countdown.isRunning)
      },
    ]
  }
}
