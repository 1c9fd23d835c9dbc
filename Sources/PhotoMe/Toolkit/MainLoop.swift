// Work for GLib's main loop: on idle, after a time, or on a Unix signal.

import CGtk
import GtkShim

/// Schedules calls on the main thread.
@MainActor enum MainLoop {
  /// Calls `work` once, when nothing of a higher priority is waiting.
  static func whenIdle(_ work: @escaping () -> Void) {
    g_idle_add_full(
      G_PRIORITY_DEFAULT_IDLE, onceTrampoline, HandlerBox.retained(work), releaseHandlerBox)
  }

  /// Calls `work` once after a time.
  ///
  /// - Returns: The ID for `cancel`.
  static func after(milliseconds: UInt32, _ work: @escaping () -> Void) -> UInt32 {
    g_timeout_add_full(
      G_PRIORITY_DEFAULT, milliseconds, onceTrampoline, HandlerBox.retained(work),
      releaseHandlerBox)
  }

  /// Cancels a call of `after` that hasn't happened yet.
  static func cancel(_ id: UInt32) { g_source_remove(id) }

  /// Calls `work` on each Unix signal of this kind.
  static func onUnixSignal(_ signal: Int32, _ work: @escaping () -> Void) {
    _ = pm_unix_signal_add(
      signal, callbackTrampoline, HandlerBox.retained(work), releaseHandlerBox)
  }
}

/// Called by GtkShim with user data from `HandlerBox.retained`, on the main thread.
let callbackTrampoline: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
  let handler: HandlerBox<() -> Void>? = .from(data)
  ownWork { handler?.handler() }
}

/// `gboolean (data)`, once
private let onceTrampoline: @convention(c) (UnsafeMutableRawPointer?) -> gboolean = { data in
  let handler: HandlerBox<() -> Void>? = .from(data)
  ownWork { handler?.handler() }
  return false.gboolean
}
