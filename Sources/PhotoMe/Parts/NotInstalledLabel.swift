// The words in the place of a picture that can't be made.

import CGtk
import GtkShim
import Localization

/// Lies over the picture of an effect whose models aren't installed.
@MainActor struct NotInstalledLabel {
  /// The picture with the mark over it.
  let widget: GObjectRef
  private let label: GObjectRef

  /// - Parameter picture: The widget of the picture, which has no parent yet.
  init?(over picture: GObjectRef) {
    guard let overlay = gtk_overlay_new(), let text = gtk_label_new(localized("Not installed")) else { return nil }
    widget = GObjectRef(retaining: UnsafeMutableRawPointer(overlay))
    label = GObjectRef(retaining: UnsafeMutableRawPointer(text))
    gtk_overlay_set_child(widget.opaque, picture.widget)
    gtk_overlay_add_overlay(widget.opaque, text)
    gtk_widget_set_halign(text, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(text, GTK_ALIGN_CENTER)
    gtk_label_set_wrap(label.opaque, true.gboolean)
    gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
    gtk_widget_add_css_class(text, "caption")
    gtk_widget_add_css_class(text, "dim-label")
    gtk_widget_set_can_target(text, false.gboolean)
    gtk_widget_set_visible(text, false.gboolean)
  }

  /// Shows or hides it.
  func show(_ isMissing: Bool) { gtk_widget_set_visible(label.widget, isMissing.gboolean) }
}
