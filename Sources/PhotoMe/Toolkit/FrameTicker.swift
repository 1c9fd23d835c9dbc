// Work that is done a little in each frame, until there is none left.

import CGtk
import GtkShim

/// How much of a frame's time some work may take. What is left over waits for the next frame, so that nothing that moves on
/// the screen waits for it.
struct FrameShare {
  private let end: ContinuousClock.Instant

  /// - Parameter milliseconds: Of the 16 that a frame lasts.
  init(milliseconds: Int) { end = .now + .milliseconds(milliseconds) }

  var isSpent: Bool { ContinuousClock.now >= end }
}

/// Calls once in each frame of a widget, before its layout, while there is something to do. A widget that is not on the
/// screen has no frames.
@MainActor final class FrameTicker {
  private let widget: GObjectRef
  private let work: () -> Bool
  private var isTicking = false

  /// - Parameter work: Returns whether there is more to do.
  init(_ widget: GObjectRef, _ work: @escaping () -> Bool) {
    self.widget = widget
    self.work = work
  }

  /// Has the work called at the next frame.
  func start() {
    guard !isTicking else { return }
    isTicking = true
    let tick: () -> Bool = { [weak self] in self?.tick() ?? false }
    gtk_widget_add_tick_callback(widget.widget, tickTrampoline, HandlerBox.retained(tick), releaseHandlerBox)
  }

  private func tick() -> Bool {
    isTicking = work()
    return isTicking
  }
}

/// `gboolean (widget, clock, data)`, on the main thread
private let tickTrampoline:
  @convention(c) (UnsafeMutablePointer<GtkWidget>?, OpaquePointer?, UnsafeMutableRawPointer?) -> gboolean = {
    _, _, data in
    let handler: HandlerBox<() -> Bool>? = .from(data)
    return ownWork { (handler?.handler() ?? false).gboolean }
  }
