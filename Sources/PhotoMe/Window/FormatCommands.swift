// The actions of resolution, photo quality and formats, RAW and stabilization, for menus, popovers and D-Bus.

import CGtk
import CameraCore
import CameraModels

/// Adds the actions, and keeps their states up to date.
@MainActor final class FormatCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, camera: CameraModel, movies: MovieModel, window: MainWindow) {
    // The parameter is a size in pixels, as `1280x720`, or `automatic`.
    actions.addChoice("resolution", chosen: CameraMenu.name(of: camera.chosenSize)) { name in
      guard let size = camera.offeredSizes.first(where: { CameraMenu.name(of: $0) == name }) else {
        if name == CameraMenu.name(of: nil) { Task { await camera.selectSize(nil) } }
        return
      }
      Task { await camera.selectSize(size) }
    }
    actions.addChoice("photo-quality", chosen: camera.photoQuality.rawValue) { name in
      PhotoQuality(rawValue: name).map(camera.setPhotoQuality)
    }
    actions.addChoice("photo-format", chosen: camera.photoFormat.rawValue) { name in
      PhotoFormat(rawValue: name).map(camera.setPhotoFormat)
    }
    actions.addSwitch("save-raw", isOn: camera.savesRaw) { Task { await camera.setSavesRaw(!camera.savesRaw) } }
    actions.addSwitch("stabilize", isOn: movies.isStabilized) { movies.setStabilized(!movies.isStabilized) }
    actions.add("shutter-options") { [weak window] in window?.showShutterOptions() }
    // States for scripts: the options that the popover offers, and whether it is open.
    actions.addReport("options", text: "")
    actions.addReport("options-shown", text: "no")
    window.shutterOptionsShown = { actions.setState("options-shown", $0 ? "yes" : "no") }
    observations = [
      ModelObservation { actions.setState("resolution", CameraMenu.name(of: camera.chosenSize)) },
      ModelObservation { actions.setState("photo-quality", camera.photoQuality.rawValue) },
      ModelObservation { actions.setState("photo-format", camera.photoFormat.rawValue) },
      ModelObservation { actions.setState("save-raw", camera.savesRaw) },
      ModelObservation { actions.setState("stabilize", movies.isStabilized) },
      ModelObservation(of: { camera.cameraChangeRefusal == nil }) { isFree in
        for action in ["resolution", "save-raw", "stabilize"] { actions.setEnabled(action, isFree) }
      },
      ModelObservation {
        actions.setState("options", camera.offeredOptions.map(\.rawValue).joined(separator: " "))
      },
    ]
  }
}
