// A closure as the user data of a C callback: retained when it is passed to C, released by the destroy notify.

import GtkShim

/// Holds a closure. A main-actor class, so that its reference may pass through C.
@MainActor final class HandlerBox<Handler> {
  let handler: Handler

  init(_ handler: Handler) { self.handler = handler }

  /// User data that retains a closure until `releaseHandlerBox` is called with it.
  static func retained(_ handler: Handler) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(HandlerBox(handler)).toOpaque()
  }

  /// The box behind the user data of a callback.
  nonisolated static func from(_ data: UnsafeMutableRawPointer?) -> HandlerBox<Handler>? {
    data.map { Unmanaged<HandlerBox<Handler>>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The destroy notify of user data from `HandlerBox.retained`.
func releaseHandlerBox(_ data: UnsafeMutableRawPointer?) {
  data.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
}

/// Runs a C callback's work on the main actor; the callback is on the main thread. Counted as PhotoMe's own work for
/// the frame.
func ownWork<Result: Sendable>(_ body: @MainActor () -> Result) -> Result {
  pm_own_work_begin()
  defer { pm_own_work_end() }
  return MainActor.assumeIsolated(body)
}
