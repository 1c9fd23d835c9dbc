// The main window's size and full screen, between GTK and `WindowModel`.

import CGtk
import CameraModels
import EngineInterface

/// Restores and remembers the window's size, and hides the bars around the picture in full screen.
@MainActor final class WindowState {
  private let window: GObjectRef
  private let model: WindowModel
  private let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
  private let touch = GObjectRef(adopting: gtk_gesture_click_new())
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private var position: (x: Double, y: Double)?
  private var observations: [ModelObservation] = []

  init(interface: Interface, model: WindowModel) {
    let window = interface["window"]
    let bars = ["top_bars", "bottom_bars"].map { interface[$0] }
    (self.window, self.model) = (window, model)
    if let size = model.size {
      gtk_window_set_default_size(window.of(GtkWindow.self), Int32(size.width), Int32(size.height))
      if size.isMaximized { gtk_window_maximize(window.of(GtkWindow.self)) }
    }
    window.onChange(of: "fullscreened") {
      model.followFullScreen(gtk_window_is_fullscreen(window.of(GtkWindow.self)) != 0)
    }
    window.onChange(of: "focus-widget") { model.moved() }
    motion.onPoint("motion") { [weak self] x, y in self?.pointed(at: x, y) }
    // Before whatever is beneath the pointer takes the events.
    for controller in [motion, touch] {
      gtk_event_controller_set_propagation_phase(controller.opaque, GTK_PHASE_CAPTURE)
      window.addController(controller)
    }
    touch.onPressAt("pressed") { _, _, _ in model.moved() }
    keys.onKey("key-pressed") { [weak self] key, _ in self?.pressed(Int32(key)) ?? false }
    window.addController(keys)
    for (number, bar) in bars.enumerated() { hold(bar, "bar \(number)") }
    observations = [
      ModelObservation(of: { model.showsBars }) { isShown in
        for bar in bars { gtk_revealer_set_reveal_child(bar.opaque, isShown.gboolean) }
        gtk_widget_set_cursor_from_name(window.widget, isShown ? nil : "none")
      }
    ]
  }

  /// Full screen on or off.
  func toggleFullScreen() {
    if model.isFullScreen {
      gtk_window_unfullscreen(window.of(GtkWindow.self))
    } else {
      gtk_window_fullscreen(window.of(GtkWindow.self))
    }
  }

  /// Remembers the present size for the next start; that of a maximized window or of full screen is the one before.
  func remember() {
    var (width, height): (Int32, Int32) = (0, 0)
    gtk_window_get_default_size(window.of(GtkWindow.self), &width, &height)
    guard width > 0, height > 0 else { return }
    model.remember(
      AppSettings.WindowSize(
        width: Int(width), height: Int(height), isMaximized: gtk_window_is_maximized(window.of(GtkWindow.self)) != 0))
  }

  /// GTK reports the pointer's place again when something moves beneath it.
  private func pointed(at x: Double, _ y: Double) {
    defer { position = (x, y) }
    if let position, abs(position.x - x) < 1, abs(position.y - y) < 1 { return }
    model.moved()
  }

  /// Escape, where nothing else wants it, leaves full screen.
  private func pressed(_ key: Int32) -> Bool {
    guard key == GDK_KEY_Escape, model.isFullScreen else { return false }
    toggleFullScreen()
    return true
  }

  /// Keeps the bars while the pointer is over one, or a popover of it is open.
  private func hold(_ bar: GObjectRef, _ name: String) {
    let pointer = GObjectRef(adopting: gtk_event_controller_motion_new())
    pointer.onPoint("enter") { [model] _, _ in model.hold(name, true) }
    pointer.on("leave") { [model] in model.hold(name, false) }
    bar.addController(pointer)
    for (number, button) in WidgetSearch.all(in: bar.widget, of: gtk_menu_button_get_type()).enumerated() {
      guard let popover = gtk_menu_button_get_popover(button.opaque) else { continue }
      let menu = GObjectRef(retaining: popover)
      menu.on("map") { [model] in model.hold("\(name) popover \(number)", true) }
      menu.on("unmap") { [model] in model.hold("\(name) popover \(number)", false) }
    }
  }
}
