// Widgets that libadwaita or a layout has made, found by what they are.

import CGtk
import GtkShim
import Localization

/// Looks at widgets that have no ID in a layout.
@MainActor enum WidgetSearch {
  /// Whether a widget is of a type, or of one that is derived from it.
  static func isInstance(_ widget: UnsafeMutablePointer<GtkWidget>, of type: GType) -> Bool {
    g_type_check_instance_is_a(UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), type) != 0
  }

  /// The widgets directly in a widget.
  static func children(of widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
    var (found, child) = ([UnsafeMutablePointer<GtkWidget>](), gtk_widget_get_first_child(widget))
    while let part = child {
      found.append(part)
      child = gtk_widget_get_next_sibling(part)
    }
    return found
  }

  /// The first widget that is wanted: this one, else one of its children, in the order in which they are shown.
  static func first(
    in widget: UnsafeMutablePointer<GtkWidget>, _ isWanted: (UnsafeMutablePointer<GtkWidget>) -> Bool
  ) -> UnsafeMutablePointer<GtkWidget>? {
    if isWanted(widget) { return widget }
    for part in children(of: widget) {
      if let found = first(in: part, isWanted) { return found }
    }
    return nil
  }

  /// All widgets of a type at or below a widget, in the order in which they are shown.
  static func all(in widget: UnsafeMutablePointer<GtkWidget>, of type: GType) -> [GObjectRef] {
    (isInstance(widget, of: type) ? [GObjectRef(retaining: widget)] : [])
      + children(of: widget).flatMap { all(in: $0, of: type) }
  }
}

extension WidgetSearch {
  /// Makes the labels of buttons their only accessible names, in a widget and all that is in it. GTK 4.8 puts a label with its
  /// underscore before the one that is shown, “_Cancel Cancel”, and does so again when the label changes.
  static func nameButtonsByLabels(in widget: UnsafeMutablePointer<GtkWidget>) {
    _ = first(in: widget) { part in
      nameByLabel(part)
      return false
    }
  }

  /// The same for one widget; any but a button with an underscore keeps its name. The icon of a button is no label, as which GTK
  /// 4.8 declares it: “GtkImage Library” would be read.
  static func nameByLabel(_ widget: UnsafeMutablePointer<GtkWidget>) {
    guard isInstance(widget, of: gtk_button_get_type()) else { return }
    let button = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
    if gtk_button_get_icon_name(button) != nil {
      gtk_accessible_reset_relation(OpaquePointer(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY)
    }
    guard gtk_button_get_use_underline(button) != 0, gtk_button_get_label(button) != nil else { return }
    gtk_accessible_reset_property(OpaquePointer(widget), GTK_ACCESSIBLE_PROPERTY_LABEL)
  }

  /// Names the buttons of a window that GTK or libadwaita has made: their icons and labels have no names in GTK 4.8. After the
  /// window is presented, because some are made only then.
  static func nameMadeButtons(in window: UnsafeMutablePointer<GtkWidget>) {
    for button in all(in: window, of: gtk_button_get_type())
    where gtk_widget_get_ancestor(button.widget, gtk_menu_button_get_type()) == nil {
      let icon = gtk_button_get_icon_name(button.of(GtkButton.self)).map { String(cString: $0) }
      nameByLabel(button.widget)
      if let name = icon.flatMap({ names[$0] }) ?? text(in: button.widget) {
        // With both, the name would be read twice.
        gtk_accessible_reset_relation(button.opaque, GTK_ACCESSIBLE_RELATION_LABELLED_BY)
        pm_set_accessible_label(button.widget, name)
      }
    }
  }

  /// Names what else GTK or libadwaita has made in a window: the entries that search it, and menu buttons with a text.
  static func nameMadeParts(in window: UnsafeMutablePointer<GtkWidget>) {
    nameMadeButtons(in: window)
    for entry in all(in: window, of: gtk_search_entry_get_type()) {
      pm_set_accessible_label(entry.widget, localized("Search"))
    }
    for button in all(in: window, of: gtk_menu_button_get_type()) {
      if let name = text(in: button.widget) { pm_set_accessible_label(button.widget, name) }
    }
  }

  /// Names lists of rows, as those of preference groups, after their first row, and texts after what they begin with.
  static func nameMadeLists(in window: UnsafeMutablePointer<GtkWidget>) {
    for list in all(in: window, of: gtk_list_box_get_type()) {
      if let name = text(in: list.widget) { pm_set_accessible_label(list.widget, name) }
    }
    for view in all(in: window, of: gtk_text_view_get_type()) {
      pm_set_accessible_label(view.widget, localized("Text"))
    }
  }

  /// The names of icons that these windows use.
  private static var names: [String: String] {
    ["edit-find-symbolic": localized("Search"), "go-previous-symbolic": localized("Back")]
  }

  /// The text of the first label in a widget, without the underscore of its mnemonic.
  static func text(in widget: UnsafeMutablePointer<GtkWidget>) -> String? {
    guard let label = first(in: widget, { isInstance($0, of: gtk_label_get_type()) }),
      let text = gtk_label_get_text(OpaquePointer(label)).map({ String(cString: $0) })
    else { return nil }
    return text.isEmpty ? nil : text
  }
}
