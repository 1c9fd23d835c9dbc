// The button beside the shutter that changes to the other camera, or offers several.

import CGtk
import CameraModels

/// A button where there are exactly two cameras, the camera menu where there are more. A single camera needs neither.
@MainActor final class CameraSwitch {
  private let camera: CameraModel
  private let button: GObjectRef
  private let menu: GObjectRef
  private var observation: ModelObservation?

  init(interface: Interface, camera: CameraModel) {
    self.camera = camera
    button = interface["switch_button"]
    menu = interface["switch_menu"]
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    let count = camera.devices.realCameras.count
    let other = camera.otherCameras.count == 1 ? camera.otherCameras.first : nil
    gtk_widget_set_visible(button.widget, (count == 2 && other != nil).gboolean)
    // With two cameras and the test camera on, both are others.
    gtk_widget_set_visible(menu.widget, (count > 2 || count == 2 && other == nil).gboolean)
    if let other { gtk_widget_set_tooltip_text(button.widget, "Switch to “\(other.name.displayed)”") }
  }
}
