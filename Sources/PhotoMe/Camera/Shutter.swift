// The shutter button and its keys, with the exact time of each press.

import CGtk
import CameraCore
import GtkShim

/// Records when the pointer was pressed on the shutter, because `clicked` is emitted only when it is released.
///
/// The photo is the frame that was on screen at the press; some 100 ms pass between the two.
@MainActor final class Shutter {
  /// Called when the pointer reaches the shutter: a press may follow.
  var approached: (() -> Void)?

  private let gesture = GObjectRef(adopting: gtk_gesture_click_new())
  private let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
  private var pressed: MonotonicTime?

  init(button: GObjectRef, press: @escaping (MonotonicTime) -> Void) {
    motion.onPoint("enter") { [weak self] _, _ in self?.approached?() }
    button.addController(motion)
    // The button's own gesture claims the press; in the capture phase this one sees it first.
    gtk_event_controller_set_propagation_phase(gesture.opaque, GTK_PHASE_CAPTURE)
    gesture.onPress("pressed") { [weak self] _ in
      guard let self else { return }
      pressed = Self.time(ofCurrentEvent: gesture)
    }
    button.addController(gesture)
    button.on("clicked") { [weak self] in
      // Without a press the button was activated in another way, for example by a screen reader.
      press(self?.pressed ?? .now)
      self?.pressed = nil
    }
  }

  /// The time of the event that a controller is handling.
  static func time(ofCurrentEvent controller: GObjectRef) -> MonotonicTime {
    let time = gtk_event_controller_get_current_event_time(controller.opaque)
    return MonotonicTime(nanoseconds: Int64(pm_event_time_to_monotonic(time)))
  }
}

/// Space and Enter take a photo wherever the focus is, with two exceptions: in the strip they open pictures, and they
/// activate controls that were reached with the keyboard, as everywhere else.
@MainActor final class ShutterKeys {
  private let window: GObjectRef
  private let shutterButton: GObjectRef
  private let ownKeys: [GObjectRef]
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private let clicks = GObjectRef(adopting: gtk_gesture_click_new())
  private var isDown = false
  /// Whether a key moved the focus to where it is. A click leaves it on a button that isn't meant.
  private var focusCameByKey = false

  /// - Parameters:
  ///   - ownKeys: Widgets in which these keys mean something else.
  ///   - isActive: Whether the camera's page is in front.
  init(
    window: GObjectRef, shutterButton: GObjectRef, ownKeys: [GObjectRef], isActive: @escaping () -> Bool,
    press: @escaping (MonotonicTime) -> Void
  ) {
    self.window = window
    self.shutterButton = shutterButton
    self.ownKeys = ownKeys
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, modifiers in
      guard let self, isActive() else { return false }
      return pressed(key, modifiers, at: Shutter.time(ofCurrentEvent: keys), press: press)
    }
    keys.onKey("key-released") { [weak self] key, _ in
      if Self.isShutterKey(key) { self?.isDown = false }
      return false
    }
    window.addController(keys)

    gtk_event_controller_set_propagation_phase(clicks.opaque, GTK_PHASE_CAPTURE)
    clicks.onPress("pressed") { [weak self] _ in self?.focusCameByKey = false }
    window.addController(clicks)
  }

  private static func isShutterKey(_ key: UInt32) -> Bool {
    [GDK_KEY_space, GDK_KEY_KP_Space, GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter].contains(Int32(key))
  }

  private static func movesFocus(_ key: UInt32) -> Bool {
    [
      GDK_KEY_Tab, GDK_KEY_ISO_Left_Tab, GDK_KEY_KP_Tab, GDK_KEY_Left, GDK_KEY_Right, GDK_KEY_Up, GDK_KEY_Down,
      GDK_KEY_Home, GDK_KEY_End,
    ].contains(Int32(key))
  }

  private func pressed(
    _ key: UInt32, _ modifiers: GdkModifierType, at time: MonotonicTime, press: (MonotonicTime) -> Void
  ) -> Bool {
    guard Self.isShutterKey(key) else {
      if Self.movesFocus(key) { focusCameByKey = true }
      return false
    }
    let commands = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
    guard modifiers.rawValue & commands == 0, !focusWantsKey() else { return false }
    // A key that is held down repeats; the finger pressed once.
    if !isDown { press(time) }
    isDown = true
    return true
  }

  private func focusWantsKey() -> Bool {
    guard let focus = gtk_root_get_focus(window.opaque) else { return false }
    let isInMenu = gtk_widget_get_ancestor(focus, gtk_popover_get_type()) != nil
    let isInOwner = ownKeys.contains { gtk_widget_is_ancestor(focus, $0.widget) != 0 || focus == $0.widget }
    if isInMenu || isInOwner { return true }
    return focusCameByKey && focus != shutterButton.widget
  }
}
