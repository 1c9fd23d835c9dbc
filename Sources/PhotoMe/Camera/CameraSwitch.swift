// The button beside the shutter that changes to the other camera, or offers several.

import CGtk
import CameraCore
import CameraModels
import Localization

/// A button where there is exactly one other camera, the camera menu where there are more. A single camera needs neither.
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
    let way = camera.cameraSwitch
    let other: CameraDevice? = if case .toggle(let other) = way { other } else { nil }
    form = other != nil ? .button : way == .menu ? .menu : .none
    gtk_widget_set_visible(button.widget, (form == .button).gboolean)
    gtk_widget_set_visible(menu.widget, (form == .menu).gboolean)
    if let other { gtk_widget_set_tooltip_text(button.widget, localized("Switch to “\(other.name.displayed)”")) }
    formChanged?(form)
  }
}
