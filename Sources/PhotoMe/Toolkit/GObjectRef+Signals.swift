// GLib signal handlers in Swift: a trampoline for each C signature, and boxes that GLib owns and frees.
//
// The trampolines are file-scope functions without an actor: a closure that is written in main-actor code and passed to
// C inherits the actor without a warning. GTK calls all of these on the main thread, inside its main loop.

import CGtk
import Foundation

/// Called by GLib when the handler is disconnected or its object is finalized.
private func releaseHandler(_ data: UnsafeMutableRawPointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
  releaseHandlerBox(data)
}

@MainActor private func connect<Handler>(
  _ object: UnsafeMutableRawPointer, _ signal: String, _ trampoline: GCallback, _ handler: Handler
) {
  g_signal_connect_data(
    object, signal, trampoline, HandlerBox.retained(handler), releaseHandler, GConnectFlags(rawValue: 0))
}

// MARK: The signatures

/// `void (object, data)`
private let plainTrampoline: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
  let handler: HandlerBox<() -> Void>? = .from(data)
  ownWork { handler?.handler() }
}

/// `void (object, position, removed, added, data)`
private let itemsTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, guint, guint, guint, UnsafeMutableRawPointer?) -> Void = {
    _, _, _, _, data in
    let handler: HandlerBox<() -> Void>? = .from(data)
    ownWork { handler?.handler() }
  }

/// `void (data, address)`: the object is gone.
private let goneTrampoline: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<GObject>?) -> Void = {
  data, _ in
  let handler: HandlerBox<() -> Void>? = .from(data)
  ownWork { handler?.handler() }
  releaseHandlerBox(data)
}

/// `gboolean (object, data)`
private let questionTrampoline: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean = {
  _, data in
  let handler: HandlerBox<() -> Bool>? = .from(data)
  return ownWork { (handler?.handler() ?? false).gboolean }
}

/// `void (object, pointer, data)`
private let pointerTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
    _, argument, data in
    let handler: HandlerBox<(UnsafeMutableRawPointer?) -> Void>? = .from(data)
    let address = UInt(bitPattern: argument)
    ownWork { handler?.handler(UnsafeMutableRawPointer(bitPattern: address)) }
  }

/// `int (object, pointer, data)`
private let verdictTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gint = {
    _, argument, data in
    let handler: HandlerBox<(UnsafeMutableRawPointer?) -> Int32>? = .from(data)
    let address = UInt(bitPattern: argument)
    return ownWork { handler?.handler(UnsafeMutableRawPointer(bitPattern: address)) ?? -1 }
  }

/// `void (object, unsigned, data)`
private let numberTrampoline: @convention(c) (UnsafeMutableRawPointer?, guint, UnsafeMutableRawPointer?) -> Void = {
  _, number, data in
  let handler: HandlerBox<(Int) -> Void>? = .from(data)
  ownWork { handler?.handler(Int(number)) }
}

/// `void (object, gint64, gint64, data)`
private let timesTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gint64, gint64, UnsafeMutableRawPointer?) -> Void = { _, one, other, data in
    let handler: HandlerBox<(Int64, Int64) -> Void>? = .from(data)
    ownWork { handler?.handler(Int64(one), Int64(other)) }
  }

/// `void (object, int, int, data)`
private let sizeTrampoline: @convention(c) (UnsafeMutableRawPointer?, gint, gint, UnsafeMutableRawPointer?) -> Void = {
  _, width, height, data in
  let handler: HandlerBox<(Int, Int) -> Void>? = .from(data)
  ownWork { handler?.handler(Int(width), Int(height)) }
}

/// `void (object, double, double, data)`
private let pointTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gdouble, gdouble, UnsafeMutableRawPointer?) -> Void = { _, x, y, data in
    let handler: HandlerBox<(Double, Double) -> Void>? = .from(data)
    ownWork { handler?.handler(x, y) }
  }

/// `gboolean (object, double, double, data)`
private let scrollTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gdouble, gdouble, UnsafeMutableRawPointer?) -> gboolean = { _, x, y, data in
    let handler: HandlerBox<(Double, Double) -> Bool>? = .from(data)
    return ownWork { (handler?.handler(x, y) ?? false).gboolean }
  }

/// `void (object, int, double, double, data)`
private let pressTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gint, gdouble, gdouble, UnsafeMutableRawPointer?) -> Void = {
    _, count, x, y, data in
    let handler: HandlerBox<(Int) -> Void>? = .from(data)
    ownWork { handler?.handler(Int(count)) }
  }

/// `void (object, int, double, double, data)`, with the point
private let pressPointTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gint, gdouble, gdouble, UnsafeMutableRawPointer?) -> Void = {
    _, count, x, y, data in
    let handler: HandlerBox<(Int, Double, Double) -> Void>? = .from(data)
    ownWork { handler?.handler(Int(count), x, y) }
  }

/// `void (object, double, data)`
private let amountTrampoline: @convention(c) (UnsafeMutableRawPointer?, gdouble, UnsafeMutableRawPointer?) -> Void = {
  _, amount, data in
  let handler: HandlerBox<(Double) -> Void>? = .from(data)
  ownWork { handler?.handler(amount) }
}

