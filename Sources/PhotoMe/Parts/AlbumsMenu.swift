// Menus that list the albums.

import CGtk
import PhotoLibrary

/// Fills `GMenu`s with albums to add pictures to.
@MainActor enum AlbumsMenu {
  /// - Parameter hasNew: Whether the way to a new album comes last.
  static func fill(_ menu: GObjectRef, with albums: [AssetCollection], hasNew: Bool = false) {
    g_menu_remove_all(menu.opaque)
    for album in albums {
      guard let item = g_menu_item_new(label(album.title), nil) else { continue }
      g_menu_item_set_action_and_target_value(item, "app.add-to-album", g_variant_new_string(album.id))
      g_menu_append_item(menu.opaque, item)
      g_object_unref(UnsafeMutableRawPointer(item))
    }
    if hasNew { g_menu_append(menu.opaque, "_New Album…", "app.ask-new-album") }
  }

  /// A title as a menu shows it: a menu reads an underscore as the mark of the next letter's key.
  static func label(_ title: String) -> String { title.replacing("_", with: "__") }
}
