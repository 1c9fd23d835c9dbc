// Work in small portions, one per frame.

import CGtk
import GtkShim

/// The time that some work may take in a frame. The rest of the work waits for the next frame, so that it delays
/// nothing that moves on screen.
struct FrameShare {
  private let end: ContinuousClock.Instant

  /// - Parameter milliseconds: Out of the 16 ms of a frame.
  init(milliseconds: Int) { end = .now + .milliseconds(milliseconds) }

  var isSpent: Bool { ContinuousClock.now >= end }
}

/// Calls once per frame of a widget, before its layout, while there is work. A widget that isn't on screen has no
/// frames.
@MainActor final class FrameTicker {
  private let widget: GObjectRef
  private let work: () -> Bool
  private var isTicking = false

  /// - Parameter work: Returns whether there is more to do.
  init(_ widget: GObjectRef, _ work: @escaping () -> Bool) {
    self.widget = widget
    self.work = work
  }

  /// Schedules the work for the next frame.
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
