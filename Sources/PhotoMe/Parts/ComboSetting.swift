// A row with a list of values, of which one is chosen.

import CGtk
import CameraModels

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
  ///   - isEnabled: Whether something can be chosen now; a single value never leaves a choice.
  ///   - choose: The user chose another value.
  init(
    _ row: GObjectRef, items: @escaping () -> [Item], chosen: @escaping () -> Value,
    isEnabled: @escaping () -> Bool = { true }, choose: @escaping (Value) -> Void
  ) {
    self.row = row
    row.onChange(of: "selected") { [weak self] in
      guard let self, !isFollowing else { return }
      let index = Int(adw_combo_row_get_selected(row.of(AdwComboRow.self)))
      guard values.indices.contains(index), values[index] != chosen() else { return }
      choose(values[index])
    }
    observation = ModelObservation { [weak self] in self?.follow(items(), chosen(), isEnabled()) }
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
    gtk_widget_set_sensitive(row.widget, (isEnabled && items.count > 1).gboolean)
  }
}
