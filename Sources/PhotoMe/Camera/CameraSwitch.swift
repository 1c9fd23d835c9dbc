// The button beside the shutter that changes to the other camera, or offers several.

import CGtk
import CameraModels

/// A button where there are exactly two cameras, the camera menu where there are more. A single camera needs neither.
@MainActor final class CameraSwitch {
  /// What is shown.
  enum Form: String {
    case none
    case button
    case menu
  }

  private(set) var form = Form.none
  /// Called with what is shown, now and when it changes.
  var formChanged: ((Form) -> Void)? {
    didSet { formChanged?(form) }
  }

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
    // With two cameras and the test camera on, both are others.
    form = count < 2 ? .none : count == 2 && other != nil ? .button : .menu
    gtk_widget_set_visible(button.widget, (form == .button).gboolean)
    gtk_widget_set_visible(menu.widget, (form == .menu).gboolean)
    if let other { gtk_widget_set_tooltip_text(button.widget, "Switch to “\(other.name.displayed)”") }
    formChanged?(form)
  }
}
