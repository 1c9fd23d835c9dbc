// The editor's page of adjustments: a slider for each, and red eyes.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Fills the page, and binds its sliders to an `EditModel`.
@MainActor final class AdjustmentSliders {
  private var sliders: [ValueSlider] = []
  private var first: GObjectRef?
  private let redEyes: GObjectRef
  private var observations: [ModelObservation] = []
  private var isFollowing = false

  init(interface: Interface, model: EditModel) {
    redEyes = interface["red_eye_button"]
    let list = interface["adjust_list"]
    for field in Adjustments.fields {
      guard let row = Self.row(field) else { continue }
      gtk_flow_box_insert(list.opaque, row.box.widget, -1)
      // The cell itself doesn't take the focus.
      if let cell = gtk_widget_get_parent(row.box.widget) {
        gtk_widget_set_focusable(cell, false.gboolean)
        pm_set_accessible_label(cell, field.title)
      }
      if first == nil { first = row.scale }
      row.title.onDoubleClick { model.reset(field) }
      sliders.append(
        ValueSlider(
          scale: row.scale, label: row.value, value: { model.recipe.adjustments[keyPath: field.keyPath] },
          text: { Self.text(of: $0, field) }, set: { model.set(field, to: $0) }, reset: { model.reset(field) },
          released: { model.endStep() }))
    }
    redEyes.on("toggled") { [weak self] in
      guard let self, !isFollowing else { return }
      Task {
        await model.toggleRedEyes()
        // Also when there were none, and nothing has changed in the model.
        self.followRedEyes(model)
      }
    }
    observations = [
      ModelObservation { [weak self] in self?.followRedEyes(model) },
      ModelObservation { [redEyes] in gtk_widget_set_visible(redEyes.widget, model.canRemoveRedEyes.gboolean) },
    ]
  }

  private func followRedEyes(_ model: EditModel) {
    let (isOn, isLooking) = (model.removesRedEyes, model.isLookingForRedEyes)
    gtk_widget_set_sensitive(redEyes.widget, (!isLooking).gboolean)
    isFollowing = true
    // Pressed while it looks, so that the press is seen.
    gtk_toggle_button_set_active(redEyes.of(GtkToggleButton.self), (isOn || isLooking).gboolean)
    isFollowing = false
  }

  /// Gives the keyboard focus to the first slider.
  func focus() { first.map { _ = gtk_widget_grab_focus($0.widget) } }

  /// Exposure in stops, with decimals; everything else in percent.
  static func text(of value: Double, _ field: Adjustments.Field) -> String {
    field.range.upperBound > 1 ? ValueSlider.signed(value, places: 2) : ValueSlider.signed(value * 100)
  }

  private static func row(
    _ field: Adjustments.Field
  ) -> (box: GObjectRef, title: GObjectRef, scale: GObjectRef, value: GObjectRef)? {
    let range = field.range
    guard let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), let title = gtk_label_new(field.title),
      let value = gtk_label_new(""),
      let scale = range.lowerBound < 0
        ? pm_center_scale_new(range.lowerBound, range.upperBound, 0.01)
        : gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, range.lowerBound, range.upperBound, 0.01)
    else { return nil }
    let row = (
      box: GObjectRef(retaining: box), title: GObjectRef(retaining: title), scale: GObjectRef(retaining: scale),
      value: GObjectRef(retaining: value)
    )
    gtk_label_set_xalign(row.title.opaque, 0)
    gtk_label_set_width_chars(row.title.opaque, 10)
    gtk_label_set_width_chars(row.value.opaque, 5)
    gtk_label_set_xalign(row.value.opaque, 1)
    gtk_widget_add_css_class(value, "numeric")
    gtk_widget_add_css_class(value, "dim-label")
    gtk_widget_set_hexpand(scale, true.gboolean)
    gtk_widget_set_size_request(scale, 160, -1)
    gtk_widget_set_focus_on_click(scale, false.gboolean)
    gtk_widget_set_tooltip_text(scale, localized("Double-click to reset"))
    let handle = row.scale.of(GtkScale.self)
    gtk_scale_set_draw_value(handle, false.gboolean)
    gtk_scale_add_mark(handle, 0, GTK_POS_BOTTOM, nil)
    gtk_range_set_increments(row.scale.of(GtkRange.self), 0.01, 0.1)
    pm_set_accessible_label(scale, field.title)
    for child in [title, scale, value] { gtk_box_append(row.box.of(GtkBox.self), child) }
    return row
  }
}
