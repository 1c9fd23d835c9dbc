// A row with a list of values, of which one is chosen.

import CGtk
import CameraModels
import GtkShim

/// Binds an `AdwComboRow` to a value of a model and to the values that it may have.
@MainActor final class ComboSetting<Value: Equatable> {
  /// A value and its name.
  typealias Item = (value: Value, title: String)

  private let row: GObjectRef
  private var values: [Value] = []
  private var titles: [String] = []
  private var isFollowing = false
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - items: The values. It and `chosen` are called again when the model changes.
  ///   - hasLongTitles: Whether the names come from devices, or say more than a word or two.
  ///   - isEnabled: Whether something can be chosen now; a single value never leaves a choice.
  ///   - choose: The user chose another value.
  init(
    _ row: GObjectRef, hasLongTitles: Bool = false, items: @escaping () -> [Item], chosen: @escaping () -> Value,
    isEnabled: @escaping () -> Bool = { true }, choose: @escaping (Value) -> Void
  ) {
    self.row = row
    if hasLongTitles { showLongTitles() }
    nameItems()
    row.onChange(of: "selected") { [weak self] in
      guard let self, !isFollowing else { return }
      let index = Int(adw_combo_row_get_selected(row.of(AdwComboRow.self)))
      guard values.indices.contains(index), values[index] != chosen() else { return }
      choose(values[index])
    }
    observation = ModelObservation { [weak self] in self?.follow(items(), chosen(), isEnabled()) }
  }

  /// Screen readers stop at the list’s own rows, which GTK 4.8 leaves unnamed, and so it does the list.
  private func nameItems() {
    if let title = adw_preferences_row_get_title(row.of(AdwPreferencesRow.self)) {
      for list in WidgetSearch.all(in: row.widget, of: gtk_list_view_get_type()) {
        pm_set_accessible_label(list.widget, title)
      }
    }
    guard let made = adw_combo_row_get_factory(row.of(AdwComboRow.self)) else { return }
    // After libadwaita's own handler, which sets the text.
    GObjectRef(retaining: UnsafeMutableRawPointer(made)).onPointer("bind") { item in
      guard let item, let child = gtk_list_item_get_child(OpaquePointer(item)), let cell = gtk_widget_get_parent(child),
        let text = WidgetSearch.text(in: child)
      else { return }
      pm_set_accessible_label(cell, text)
    }
  }

  /// As many letters of the chosen title as the row has room for, where libadwaita stops at 20.
  private func showLongTitles() {
    // A row's own title may wrap, and would break inside its word to make way.
    adw_action_row_set_title_lines(row.of(AdwActionRow.self), 1)
    guard let made = adw_combo_row_get_factory(row.of(AdwComboRow.self)) else { return }
    // The factory is libadwaita's, and so is the label that it has put into the item.
    GObjectRef(retaining: UnsafeMutableRawPointer(made)).onPointer("setup") { item in
      guard let item, let child = gtk_list_item_get_child(OpaquePointer(item)),
        let label = WidgetSearch.first(in: child, { WidgetSearch.isInstance($0, of: gtk_label_get_type()) })
      else { return }
      gtk_label_set_max_width_chars(OpaquePointer(label), 48)
      gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_MIDDLE)
    }
  }

  private func follow(_ items: [Item], _ chosen: Value, _ isEnabled: Bool) {
    isFollowing = true
    defer { isFollowing = false }
    values = items.map(\.value)
    if items.map(\.title) != titles {
      titles = items.map(\.title)
      let list = GObjectRef(adopting: withCStrings(titles) { gtk_string_list_new($0) })
      adw_combo_row_set_model(row.of(AdwComboRow.self), list.opaque)
    }
    let index = values.firstIndex(of: chosen).map { guint($0) } ?? guint.max  // GTK_INVALID_LIST_POSITION
    adw_combo_row_set_selected(row.of(AdwComboRow.self), index)
    // Screen readers are told only the title.
    let subtitle = adw_action_row_get_subtitle(row.of(AdwActionRow.self)).map { String(cString: $0) } ?? ""
    let title = titles.indices.contains(Int(index)) ? titles[Int(index)] : ""
    pm_set_accessible_description(row.widget, [title, subtitle].filter { !$0.isEmpty }.joined(separator: ". "))
    gtk_widget_set_sensitive(row.widget, (isEnabled && items.count > 1).gboolean)
  }
}