/// `gboolean (object, GtkScrollType, double, data)`
private let valueTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gint, gdouble, UnsafeMutableRawPointer?) -> gboolean = {
    _, _, value, data in
    let handler: HandlerBox<(Double) -> Bool>? = .from(data)
    return ownWork { (handler?.handler(value) ?? false).gboolean }
  }

/// `GdkContentProvider *(object, double, double, data)`: the caller takes over a reference.
private let contentTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gdouble, gdouble, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    _, x, y, data in
    let handler: HandlerBox<(Double, Double) -> GObjectRef?>? = .from(data)
    let address = ownWork { () -> UInt in
      guard let content = handler?.handler(x, y) else { return 0 }
      g_object_ref(content.address)
      return UInt(bitPattern: content.address)
    }
    return UnsafeMutableRawPointer(bitPattern: address)
  }

/// `gboolean (object, const GValue *, double, double, data)`
private let dropTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<GValue>?, gdouble, gdouble, UnsafeMutableRawPointer?)
    -> gboolean = { _, value, x, y, data in
      let handler: HandlerBox<(UnsafePointer<GValue>, Double, Double) -> Bool>? = .from(data)
      let address = UInt(bitPattern: value)
      return MainActor.assumeIsolated {
        (UnsafePointer<GValue>(bitPattern: address).flatMap { handler?.handler($0, x, y) } ?? false).gboolean
      }
    }

/// `GdkDragAction (object, double, double, data)`
private let dropMotionTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, gdouble, gdouble, UnsafeMutableRawPointer?) -> GdkDragAction = {
    _, x, y, data in
    let handler: HandlerBox<(Double, Double) -> GdkDragAction>? = .from(data)
    return MainActor.assumeIsolated { handler?.handler(x, y) ?? GdkDragAction(rawValue: 0) }
  }

/// The same, without the value.
private let dropPointTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<GValue>?, gdouble, gdouble, UnsafeMutableRawPointer?)
    -> gboolean = { _, _, x, y, data in
      let handler: HandlerBox<(Double, Double) -> Bool>? = .from(data)
      return MainActor.assumeIsolated { (handler?.handler(x, y) ?? false).gboolean }
    }

/// `void (object, GFile **, int, const char *, data)`
private let filesTrampoline:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutablePointer<OpaquePointer?>?, gint, UnsafePointer<CChar>?,
    UnsafeMutableRawPointer?
  ) -> Void = { _, files, count, _, data in
    let handler: HandlerBox<([URL]) -> Void>? = .from(data)
    let urls = (0..<Int(count)).compactMap { files?[$0].flatMap { URL($0) } }
    ownWork { handler?.handler(urls) }
  }

/// `gboolean (object, unsigned, unsigned, GdkModifierType, data)`
private let keyTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, guint, guint, GdkModifierType, UnsafeMutableRawPointer?) -> gboolean = {
    _, key, _, modifiers, data in
    let handler: HandlerBox<(UInt32, GdkModifierType) -> Bool>? = .from(data)
    return ownWork { (handler?.handler(key, modifiers) ?? false).gboolean }
  }

/// `void (object, context, int, data)`
private let pageTrampoline:
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, gint, UnsafeMutableRawPointer?) -> Void = {
    _, context, page, data in
    let handler: HandlerBox<(Int, UnsafeMutableRawPointer?) -> Void>? = .from(data)
    let address = UInt(bitPattern: context)
    ownWork { handler?.handler(Int(page), UnsafeMutableRawPointer(bitPattern: address)) }
  }

/// `void (object, context, int, setup, data)`
private let pageSetupTrampoline:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, gint, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
  ) -> Void = { _, _, page, setup, data in
    let handler: HandlerBox<(Int, UnsafeMutableRawPointer?) -> Void>? = .from(data)
    let address = UInt(bitPattern: setup)
    ownWork { handler?.handler(Int(page), UnsafeMutableRawPointer(bitPattern: address)) }
  }

// MARK: Connecting

@MainActor extension GObjectRef {
  /// `clicked`, `activate`, `leave`, …
  func on(_ signal: String, _ handler: @escaping () -> Void) {
    connect(address, signal, unsafeBitCast(plainTrampoline, to: GCallback.self), handler)
  }

  /// A list's `items-changed`.
  func onItemsChanged(_ handler: @escaping () -> Void) {
    connect(address, "items-changed", unsafeBitCast(itemsTrampoline, to: GCallback.self), handler)
  }

  /// Calls `handler` when nobody has the object anymore, GTK itself among them.
  func whenGone(_ handler: @escaping () -> Void) {
    g_object_weak_ref(of(GObject.self), goneTrampoline, HandlerBox.retained(handler))
  }

  /// Calls `handler` when a popover was closed, and the window can get keys again: the X server knows that a moment later.
  func whenClosed(_ handler: @escaping () -> Void) {
    // The handler, and with it this reference, goes when the popover is disposed of.
    on("unmap") { [self] in MainLoop.whenIdle { [self] in if gtk_widget_get_mapped(widget) == 0 { handler() } } }
  }

