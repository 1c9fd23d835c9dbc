// The menu of outside programs that can edit the picture.

import CGtk
import CameraModels
import PhotoLibrary

/// Keeps the editor's submenu in step with what is installed for the picture.
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
    // An item without an action can't be chosen.
    if extensions.isEmpty { g_menu_append(menu.opaque, "No Extensions for This Picture", "app.none") }
    for one in extensions {
      // A menu reads an underscore as the mark of the next letter's key; in a name it is an underscore.
      guard let item = g_menu_item_new(one.name.replacing("_", with: "__"), nil) else { continue }
      g_menu_item_set_action_and_target_value(item, "app.edit-with", g_variant_new_string(one.id))
      g_menu_append_item(menu.opaque, item)
      g_object_unref(UnsafeMutableRawPointer(item))
    }
  }
}
