// The viewer's details panel.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Lists a `ViewerModel`'s details, with buttons that change them.
@MainActor final class ViewerDetails {
  private let model: ViewerModel
  private let flap: GObjectRef
  private let box: GObjectRef
  private var shown: [PictureInfo] = []
  /// The labels with the rows' values; `nil` for a row without one.
  private var values: [GObjectRef?] = []
  private var buttons: [PictureInfo.Adjustment: GObjectRef] = [:]
  private var observations: [ModelObservation] = []

  init(interface: Interface, model: ViewerModel) {
    self.model = model
    flap = interface["viewer_flap"]
    box = interface["viewer_details"]
    flap.onChange(of: "reveal-flap") { [weak self] in
      guard let self else { return }
      let isRevealed = adw_flap_get_reveal_flap(flap.opaque) != 0
      if model.isInfoShown != isRevealed { model.isInfoShown = isRevealed }
    }
    observations = [
      ModelObservation { [weak self] in
        guard let self else { return }
        adw_flap_set_reveal_flap(flap.opaque, model.isInfoShown.gboolean)
        if model.isInfoShown { show(model.info) }
      }
    ]
  }

  private func show(_ lines: [PictureInfo]) {
    guard lines != shown else { return }
    // The button that opened a dialog keeps the focus while the dialog changes the value beside it.
    let hasSameRows = lines.map(Self.shape) == shown.map(Self.shape)
    shown = lines
    if hasSameRows {
      for (line, value) in zip(lines, values) { value.map { gtk_label_set_text($0.opaque, line.value.displayed) } }
      return
    }
    let focused = buttons.first { gtk_widget_has_focus($0.value.widget) != 0 }?.key
    while let child = gtk_widget_get_first_child(box.widget) { gtk_box_remove(box.of(GtkBox.self), child) }
    (values, buttons) = ([], [:])
    for line in lines { add(line) }
    if let button = focused.flatMap({ buttons[$0] }) { gtk_widget_grab_focus(button.widget) }
  }

  /// What a row consists of, whatever its value is.
  private static func shape(_ line: PictureInfo) -> [String] { [line.title, line.value.isEmpty ? "" : "value"] }

  private func add(_ line: PictureInfo) {
    let row = GObjectRef(retaining: gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6))
    let texts = GObjectRef(retaining: gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
    gtk_widget_set_hexpand(texts.widget, true.gboolean)
    gtk_box_append(row.of(GtkBox.self), texts.widget)
    let title = label(line.title, in: texts)
    gtk_widget_add_css_class(title.widget, "dim-label")
    gtk_widget_add_css_class(title.widget, "caption")
    if line.value.isEmpty {
      values.append(nil)
    } else {
      let value = label(line.value.displayed, in: texts)
      gtk_label_set_wrap(value.opaque, true.gboolean)
      gtk_label_set_wrap_mode(value.opaque, PANGO_WRAP_WORD_CHAR)
      gtk_label_set_selectable(value.opaque, true.gboolean)
      gtk_widget_set_can_focus(value.widget, false.gboolean)
      values.append(value)
    }
    if let adjustment = line.adjustment {
      let button = button(for: adjustment, isAddition: line.value.isEmpty)
      gtk_box_append((line.value.isEmpty ? texts : row).of(GtkBox.self), button.widget)
      buttons[adjustment] = button
    }
    gtk_box_append(box.of(GtkBox.self), row.widget)
  }

  private func label(_ text: String, in parent: GObjectRef) -> GObjectRef {
    let label = GObjectRef(retaining: gtk_label_new(text))
    gtk_label_set_xalign(label.opaque, 0)
    gtk_box_append(parent.of(GtkBox.self), label.widget)
    return label
  }

  /// A button that opens a dialog. The action is disabled for a picture that can't be changed.
  ///
  /// - Parameter isAddition: Whether there is no value yet: the button stands in its place.
  private func button(for adjustment: PictureInfo.Adjustment, isAddition: Bool) -> GObjectRef {
    let (action, name) =
      switch adjustment {
      case .date: ("app.ask-date", localized("Adjust Date and Time"))
      case .place: ("app.ask-place", isAddition ? localized("Add Place") : localized("Adjust Place"))
      }
    let button = GObjectRef(
      retaining: isAddition
        ? gtk_button_new_with_label(name) : gtk_button_new_from_icon_name("document-edit-symbolic"))
    gtk_widget_add_css_class(button.widget, "flat")
    if !isAddition {
      gtk_widget_set_tooltip_text(button.widget, name)
      pm_set_accessible_label(button.widget, name)
    }
    gtk_widget_set_halign(button.widget, isAddition ? GTK_ALIGN_START : GTK_ALIGN_END)
    gtk_widget_set_valign(button.widget, GTK_ALIGN_CENTER)
    gtk_actionable_set_action_name(button.opaque, action)
    return button
  }
}
