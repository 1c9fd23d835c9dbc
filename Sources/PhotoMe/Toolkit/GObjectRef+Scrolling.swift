// Scrolling with the wheel over widgets that would take it for themselves.

import CGtk

extension GObjectRef {
  /// Leaves the wheel to whatever scrolls around the widget. A `GtkRange` changes its value with it instead, and has no
  /// property for that.
  func leaveWheelToParents() {
    guard let all = gtk_widget_observe_controllers(widget) else { return }
    let controllers = GObjectRef(adopting: all)
    for index in 0..<g_list_model_get_n_items(controllers.opaque) {
      guard let found = g_list_model_get_item(controllers.opaque, index) else { continue }
      defer { g_object_unref(found) }
      let isScrolling = g_type_check_instance_is_a(
        found.assumingMemoryBound(to: GTypeInstance.self), gtk_event_controller_scroll_get_type())
      if isScrolling != 0 { gtk_event_controller_set_propagation_phase(OpaquePointer(found), GTK_PHASE_NONE) }
    }
  }
}
