// The button beside the shutter with the shutter's options, and what it says of those that are on.

import CGtk
import CameraModels
import GtkShim

/// Follows the options of a `CameraModel`. The popover's own buttons are bound to actions.
@MainActor final class CaptureControl {
  private let camera: CameraModel
  private let button: GObjectRef
  private let label: GObjectRef
  private var observation: ModelObservation?

  init(interface: Interface, camera: CameraModel) {
    self.camera = camera
    button = interface["options_button"]
    label = interface["options_label"]
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    gtk_label_set_text(label.opaque, camera.optionsBadge)
    gtk_widget_set_visible(label.widget, (!camera.optionsBadge.isEmpty).gboolean)
    button.setClass("on", !camera.optionsInUse.isEmpty)
    let text = (["Shutter Options"] + camera.optionsInUse).joined(separator: ", ")
    gtk_widget_set_tooltip_text(button.widget, text)
    pm_set_accessible_description(button.widget, camera.optionsInUse.joined(separator: ", "))
  }
}
