// Widgets that libadwaita or a layout has made, found by what they are.

import CGtk

/// Looks at widgets that have no ID in a layout.
@MainActor enum WidgetSearch {
  /// Whether a widget is of a type, or of one that is derived from it.
  static func isInstance(_ widget: UnsafeMutablePointer<GtkWidget>, of type: GType) -> Bool {
    g_type_check_instance_is_a(UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), type) != 0
  }

  /// The first widget that is wanted: this one, else one of its children, in the order in which they are shown.
  static func first(
    in widget: UnsafeMutablePointer<GtkWidget>, _ isWanted: (UnsafeMutablePointer<GtkWidget>) -> Bool
  ) -> UnsafeMutablePointer<GtkWidget>? {
    if isWanted(widget) { return widget }
    var child = gtk_widget_get_first_child(widget)
    while let part = child {
      if let found = first(in: part, isWanted) { return found }
      child = gtk_widget_get_next_sibling(part)
    }
    return nil
  }

  /// All widgets of a type at or below a widget, in the order in which they are shown.
  static func all(in widget: UnsafeMutablePointer<GtkWidget>, of type: GType) -> [GObjectRef] {
    var found = isInstance(widget, of: type) ? [GObjectRef(retaining: widget)] : []
    var child = gtk_widget_get_first_child(widget)
    while let part = child {
      found += all(in: part, of: type)
      child = gtk_widget_get_next_sibling(part)
    }
    return found
  }
}
