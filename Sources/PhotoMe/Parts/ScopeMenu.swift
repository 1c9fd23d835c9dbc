// The choice of the part of a picture that an effect changes.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Binds a `GtkMenuButton` to the scope of a model's effect: its popover has a choice for each scope that can be told in the
/// picture. Hidden for effects that have none, and where people can't be told from the background.
@MainActor final class ScopeMenu {
  private let button: GObjectRef
  private let scope: () -> EffectScope?
  private let scopes: () -> [EffectScope]
  private var choices: [(scope: EffectScope, check: GObjectRef)] = []
  private var isFollowing = false
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - scope: Reads the scope, `nil` for an effect without one; called again when the model changes.
  ///   - scopes: Reads those that can be chosen.
  ///   - choose: The user chose another one, which the model may refuse.
  init(
    _ button: GObjectRef, scope: @escaping () -> EffectScope?, scopes: @escaping () -> [EffectScope],
    choose: @escaping (EffectScope) -> Void
  ) {
    (self.button, self.scope, self.scopes) = (button, scope, scopes)
    addChoices(choose)
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func addChoices(_ choose: @escaping (EffectScope) -> Void) {
    guard let popover = gtk_popover_new(), let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6) else { return }
    for scope in EffectScope.allCases {
      guard let made = gtk_check_button_new_with_label(scope.title) else { continue }
      let check = GObjectRef(retaining: UnsafeMutableRawPointer(made))
      if let first = choices.first?.check {
        gtk_check_button_set_group(check.of(GtkCheckButton.self), first.of(GtkCheckButton.self))
      }
      check.on("toggled") { [weak self, unowned check] in
        guard let self, !isFollowing, gtk_check_button_get_active(check.of(GtkCheckButton.self)) != 0 else { return }
        choose(scope)
        follow()
      }
      gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), made)
      choices.append((scope, check))
    }
    gtk_popover_set_child(UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self), box)
    gtk_menu_button_set_popover(button.opaque, popover)
  }

  private func follow() {
    let scope = scope()
    let scopes = scopes()
    let isShown = scope != nil && (scope != .everywhere || scopes.count > 1)
    gtk_widget_set_visible(button.widget, isShown.gboolean)
    guard let scope else { return }
    isFollowing = true
    for choice in choices {
      gtk_widget_set_visible(choice.check.widget, (choice.scope == scope || scopes.contains(choice.scope)).gboolean)
      gtk_check_button_set_active(choice.check.of(GtkCheckButton.self), (choice.scope == scope).gboolean)
    }
    isFollowing = false
    if scope == .everywhere {
      gtk_widget_remove_css_class(button.widget, "accent")
    } else {
      gtk_widget_add_css_class(button.widget, "accent")
    }
    pm_set_accessible_description(button.widget, scope.title)
  }
}
