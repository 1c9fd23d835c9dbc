// The button beside the shutter with the options of photos and movies, and what it says of those that are on.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Follows the options of a `CameraModel`. Most of the popover's buttons are bound to actions.
@MainActor final class CaptureControl {
  /// Called when the popover was opened or closed.
  var shownChanged: ((_ isShown: Bool) -> Void)?

  private let camera: CameraModel
  private let button: GObjectRef
  private let label: GObjectRef
  private let popover: GObjectRef
  private let rows: [(option: CaptureOption, box: GObjectRef)]
  private let formatsBox: GObjectRef
  private let formats: ChoiceRow<PhotoFormat>
  private var switches: [SwitchSetting] = []
  private var observations: [ModelObservation] = []

  init(interface: Interface, camera: CameraModel, movies: MovieModel) {
    self.camera = camera
    button = interface["options_button"]
    label = interface["options_label"]
    popover = interface["options_popover"]
    rows = CaptureOption.allCases.map { ($0, interface["option_" + $0.rawValue.replacing("-", with: "_")]) }
    formatsBox = interface["photo_formats"]
    formats = ChoiceRow(
      formatsBox, PhotoFormat.ofShots.map { ($0, $0.name) }, chosen: { camera.photoFormat },
      choose: { camera.setPhotoFormat($0) })
    switches = [
      SwitchSetting(
        interface["options_raw"], isOn: { camera.savesRaw }, isEnabled: { camera.cameraChangeRefusal == nil },
        set: { isOn in Task { await camera.setSavesRaw(isOn) } }),
      SwitchSetting(
        interface["options_stabilize"], isOn: { movies.isStabilized }, isEnabled: { movies.changeRefusal == nil },
        set: { movies.setStabilized($0) }),
    ]
    interface["options_preferences"].on("clicked") { [popover] in gtk_popover_popdown(popover.of(GtkPopover.self)) }
    popover.on("map") { [weak self] in
      self?.followFormats()
      self?.focusFirstRow()
      self?.shownChanged?(true)
    }
    popover.whenClosed { [weak self] in self?.shownChanged?(false) }
    observations = [
      ModelObservation { [weak self] in self?.follow() },
      ModelObservation(of: { camera.offeredOptions }) { [weak self] in self?.offer($0) },
    ]
  }

  /// Opens the popover.
  func show() { gtk_menu_button_popup(button.opaque) }

  private func offer(_ options: [CaptureOption]) {
    for row in rows { gtk_widget_set_visible(row.box.widget, options.contains(row.option).gboolean) }
  }

  /// GTK's own choice goes by the places of the rows, and those that were just offered have none yet.
  private func focusFirstRow() {
    guard let first = rows.first(where: { gtk_widget_get_visible($0.box.widget) != 0 }) else { return }
    let pressed = WidgetSearch.first(in: first.box.widget) { widget in
      guard WidgetSearch.isInstance(widget, of: gtk_toggle_button_get_type()) else { return false }
      let button = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkToggleButton.self)
      return gtk_toggle_button_get_active(button) != 0
    }
    if let pressed { gtk_widget_grab_focus(pressed) }
  }

  /// Looking for the encoders takes a moment that the start of the program doesn't have.
  private func followFormats() {
    formats.enable { camera.offers($0) }
    gtk_widget_set_tooltip_text(formatsBox.widget, camera.photoFormatNote)
  }

  private func follow() {
    gtk_label_set_text(label.opaque, camera.optionsBadge)
    gtk_widget_set_visible(label.widget, (!camera.optionsBadge.isEmpty).gboolean)
    let isInUse = !camera.optionsInUse.isEmpty
    button.setClass("on", isInUse)
    let options = isInUse ? camera.optionsInUse.localizedList : ""
    gtk_widget_set_tooltip_text(
      button.widget, isInUse ? localized("Shutter options: \(options)") : localized("Shutter Options"))
    pm_set_accessible_description(button.widget, options)
  }
}
