// The shutter button and its keys, with the exact time of each press.

import CGtk
import CameraCore
import CameraModels
import GtkShim

/// Records when the pointer was pressed on the shutter, because `clicked` is emitted only when it is released.
///
/// The photo is the frame that was on screen at the press; some 100 ms pass between the two.
@MainActor final class Shutter {
  /// Called when the pointer reaches the shutter: a press may follow.
  var approached: (() -> Void)?

  private let gesture = GObjectRef(adopting: gtk_gesture_click_new())
  private let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
  private let events = GObjectRef(adopting: gtk_event_controller_legacy_new())
  private var pressed: MonotonicTime?
  /// The press that goes on, where it may be a burst.
  private var press: BurstModel.Press?
  private var pressCount = 0
  /// Whether the press that ends was a burst, and is no click.
  private var wasBurst = false

  /// - Parameter burst: Told how long the button is held; `nil` where that means nothing.
  init(button: GObjectRef, burst: BurstModel? = nil, press: @escaping (MonotonicTime) -> Void) {
    motion.onPoint("enter") { [weak self] _, _ in self?.approached?() }
    button.addController(motion)
    // The button's own gesture claims the press; in the capture phase this one sees it first.
    gtk_event_controller_set_propagation_phase(gesture.opaque, GTK_PHASE_CAPTURE)
    gesture.onPress("pressed") { [weak self] _ in
      guard let self else { return }
      pressed = Self.time(ofCurrentEvent: gesture)
      wasBurst = false
      pressCount += 1
      self.press = burst?.pressBegan()
    }
    button.addController(gesture)
    if let burst { followRelease(of: button, burst) }
    button.on("clicked") { [weak self] in
      // Without a press the button was activated in another way, for example by a screen reader.
      if self?.wasBurst != true { press(self?.pressed ?? .now) }
      self?.forgetPress()
    }
  }

  /// The gesture ends when the button's own one claims the press. The events themselves tell when the finger is lifted, also
  /// beside the button, before the button is clicked.
  private func followRelease(of button: GObjectRef, _ burst: BurstModel) {
    gtk_event_controller_set_propagation_phase(events.opaque, GTK_PHASE_CAPTURE)
    events.onVerdict("event") { [weak self] event in
      let ends = [GDK_BUTTON_RELEASE, GDK_TOUCH_END, GDK_TOUCH_CANCEL, GDK_GRAB_BROKEN]
      guard let self, let event, ends.contains(gdk_event_get_event_type(OpaquePointer(event))) else {
        return false.gboolean
      }
      if burst.pressEnded(press) { wasBurst = true }
      press = nil
      // A release beside the button is no click: what is kept for one must not count for the next.
      MainLoop.whenIdle { [weak self, pressCount] in if self?.pressCount == pressCount { self?.forgetPress() } }
      return false.gboolean
    }
    button.addController(events)
  }

  private func forgetPress() { (pressed, wasBurst) = (nil, false) }

  /// The time of the event that a controller is handling.
  static func time(ofCurrentEvent controller: GObjectRef) -> MonotonicTime {
    let time = gtk_event_controller_get_current_event_time(controller.opaque)
    return MonotonicTime(nanoseconds: Int64(pm_event_time_to_monotonic(time)))
  }
}

/// Space and Enter press the shutter wherever the focus is, with two exceptions: in the strip they open pictures, and they
/// activate controls that were reached with the keyboard, as everywhere else. The shutter button of a camera and the camera key of
/// a laptop, which are keys as well, mean nothing else anywhere.
@MainActor final class ShutterKeys {
  private let window: GObjectRef
  private let shutterButton: GObjectRef
  private let ownKeys: [GObjectRef]
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private let clicks = GObjectRef(adopting: gtk_gesture_click_new())
  private let burst: BurstModel
  /// The keys that are held down. A press that counts when its key is released, unless it becomes a burst, has its time.
  private var held: [UInt32: (press: BurstModel.Press, time: MonotonicTime)?] = [:]
  /// Whether a key moved the focus to where it is. A click leaves it on a button that isn't meant.
  private var focusCameByKey = false

  /// - Parameters:
  ///   - ownKeys: Widgets in which these keys mean something else.
  ///   - burst: Told how long a key is held.
  ///   - isActive: Whether the camera's page is in front.
  init(
    window: GObjectRef, shutterButton: GObjectRef, ownKeys: [GObjectRef], burst: BurstModel,
    isActive: @escaping () -> Bool, press: @escaping (MonotonicTime) -> Void
  ) {
    self.burst = burst
    self.window = window
    self.shutterButton = shutterButton
    self.ownKeys = ownKeys
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, modifiers in
      guard let self, isActive() else { return false }
      return pressed(key, modifiers, at: Shutter.time(ofCurrentEvent: keys), press: press)
    }
    keys.onKey("key-released") { [weak self] key, _ in
      if let self, Self.isShutterKey(key) {
        // With another modifier a key may end as another one.
        for key in held[key] != nil ? [key] : Array(held.keys) { released(key, press: press) }
      }
      return false
    }
    window.addController(keys)
    // The key is released in another window.
    window.onChange(of: "is-active") { [weak self] in
      guard let self else { return }
      for key in Array(held.keys) { released(key) { _ in } }
    }

    gtk_event_controller_set_propagation_phase(clicks.opaque, GTK_PHASE_CAPTURE)
    clicks.onPress("pressed") { [weak self] _ in self?.focusCameByKey = false }
    window.addController(clicks)
  }

  private static func isShutterKey(_ key: UInt32) -> Bool {
    [GDK_KEY_space, GDK_KEY_KP_Space, GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter, GDK_KEY_WebCam]
      .contains(Int32(key))
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
    guard modifiers.rawValue & commands == 0, Int32(key) == GDK_KEY_WebCam || !focusWantsKey() else { return false }
    // A key that is held down repeats; the finger pressed once.
    guard held[key] == nil else { return true }
    let begun = burst.pressBegan()
    held.updateValue(begun.map { ($0, time) }, forKey: key)
    if begun == nil { press(time) }
    return true
  }

  private func released(_ key: UInt32, press: (MonotonicTime) -> Void) {
    guard let begun = held.removeValue(forKey: key) else { return }
    guard let begun else {
      _ = burst.pressEnded(nil)
      return
    }
    if !burst.pressEnded(begun.press) { press(begun.time) }
  }

  private func focusWantsKey() -> Bool {
    guard let focus = gtk_root_get_focus(window.opaque) else { return false }
    let isInMenu = gtk_widget_get_ancestor(focus, gtk_popover_get_type()) != nil
    let isInOwner = ownKeys.contains { gtk_widget_is_ancestor(focus, $0.widget) != 0 || focus == $0.widget }
    if isInMenu || isInOwner { return true }
    return focusCameByKey && focus != shutterButton.widget
  }
}
