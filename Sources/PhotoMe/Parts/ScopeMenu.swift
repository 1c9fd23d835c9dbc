// The choice of the part of a picture that an effect changes.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Binds a `GtkDropDown` to the scope of a model's effect; hidden for effects that have none, and where people can't be told
/// from the background.
@MainActor final class ScopeMenu {
  private let menu: GObjectRef
  private let scope: () -> EffectScope?
  private let isPossible: () -> Bool
  private var isFollowing = false
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - scope: Reads the scope, `nil` for an effect without one; called again when the model changes.
  ///   - isPossible: Whether people can be told from the background.
  ///   - choose: The user chose another one, which the model may refuse.
  init(
    _ menu: GObjectRef, scope: @escaping () -> EffectScope?, isPossible: @escaping () -> Bool,
    choose: @escaping (EffectScope) -> Void
  ) {
    (self.menu, self.scope, self.isPossible) = (menu, scope, isPossible)
    let titles = GObjectRef(adopting: withCStrings(EffectScope.allCases.map(\.title)) { gtk_string_list_new($0) })
    gtk_drop_down_set_model(menu.opaque, titles.opaque)
    menu.onChange(of: "selected") { [weak self] in
      guard let self, !isFollowing else { return }
      let index = Int(gtk_drop_down_get_selected(self.menu.opaque))
      guard EffectScope.allCases.indices.contains(index) else { return }
      choose(EffectScope.allCases[index])
      follow()
    }
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    let scope = scope()
    let isShown = scope != nil && (scope != .everywhere || isPossible())
    gtk_widget_set_visible(menu.widget, isShown.gboolean)
    guard let scope, let index = EffectScope.allCases.firstIndex(of: scope) else { return }
    isFollowing = true
    gtk_drop_down_set_selected(menu.opaque, guint(index))
    isFollowing = false
    pm_set_accessible_description(menu.widget, scope.title)
  }
}
