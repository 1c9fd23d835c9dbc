// A row of linked toggle buttons with a single choice.

import CGtk
import CameraModels
import GtkShim

/// Fills a box with a button for each value, and keeps the chosen one pressed.
@MainActor final class ChoiceRow<Value: Equatable> {
  private var buttons: [(value: Value, button: GObjectRef)] = []
  private var isFollowing = false
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - values: The values and their labels.
  ///   - chosen: Reads the choice; called again when the model changes.
  init(
    _ box: GObjectRef, _ values: [(Value, String)], chosen: @escaping () -> Value, choose: @escaping (Value) -> Void
  ) {
    for (value, title) in values {
      guard let made = gtk_toggle_button_new_with_label(title) else { continue }
      let button = GObjectRef(retaining: UnsafeMutableRawPointer(made))
      if let first = buttons.first?.button {
        gtk_toggle_button_set_group(button.of(GtkToggleButton.self), first.of(GtkToggleButton.self))
      }
      button.on("toggled") { [weak self, unowned button] in
        guard let self, !isFollowing, gtk_toggle_button_get_active(button.of(GtkToggleButton.self)) != 0 else { return }
        choose(value)
      }
      gtk_box_append(box.of(GtkBox.self), button.widget)
      buttons.append((value, button))
    }
    observation = ModelObservation { [weak self] in self?.follow(chosen()) }
  }

  /// Enables the buttons of the values that can be chosen.
  func enable(where isPossible: (Value) -> Bool) {
    for (value, button) in buttons { gtk_widget_set_sensitive(button.widget, isPossible(value).gboolean) }
  }

  private func follow(_ value: Value) {
    guard let button = buttons.first(where: { $0.value == value })?.button else { return }
    isFollowing = true
    gtk_toggle_button_set_active(button.of(GtkToggleButton.self), true.gboolean)
    isFollowing = false
  }
}