  /// `close-request` and the like: `true` stops other handlers.
  func onQuestion(_ signal: String, _ handler: @escaping () -> Bool) {
    connect(address, signal, unsafeBitCast(questionTrampoline, to: GCallback.self), handler)
  }

  /// Signals with one object, boxed value or `GVariant`: an action's `activate`, a list factory's `bind`.
  func onPointer(_ signal: String, _ handler: @escaping (UnsafeMutableRawPointer?) -> Void) {
    connect(address, signal, unsafeBitCast(pointerTrampoline, to: GCallback.self), handler)
  }

  /// A property's `notify`.
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
  func onTimes(_ signal: String, _ handler: @escaping (Int64, Int64) -> Void) {
    connect(address, signal, unsafeBitCast(timesTrampoline, to: GCallback.self), handler)
  }

  /// The viewfinder's `resized`.
  func onSize(_ signal: String, _ handler: @escaping (Int, Int) -> Void) {
    connect(address, signal, unsafeBitCast(sizeTrampoline, to: GCallback.self), handler)
  }

  /// A pointer's `enter` or `motion`.
  func onPoint(_ signal: String, _ handler: @escaping (Double, Double) -> Void) {
    connect(address, signal, unsafeBitCast(pointTrampoline, to: GCallback.self), handler)
  }

  /// A scroll controller's `scroll`: `true` stops other handlers.
  func onScroll(_ handler: @escaping (Double, Double) -> Bool) {
    connect(address, "scroll", unsafeBitCast(scrollTrampoline, to: GCallback.self), handler)
  }

  /// A click gesture's `pressed` or `released`, with the number of consecutive clicks.
  func onPress(_ signal: String, _ handler: @escaping (Int) -> Void) {
    connect(address, signal, unsafeBitCast(pressTrampoline, to: GCallback.self), handler)
  }

  /// The same, with the position.
  func onPressAt(_ signal: String, _ handler: @escaping (_ count: Int, _ x: Double, _ y: Double) -> Void) {
    connect(address, signal, unsafeBitCast(pressPointTrampoline, to: GCallback.self), handler)
  }

  /// A zoom gesture's `scale-changed`.
  func onAmount(_ signal: String, _ handler: @escaping (Double) -> Void) {
    connect(address, signal, unsafeBitCast(amountTrampoline, to: GCallback.self), handler)
  }

  /// A range's `change-value`: `true` stops GTK's own handler.
  func onValue(_ signal: String, _ handler: @escaping (Double) -> Bool) {
    connect(address, signal, unsafeBitCast(valueTrampoline, to: GCallback.self), handler)
  }

  /// A drag source's `prepare`: the content of a drag from this point, a `GdkContentProvider`; `nil` for none.
  func onPrepare(_ handler: @escaping (_ x: Double, _ y: Double) -> GObjectRef?) {
    connect(address, "prepare", unsafeBitCast(contentTrampoline, to: GCallback.self), handler)
  }

  /// A drop target's `drop`: `true` accepts the value.
  func onDrop(_ handler: @escaping (UnsafePointer<GValue>, _ x: Double, _ y: Double) -> Bool) {
    connect(address, "drop", unsafeBitCast(dropTrampoline, to: GCallback.self), handler)
  }

  /// A drop target's `motion`: the action with which the drag can end here; none refuses it.
  func onDropMotion(_ handler: @escaping (_ x: Double, _ y: Double) -> GdkDragAction) {
    connect(address, "motion", unsafeBitCast(dropMotionTrampoline, to: GCallback.self), handler)
  }

  /// A drop target's `drop` with the point: `true` accepts what was dropped.
  func onDropPoint(_ handler: @escaping (_ x: Double, _ y: Double) -> Bool) {
    connect(address, "drop", unsafeBitCast(dropPointTrampoline, to: GCallback.self), handler)
  }

  /// An application's `open`.
  func onFiles(_ signal: String, _ handler: @escaping ([URL]) -> Void) {
    connect(address, signal, unsafeBitCast(filesTrampoline, to: GCallback.self), handler)
  }

  /// A key controller's `key-pressed`: `true` stops other handlers.
  func onKey(_ signal: String, _ handler: @escaping (UInt32, GdkModifierType) -> Bool) {
    connect(address, signal, unsafeBitCast(keyTrampoline, to: GCallback.self), handler)
  }

  /// A print operation's `draw-page`: a page, counted from 0, and its `GtkPrintContext`.
  func onDrawPage(_ handler: @escaping (_ page: Int, _ context: UnsafeMutableRawPointer?) -> Void) {
    connect(address, "draw-page", unsafeBitCast(pageTrampoline, to: GCallback.self), handler)
  }

  /// A print operation's `request-page-setup`: a page, counted from 0, and its `GtkPageSetup`.
  func onPageSetup(_ handler: @escaping (_ page: Int, _ setup: UnsafeMutableRawPointer?) -> Void) {
    connect(address, "request-page-setup", unsafeBitCast(pageSetupTrampoline, to: GCallback.self), handler)
  }
}
