// The menu of outside programs that can edit the picture.

import CGtk
import CameraModels
import Localization
import PhotoLibrary

/// Keeps the editor's submenu up to date with the programs that are installed for the picture.
@MainActor final class ExtensionsMenu {
  private let menu: GObjectRef
  private let model: EditModel
  private var observation: ModelObservation?

  /// - Parameter menu: A `GMenu`, filled here.
  init(menu: GObjectRef, model: EditModel) {
    self.menu = menu
    self.model = model
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    let extensions = model.extensions
    g_menu_remove_all(menu.opaque)
    // An item without an action is insensitive.
    if extensions.isEmpty { g_menu_append(menu.opaque, localized("No Extensions Available"), "app.none") }
    for one in extensions {
      menu.appendItem(escapedMnemonics(one.name), action: "app.edit-with", target: one.id)
    }
  }
}
