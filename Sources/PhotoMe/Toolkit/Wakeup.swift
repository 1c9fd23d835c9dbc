// The way from any thread to the main thread: a call that waits for nobody.

import CGtk
import GtkShim

/// A call on the main thread that any thread can ask for; requests that come before the call are one.
final class Wakeup: @unchecked Sendable {
  // Sendable: GLib's sources may be made ready and destroyed from any thread.
  private let source: UnsafeMutablePointer<GSource>

  /// - Parameter priority: GLib's: the lower, the sooner.
  @MainActor init(priority: Int32, _ work: @escaping () -> Void) {
    source = pm_wakeup_new(
      priority, callbackTrampoline, HandlerBox.retained(work), releaseHandlerBox)
  }

  deinit { pm_wakeup_free(source) }

  /// Asks for the call.
  func signal() { pm_wakeup_signal(source) }
}
