// Rows of preferences and dialogs, used by scripts as a person would.

import CGtk

extension Interface {
  /// Uses a row: switches a switch, chooses an item of a list, or presses a button.
  ///
  /// - Parameters:
  ///   - id: The row's or switch's ID in the layout.
  ///   - value: `on` or `off`, the index of an item, or `press`.
  /// - Returns: Whether there is such a row, and it can be used now.
  func use(_ id: String, _ value: String) -> Bool {
    guard let row = object(id) else { return false }
    let instance = row.of(GTypeInstance.self)
    guard g_type_check_instance_is_a(instance, gtk_widget_get_type()) != 0, gtk_widget_is_sensitive(row.widget) != 0
    else { return false }
    if g_type_check_instance_is_a(instance, gtk_switch_get_type()) != 0 {
      gtk_switch_set_active(row.opaque, (value == "on").gboolean)
    } else if g_type_check_instance_is_a(instance, adw_combo_row_get_type()) != 0, let index = guint(value) {
      adw_combo_row_set_selected(row.of(AdwComboRow.self), index)
    } else if g_type_check_instance_is_a(instance, gtk_button_get_type()) != 0, value == "press" {
      // Only a button that is shown can be pressed.
      if let page = gtk_widget_get_ancestor(row.widget, adw_preferences_page_get_type()),
        let window = gtk_widget_get_ancestor(page, adw_preferences_window_get_type())
      {
        adw_preferences_window_set_visible_page(
          GObjectRef(retaining: window).of(AdwPreferencesWindow.self),
          GObjectRef(retaining: page).of(AdwPreferencesPage.self))
      }
      return gtk_widget_activate(row.widget) != 0
    } else {
      return false
    }
    return true
  }
}
