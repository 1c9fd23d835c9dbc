// Menus of albums that pictures can be added to.

import CGtk
import Localization
import PhotoLibrary

/// Fills `GMenu`s with albums.
@MainActor enum AlbumsMenu {
  /// - Parameter hasNew: Whether an item for a new album comes last.
  static func fill(_ menu: GObjectRef, with albums: [AssetCollection], hasNew: Bool = false) {
    g_menu_remove_all(menu.opaque)
    for album in albums {
      menu.appendItem(escapedMnemonics(album.title), action: "app.add-to-album", target: album.id)
    }
    if hasNew { g_menu_append(menu.opaque, localized("_New Album…"), "app.ask-new-album") }
  }
}
