// A strong reference to a GObject, with the pointer types that GTK's functions take.

import CGtk

/// One reference to a GObject, released with this object.
///
/// Not `Sendable`, so it stays on the main actor, where widgets live.
final class GObjectRef {
  /// The object's address.
  let address: UnsafeMutableRawPointer

  /// Takes over the caller's reference, as constructors of plain objects return it.
  init(adopting object: UnsafeMutableRawPointer) { address = object }

  /// Takes a reference of its own: for objects that someone else owns, and for new widgets, whose floating reference it
  /// sinks.
  init(retaining object: UnsafeMutableRawPointer) {
    address = object
    g_object_ref_sink(object)
  }

  convenience init(adopting object: OpaquePointer) { self.init(adopting: UnsafeMutableRawPointer(object)) }
  convenience init(retaining object: OpaquePointer) { self.init(retaining: UnsafeMutableRawPointer(object)) }
  convenience init<T>(adopting object: UnsafeMutablePointer<T>) { self.init(adopting: UnsafeMutableRawPointer(object)) }
  convenience init<T>(retaining object: UnsafeMutablePointer<T>) {
    self.init(retaining: UnsafeMutableRawPointer(object))
  }

  deinit { g_object_unref(address) }

  /// For functions whose C type is not public.
  var opaque: OpaquePointer { OpaquePointer(address) }

  /// For functions that take any widget.
  var widget: UnsafeMutablePointer<GtkWidget> { of(GtkWidget.self) }

  /// For functions of a type whose C struct is public. GObject's own casts are checked in debug builds; here the names
  /// in the `.ui` files are checked when they are looked up.
  func of<T>(_ type: T.Type) -> UnsafeMutablePointer<T> { address.assumingMemoryBound(to: T.self) }
}

extension GObjectRef {
  /// Adds an event controller to this widget. From then on both the widget and the caller hold a reference to it.
  func addController(_ controller: GObjectRef) {
    g_object_ref(controller.address)
    gtk_widget_add_controller(widget, controller.opaque)
  }
}

extension GObjectRef {
  /// Sets a string property that has no setter function.
  func set(_ property: String, _ text: String) {
    var value = GValue()
    g_value_init(&value, g_type_from_name("gchararray"))
    g_value_set_string(&value, text)
    g_object_set_property(of(GObject.self), property, &value)
    g_value_unset(&value)
  }
}

extension Bool {
  /// GLib's boolean type.
  var gboolean: gboolean { self ? 1 : 0 }
}

/// Copies and frees a string whose ownership GLib has passed to the caller.
func takeString(_ text: UnsafeMutablePointer<CChar>?) -> String {
  guard let text else { return "" }
  defer { g_free(text) }
  return String(cString: text)
}

/// Calls a C function with strings as it expects them: an array that ends with `NULL`, valid during the call.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { g_strdup($0) }
  defer { copies.forEach { g_free($0) } }
  var pointers = copies.map { UnsafePointer($0) } + [nil]
  return pointers.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("a list with at least its end") }
    return body(start)
  }
}

/// Escapes text for places that parse Pango markup.
func escapedMarkup(_ text: String) -> String { takeString(g_markup_escape_text(text, -1)) }
