// The keys of the application's actions.

import CGtk

/// Sets the keys of actions, for all windows.
@MainActor struct ApplicationKeys {
  /// The `GtkApplication`.
  let application: GObjectRef

  /// Keys of the application come before those of any widget: a letter must not be one where something can be written.
  func setLetters(isOnCameraPage: Bool) {
    set(isOnCameraPage ? ["l"] : [], for: "app.toggle-live")
    set(isOnCameraPage ? ["f"] : [], for: "app.effects")
    set(isOnCameraPage ? ["v"] : [], for: "app.toggle-mode")
    set(isOnCameraPage ? ["p"] : [], for: "app.pause-movie")
    set(isOnCameraPage ? ["t"] : [], for: "app.cycle-countdown")
    set(isOnCameraPage ? ["c"] : [], for: "app.camera-controls")
    set(isOnCameraPage ? ["o"] : [], for: "app.shutter-options")
    set(isOnCameraPage ? ["plus", "equal", "KP_Add"] : [], for: "app.zoom-in")
    set(isOnCameraPage ? ["minus", "KP_Subtract"] : [], for: "app.zoom-out")
    set(isOnCameraPage ? ["0", "KP_0"] : [], for: "app.zoom-reset")
    set(isOnCameraPage ? ["g"] : [], for: "app.open-library")
    set(isOnCameraPage ? ["e"] : [], for: "app.edit")
    set(isOnCameraPage ? ["<Control>z"] : [], for: "app.undo")
    set(isOnCameraPage ? ["<Control><Shift>z"] : [], for: "app.redo")
  }

  func set(_ keys: [String], for action: String) {
    withCStrings(keys) {
      gtk_application_set_accels_for_action(application.of(GtkApplication.self), action, $0)
    }
  }
}
