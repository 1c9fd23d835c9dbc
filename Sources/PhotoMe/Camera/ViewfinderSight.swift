// Whether the window can be seen, judged by the paintings of the camera's frames.

import CGtk
import GtkShim

/// Notices that a window's compositor shows nothing of it.
///
/// Under X11 a minimized window is reported. Under Wayland nothing is before xdg-shell 6 and GTK 4.12: a window on
/// another workspace, behind one that fills the screen, or on a screen that is off just isn't asked for another frame, and
/// GTK paints none. So a window with a frame of the camera that waits to be painted for long is hidden, and with the next
/// painting it can be seen. A still scene is painted like any other, and without frames nothing is judged.
@MainActor final class ViewfinderSight {
  private let window: GObjectRef
  private let changed: () -> Void
  private var patience = PaintingPatience()
  private var timer: UInt32?
  private var painting: gulong = 0

  /// Whether nothing of the window has been shown for a while.
  var isHidden: Bool { patience.isOver }

  /// - Parameters:
  ///   - surface: The window's `GdkSurface`.
  ///   - changed: Called when `isHidden` changes.
  init(window: GObjectRef, surface: GObjectRef, changed: @escaping () -> Void) {
    self.window = window
    self.changed = changed
    let painted: () -> Void = { [weak self] in self?.painted() }
    painting = pm_surface_painting_add(
      surface.opaque, callbackTrampoline, HandlerBox.retained(painted), releaseHandlerBox)
  }

  /// Ends the watch; to be called before it is replaced.
  func stop() {
    pm_surface_painting_remove(painting)
    timer.map(MainLoop.cancel)
    timer = nil
  }

  /// A frame of the camera waits to be painted.
  func frameArrived() {
    if patience.frameArrived() { scheduleCheck() }
  }

  private func scheduleCheck() {
    timer = MainLoop.after(milliseconds: PaintingPatience.interval) { [weak self] in self?.check() }
  }

  private func check() {
    timer = nil
    if patience.check() { return scheduleCheck() }
    guard patience.isOver else { return }
    // Whatever the window shows by then, it is painted as soon as it can be seen.
    gtk_widget_queue_draw(window.widget)
    changed()
  }

  private func painted() {
    guard patience.painted() else { return }
    // The painting is under way, and the page changes with the camera's status.
    MainLoop.whenIdle(changed)
  }
}

/// The patience with a frame that isn't painted.
///
/// It is counted in checks and not by a clock: while the main thread is held up, there is neither a painting nor a check, and
/// afterward both have their turn.
struct PaintingPatience {
  /// The time between two checks, in milliseconds.
  static let interval: UInt32 = 500
  /// The checks in a row that find a frame waiting and nothing painted since the one before, until the window is taken for
  /// hidden. The first may follow right upon the frame's arrival.
  static let checks = 5

  /// Whether patience has come to its end: the window is hidden.
  private(set) var isOver = false

  private var isFrameWaiting = false
  private var isChecking = false
  private var checksInVain = 0

  /// Records a frame that waits to be painted.
  ///
  /// - Returns: Whether the first check has to be scheduled.
  mutating func frameArrived() -> Bool {
    isFrameWaiting = true
    guard !isChecking, !isOver else { return false }
    isChecking = true
    return true
  }

  /// Checks whether frames are painted.
  ///
  /// - Returns: Whether another check has to be scheduled.
  mutating func check() -> Bool {
    guard isFrameWaiting else {
      isChecking = false
      return false
    }
    checksInVain += 1
    isOver = checksInVain >= Self.checks
    isChecking = !isOver
    return isChecking
  }

  /// Records a painting of the window.
  ///
  /// - Returns: Whether the window was hidden before.
  mutating func painted() -> Bool {
    isFrameWaiting = false
    checksInVain = 0
    defer { isOver = false }
    return isOver
  }
}
