// The menu section with what can be undone and redone.

import CGtk
import CameraModels

/// Fills `GMenu`s with the next step of the history in each direction, by name.
@MainActor enum HistoryMenu {
  static func fill(_ menu: GObjectRef, with history: ChangeHistory) {
    g_menu_remove_all(menu.opaque)
    if history.canUndo { g_menu_append(menu.opaque, "_" + escapedMnemonics(history.undoTitle), "app.undo") }
    if history.canRedo { g_menu_append(menu.opaque, "_" + escapedMnemonics(history.redoTitle), "app.redo") }
  }
}
