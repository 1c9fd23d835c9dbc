// Signal handlers in Swift: one trampoline for each C signature, and boxes that GLib owns and frees.
//
// The trampolines are file-scope functions without an actor: a closure that is written in main-actor code and handed to C
// inherits the actor in silence. GTK calls all of these on the main thread, inside its main loop.

import CGtk
import GtkShim

/// What a handler needs: the closure. A main-actor class, so that its reference may pass through C.
@MainActor private final class HandlerBox<Handler> {
  let handler: Handler
  init(_ handler: Handler) { self.handler = handler }
}

/// GLib calls this when the handler is disconnected or its object dies.
private func releaseBox(_ data: UnsafeMutableRawPointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
  data.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
}

/// The same for destroy notifies outside signals.
private func releaseBoxOnly(_ data: UnsafeMutableRawPointer?) { releaseBox(data, nil) }

private func box<Handler>(_ data: UnsafeMutableRawPointer?) -> HandlerBox<Handler>? {
  data.map { Unmanaged<HandlerBox<Handler>>.fromOpaque($0).takeUnretainedValue() }
}

@MainActor private func connect<Handler>(
  _ object: UnsafeMutableRawPointer, _ signal: String, _ trampoline: GCallback, _ handler: Handler
) {
  let data = Unmanaged.passRetained(HandlerBox(handler)).toOpaque()
  g_signal_connect_data(object, signal, trampoline, data, releaseBox, GConnectFlags(rawValue: 0))
}

// MARK: The signatures

/// `void (object, data)`
private let plainTrampoline: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
  let handler: HandlerBox<() -> Void>? = box(data)
  MainActor.assumeIsolated { handler?.handler() }
}

/// `gboolean (object, data)`
private let questionTrampoline: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean = {
  _, data in
  let handler: HandlerBox<() -> Bool>? = box(data)
  return MainActor.assumeIsolated { (handler?.handler() ?? false).gboolean }
}

/// `void (object, pointer, data)`
private let pointerTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
    _, argument, data in
    let handler: HandlerBox<(UnsafeMutableRawPointer?) -> Void>? = box(data)
    let address = UInt(bitPattern: argument)
    MainActor.assumeIsolated { handler?.handler(UnsafeMutableRawPointer(bitPattern: address)) }
  }

/// `int (object, pointer, data)`
private let verdictTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gint = {
    _, argument, data in
    let handler: HandlerBox<(UnsafeMutableRawPointer?) -> Int32>? = box(data)
    let address = UInt(bitPattern: argument)
    return MainActor.assumeIsolated { handler?.handler(UnsafeMutableRawPointer(bitPattern: address)) ?? -1 }
  }

/// `void (object, unsigned, data)`
private let numberTrampoline: @convention(c) (UnsafeMutableRawPointer?, guint, UnsafeMutableRawPointer?) -> Void = {
  _, number, data in
  let handler: HandlerBox<(Int) -> Void>? = box(data)
  MainActor.assumeIsolated { handler?.handler(Int(number)) }
}

/// `void (object, gint64, data)`
private let longTrampoline: @convention(c) (UnsafeMutableRawPointer?, gint64, UnsafeMutableRawPointer?) -> Void = {
  _, number, data in
  let handler: HandlerBox<(Int64) -> Void>? = box(data)
  MainActor.assumeIsolated { handler?.handler(Int64(number)) }
}

/// `void (object, int, int, data)`
private let sizeTrampoline: @convention(c) (UnsafeMutableRawPointer?, gint, gint, UnsafeMutableRawPointer?) -> Void = {
  _, width, height, data in
  let handler: HandlerBox<(Int, Int) -> Void>? = box(data)
  MainActor.assumeIsolated { handler?.handler(Int(width), Int(height)) }
}

/// `void (object, double, double, data)`
private let pointTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gdouble, gdouble, UnsafeMutableRawPointer?) -> Void = { _, x, y, data in
    let handler: HandlerBox<(Double, Double) -> Void>? = box(data)
    MainActor.assumeIsolated { handler?.handler(x, y) }
  }

/// `void (object, int, double, double, data)`
private let pressTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gint, gdouble, gdouble, UnsafeMutableRawPointer?) -> Void = {
    _, count, x, y, data in
    let handler: HandlerBox<(Int) -> Void>? = box(data)
    MainActor.assumeIsolated { handler?.handler(Int(count)) }
  }

/// `gboolean (object, unsigned, unsigned, GdkModifierType, data)`
private let keyTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, guint, guint, GdkModifierType, UnsafeMutableRawPointer?) -> gboolean = {
    _, key, _, modifiers, data in
    let handler: HandlerBox<(UInt32, GdkModifierType) -> Bool>? = box(data)
    return MainActor.assumeIsolated { (handler?.handler(key, modifiers) ?? false).gboolean }
  }

/// `void (data)`
private let callbackTrampoline: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
  let handler: HandlerBox<() -> Void>? = box(data)
  MainActor.assumeIsolated { handler?.handler() }
}

