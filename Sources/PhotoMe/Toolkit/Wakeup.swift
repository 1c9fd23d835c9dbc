// Wake-ups of the main thread from any other thread, without waiting.

import CGtk
import GtkShim

/// A call on the main thread that any thread can request; requests before the call are merged.
final class Wakeup: @unchecked Sendable {
  // Sendable: GLib's sources may be made ready and destroyed from any thread.
  private let source: UnsafeMutablePointer<GSource>

  /// - Parameter priority: As in GLib: a lower number comes first.
  @MainActor init(priority: Int32, _ work: @escaping () -> Void) {
    source = pm_wakeup_new(
      priority, callbackTrampoline, HandlerBox.retained(work), releaseHandlerBox)
  }

  deinit { pm_wakeup_free(source) }

  /// Requests the call.
  func signal() { pm_wakeup_signal(source) }
}
