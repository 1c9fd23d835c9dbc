// One camera control as a row: a slider, a switch, a list or a button.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Follows one control of a `ControlsModel`, and sets it. It is insensitive while the control can't be set.
@MainActor final class ControlRow {
  /// The row's box.
  let root: GObjectRef
  private let model: ControlsModel
  private let id: CameraControl.ID
  private var parts: [AnyObject] = []
  private var isFollowing = false

  /// - Parameter control: As it is now; its range and its kind stay.
  init?(_ control: CameraControl, model: ControlsModel) {
    guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let heading = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12),
      let title = gtk_label_new(control.title.displayed)
    else { return nil }
    (self.model, id) = (model, control.id)
    root = GObjectRef(retaining: box)
    let label = GObjectRef(retaining: title)
    gtk_label_set_xalign(label.opaque, 0)
    gtk_label_set_wrap(label.opaque, true.gboolean)
    gtk_widget_set_hexpand(label.widget, true.gboolean)
    let row = GObjectRef(retaining: heading)
    gtk_box_append(row.of(GtkBox.self), label.widget)
    gtk_box_append(root.of(GtkBox.self), row.widget)
    switch control.kind {
    case .button: addButton(to: row, control)
    case .boolean: addSwitch(to: row, control)
    case .integer: addSlider(below: row, control)
    case .menu(let items): addList(items, control)
    }
    let (root, id) = (root, control.id)
    parts.append(
      ModelObservation {
        guard let control = model.control(id) else { return }
        gtk_widget_set_sensitive(root.widget, control.isActive.gboolean)
        gtk_widget_set_tooltip_text(root.widget, model.explanation(of: control))
      })
  }

  private func addButton(to row: GObjectRef, _ control: CameraControl) {
    guard
      let made = gtk_button_new_with_label(
        localized(
          "Run", context: "camera control",
          comment: "A button that starts what the camera can do, such as focusing once"))
    else { return }
    let button = GObjectRef(retaining: made)
    gtk_widget_set_valign(button.widget, GTK_ALIGN_CENTER)
    pm_set_accessible_label(button.widget, control.title.displayed)
    gtk_box_append(row.of(GtkBox.self), button.widget)
    let (model, id) = (model, id)
    button.on("clicked") { model.press(id) }
  }

  private func addSwitch(to row: GObjectRef, _ control: CameraControl) {
    guard let made = gtk_switch_new() else { return }
    let button = GObjectRef(retaining: made)
    gtk_widget_set_valign(button.widget, GTK_ALIGN_CENTER)
    pm_set_accessible_label(button.widget, control.title.displayed)
    gtk_box_append(row.of(GtkBox.self), button.widget)
    let (model, id) = (model, id)
    parts.append(
      SwitchSetting(button, isOn: { (model.control(id)?.value ?? 0) != 0 }, set: { model.set(id, to: $0 ? 1 : 0) }))
  }

  private func addSlider(below row: GObjectRef, _ control: CameraControl) {
    let (low, high) = (Double(control.range.lowerBound), Double(control.range.upperBound))
    guard let number = gtk_label_new(nil),
      let made = gtk_scale_new_with_range(
        GTK_ORIENTATION_HORIZONTAL, low, max(high, low + 1), Double(control.step))
    else { return }
    let (value, scale) = (GObjectRef(retaining: number), GObjectRef(retaining: made))
    gtk_widget_add_css_class(value.widget, "numeric")
    gtk_widget_add_css_class(value.widget, "dim-label")
    gtk_box_append(row.of(GtkBox.self), value.widget)
    gtk_scale_set_draw_value(scale.of(GtkScale.self), false.gboolean)
    // Whoever scrolls through the list of controls changes none of them.
    scale.leaveWheelToParents()
    gtk_range_set_increments(
      scale.of(GtkRange.self), Double(control.step), max(Double(control.step), ((high - low) / 20).rounded()))
    pm_set_accessible_label(scale.widget, control.title.displayed)
    gtk_box_append(root.of(GtkBox.self), scale.widget)
    let (model, id) = (model, id)
    parts.append(
      ValueSlider(
        scale: scale, label: value, grain: 1, value: { Double(model.control(id)?.value ?? 0) },
        text: { model.control(id)?.text(of: Self.whole($0)) ?? "" },
        set: { model.set(id, to: Self.whole($0)) },
        reset: { if let control = model.control(id) { model.set(id, to: control.defaultValue) } },
        released: {}))
  }

  /// The whole number nearest to a slider's. A range may reach to the largest Int, which no Double is.
  private static func whole(_ value: Double) -> Int {
    Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }

  private func addList(_ items: [CameraControl.MenuItem], _ control: CameraControl) {
    let titles = items.map(\.title.displayed)
    guard let made = withCStrings(titles, { gtk_drop_down_new_from_strings($0) }) else { return }
    let list = GObjectRef(retaining: made)
    gtk_widget_set_margin_top(list.widget, 3)
    // The button inside has the focus, and GTK 4.8 leaves it unnamed.
    let named = [list] + WidgetSearch.all(in: list.widget, of: gtk_toggle_button_get_type())
    for part in named { pm_set_accessible_label(part.widget, control.title.displayed) }
    gtk_box_append(root.of(GtkBox.self), list.widget)
    let (model, id) = (model, id)
    list.onChange(of: "selected") { [weak self, unowned list] in
      let index = Int(gtk_drop_down_get_selected(list.opaque))
      guard let self, !isFollowing, items.indices.contains(index) else { return }
      model.set(id, to: items[index].value)
    }
    parts.append(
      ModelObservation { [weak self] in
        let value = model.control(id)?.value
        let index = items.firstIndex { $0.value == value }.map { guint($0) } ?? guint.max  // GTK_INVALID_LIST_POSITION
        self?.isFollowing = true
        gtk_drop_down_set_selected(list.opaque, index)
        self?.isFollowing = false
        let text = value.flatMap { model.control(id)?.text(of: $0) } ?? ""
        for part in named { pm_set_accessible_description(part.widget, text) }
      })
  }
}