/// `gboolean (data)`, once
private let onceTrampoline: @convention(c) (UnsafeMutableRawPointer?) -> gboolean = { data in
  let handler: HandlerBox<() -> Void>? = box(data)
  MainActor.assumeIsolated { handler?.handler() }
  return false.gboolean
}

// MARK: Connecting

@MainActor extension GObjectRef {
  /// `clicked`, `activate`, `leave`, …
  func on(_ signal: String, _ handler: @escaping () -> Void) {
    connect(address, signal, unsafeBitCast(plainTrampoline, to: GCallback.self), handler)
  }

  /// `close-request` and its like: `true` says that the signal has been dealt with.
  func onQuestion(_ signal: String, _ handler: @escaping () -> Bool) {
    connect(address, signal, unsafeBitCast(questionTrampoline, to: GCallback.self), handler)
  }

  /// Signals with one object, boxed value or `GVariant`: an action's `activate`, a list factory's `bind`.
  func onPointer(_ signal: String, _ handler: @escaping (UnsafeMutableRawPointer?) -> Void) {
    connect(address, signal, unsafeBitCast(pointerTrampoline, to: GCallback.self), handler)
  }

  /// A property has a new value.
  func onChange(of property: String, _ handler: @escaping () -> Void) {
    onPointer("notify::\(property)") { _ in handler() }
  }

  /// An application's `handle-local-options`.
  func onVerdict(_ signal: String, _ handler: @escaping (UnsafeMutableRawPointer?) -> Int32) {
    connect(address, signal, unsafeBitCast(verdictTrampoline, to: GCallback.self), handler)
  }

  /// A list's `activate`, a scrolled window's `edge-reached`.
  func onNumber(_ signal: String, _ handler: @escaping (Int) -> Void) {
    connect(address, signal, unsafeBitCast(numberTrampoline, to: GCallback.self), handler)
  }

  /// The viewfinder's `shown`.
  func onTime(_ signal: String, _ handler: @escaping (Int64) -> Void) {
    connect(address, signal, unsafeBitCast(longTrampoline, to: GCallback.self), handler)
  }

  /// The viewfinder's `resized`.
  func onSize(_ signal: String, _ handler: @escaping (Int, Int) -> Void) {
    connect(address, signal, unsafeBitCast(sizeTrampoline, to: GCallback.self), handler)
  }

  /// A pointer's `enter` or `motion`.
  func onPoint(_ signal: String, _ handler: @escaping (Double, Double) -> Void) {
    connect(address, signal, unsafeBitCast(pointTrampoline, to: GCallback.self), handler)
  }

  /// A click gesture's `pressed` or `released`, with the number of the press.
  func onPress(_ signal: String, _ handler: @escaping (Int) -> Void) {
    connect(address, signal, unsafeBitCast(pressTrampoline, to: GCallback.self), handler)
  }

  /// A key controller's `key-pressed`: `true` says that the key has been dealt with.
  func onKey(_ signal: String, _ handler: @escaping (UInt32, GdkModifierType) -> Bool) {
    connect(address, signal, unsafeBitCast(keyTrampoline, to: GCallback.self), handler)
  }
}

// MARK: The main loop

/// What GLib's main loop calls on the main thread.
@MainActor enum MainLoop {
  /// Calls `work` once, when nothing of a higher priority waits.
  static func whenIdle(_ work: @escaping () -> Void) {
    g_idle_add_full(
      G_PRIORITY_DEFAULT_IDLE, onceTrampoline, Unmanaged.passRetained(HandlerBox(work)).toOpaque(), releaseBoxOnly)
  }

  /// Calls `work` once, after a time. The id is for `cancel`.
  static func after(milliseconds: UInt32, _ work: @escaping () -> Void) -> UInt32 {
    g_timeout_add_full(
      G_PRIORITY_DEFAULT, milliseconds, onceTrampoline, Unmanaged.passRetained(HandlerBox(work)).toOpaque(),
      releaseBoxOnly)
  }

  /// Calls off what `after` has not called yet.
  static func cancel(_ id: UInt32) { g_source_remove(id) }

  /// Calls `work` at each Unix signal of this kind.
  static func onUnixSignal(_ signal: Int32, _ work: @escaping () -> Void) {
    _ = pm_unix_signal_add(
      signal, callbackTrampoline, Unmanaged.passRetained(HandlerBox(work)).toOpaque(), releaseBoxOnly)
  }
}

/// A call on the main thread that any thread can ask for; requests that come before the call are one.
final class Wakeup: @unchecked Sendable {
  // Sendable: GLib's sources may be made ready and destroyed from any thread.
  private let source: UnsafeMutablePointer<GSource>

  /// - Parameter priority: GLib's: the lower, the sooner.
  @MainActor init(priority: Int32, _ work: @escaping () -> Void) {
    source = pm_wakeup_new(
      priority, callbackTrampoline, Unmanaged.passRetained(HandlerBox(work)).toOpaque(), releaseBoxOnly)
  }

  deinit { pm_wakeup_free(source) }

  /// Asks for the call.
  func signal() { pm_wakeup_signal(source) }
}
