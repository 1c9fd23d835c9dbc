// The editor's keys, wherever the focus is.

import CGtk
import CameraModels
import GtkShim

/// Turns keys into an `EditModel`'s intents. Arrow keys belong to the focused widget.
@MainActor final class EditorKeys {
  private let window: GObjectRef
  private let canvas: GObjectRef
  private let model: EditModel
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private let clicks = GObjectRef(adopting: gtk_gesture_click_new())
  /// Whether a key moved the focus to where it is: then Space and Enter press the focused button.
  private var focusCameByKey = false

  /// - Parameter canvas: The widget on which Space paints.
  init(window: GObjectRef, canvas: GObjectRef, model: EditModel) {
    self.window = window
    self.canvas = canvas
    self.model = model
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, modifiers in self?.pressed(key, modifiers) ?? false }
    keys.onKey("key-released") { key, _ in
      if Int32(key) == GDK_KEY_space { model.showOriginal(false) }
      return false
    }
    window.addController(keys)
    gtk_event_controller_set_propagation_phase(clicks.opaque, GTK_PHASE_CAPTURE)
    clicks.onPress("pressed") { [weak self] _ in self?.focusCameByKey = false }
    window.addController(clicks)
    // A key that is released in another window counts as released.
    window.onChange(of: "is-active") { [window] in
      if gtk_window_is_active(window.of(GtkWindow.self)) == 0 { model.showOriginal(false) }
    }
  }

  private var focus: UnsafeMutablePointer<GtkWidget>? { gtk_root_get_focus(window.opaque) }

  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType) -> Bool {
    // An open menu handles its own keys.
    if let focus, gtk_widget_get_ancestor(focus, gtk_popover_get_type()) != nil { return false }
    let state = modifiers.rawValue
    if state & (GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue) != 0 { return false }
    if state & GDK_CONTROL_MASK.rawValue != 0 {
      return pressedWithControl(key, isShifted: state & GDK_SHIFT_MASK.rawValue != 0)
    }
    switch Int32(key) {
    case GDK_KEY_Escape: model.cancel()
    case GDK_KEY_space:
      guard !(focusCameByKey && focusIsButton), focus != canvas.widget else { return false }
      model.showOriginal(true)
    case GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter:
      guard !(focusCameByKey && focusIsButton) else { return false }
      act("edit-done")
    case GDK_KEY_Tab, GDK_KEY_ISO_Left_Tab, GDK_KEY_KP_Tab:
      focusCameByKey = true
      return false
    case GDK_KEY_1...GDK_KEY_5: model.select(tab: EditModel.Tab.allCases[Int(Int32(key) - GDK_KEY_1)])
    case GDK_KEY_a: act("edit-auto")
    case GDK_KEY_r: act("edit-turn-right")
    case GDK_KEY_R: act("edit-turn-left")
    case GDK_KEY_f: act("edit-flip")
    case GDK_KEY_p: model.togglePlaying()
    case GDK_KEY_m: model.setMuted(!model.recipe.isMuted)
    case GDK_KEY_k: model.makeKeyPhoto()
    case GDK_KEY_h where model.tab == .matte: model.showMatte(!model.showsMatte)
    case GDK_KEY_x where model.tab == .matte: model.setBrush(model.brush.mode == .add ? .remove : .add)
    case GDK_KEY_bracketleft where model.tab == .matte: model.resizeBrush(by: -1)
    case GDK_KEY_bracketright where model.tab == .matte: model.resizeBrush(by: 1)
    case GDK_KEY_bracketleft, GDK_KEY_bracketright:
      let time = model.preview.position
      Int32(key) == GDK_KEY_bracketleft ? model.setTrimStart(time) : model.setTrimEnd(time)
      model.endStep()
    case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: model.changeIntensity(by: 1)
    case GDK_KEY_minus, GDK_KEY_KP_Subtract: model.changeIntensity(by: -1)
    default: return false
    }
    return true
  }

  private func pressedWithControl(_ key: UInt32, isShifted: Bool) -> Bool {
    switch Int32(key) {
    case GDK_KEY_z where !isShifted: act("edit-undo")
    case GDK_KEY_z, GDK_KEY_Z, GDK_KEY_y: act("edit-redo")
    case GDK_KEY_s: act("edit-done")
    case GDK_KEY_c: act("edit-copy")
    case GDK_KEY_v: act("edit-paste")
    default: return false
    }
    return true
  }

  private func act(_ action: String) { gtk_widget_activate_action_variant(window.widget, "app.\(action)", nil) }

  private var focusIsButton: Bool {
    guard let focus else { return false }
    return gtk_widget_get_ancestor(focus, gtk_button_get_type()) != nil
  }
}
