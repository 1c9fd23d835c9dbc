// The viewer's details panel.

import CGtk
import CameraCore
import CameraModels
import GtkShim

/// Lists a `ViewerModel`'s details.
@MainActor final class ViewerDetails {
  private let model: ViewerModel
  private let flap: GObjectRef
  private let box: GObjectRef
  private var shown: [PictureInfo] = []
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
    shown = lines
    while let child = gtk_widget_get_first_child(box.widget) { gtk_box_remove(box.of(GtkBox.self), child) }
    for line in lines {
      guard let row = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let title = gtk_label_new(line.title),
        let value = gtk_label_new(line.value.displayed)
      else { return }
      for label in [title, value] {
        gtk_label_set_xalign(OpaquePointer(label), 0)
        gtk_box_append(UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkBox.self), label)
      }
      gtk_widget_add_css_class(title, "dim-label")
      gtk_widget_add_css_class(title, "caption")
      gtk_label_set_wrap(OpaquePointer(value), true.gboolean)
      gtk_label_set_wrap_mode(OpaquePointer(value), PANGO_WRAP_WORD_CHAR)
      gtk_label_set_selectable(OpaquePointer(value), true.gboolean)
      gtk_widget_set_can_focus(value, false.gboolean)
      gtk_box_append(box.of(GtkBox.self), row)
    }
  }
}
