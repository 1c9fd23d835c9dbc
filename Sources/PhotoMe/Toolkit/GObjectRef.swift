// A strong reference to an object of GLib's, and the pointer types that GTK's functions want of it.

import CGtk

/// One reference to a GObject, given back when this value goes away.
///
/// Not `Sendable`, and so never away from the main actor, on which widgets live and die.
final class GObjectRef {
  /// The object's address.
  let address: UnsafeMutableRawPointer

  /// Takes over the reference that the caller owns, as constructors of plain objects hand one out.
  init(adopting object: UnsafeMutableRawPointer) { address = object }

  /// Takes a reference of its own: for objects that somebody else owns, and for newborn widgets, whose floating
  /// reference it sinks.
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

  /// For functions of a type whose C struct is public. GObject's own casts check in debug builds; here the names in the
  /// `.ui` files do, when they are looked up.
  func of<T>(_ type: T.Type) -> UnsafeMutablePointer<T> { address.assumingMemoryBound(to: T.self) }
}

extension GObjectRef {
  /// Gives this widget an event controller. Both hold a reference to it from then on: the widget, and the caller.
  func addController(_ controller: GObjectRef) {
    g_object_ref(controller.address)
    gtk_widget_add_controller(widget, controller.opaque)
  }
}

extension GObjectRef {
  /// Sets a property that is a text, where there is no function for it.
  func set(_ property: String, _ text: String) {
    var value = GValue()
    g_value_init(&value, g_type_from_name("gchararray"))
    g_value_set_string(&value, text)
    g_object_set_property(of(GObject.self), property, &value)
    g_value_unset(&value)
  }
}

extension Bool {
  /// GLib's form of a truth value.
  var gboolean: gboolean { self ? 1 : 0 }
}

/// A string that a function of GLib's gave away: copied, then freed.
func takeString(_ text: UnsafeMutablePointer<CChar>?) -> String {
  guard let text else { return "" }
  defer { g_free(text) }
  return String(cString: text)
}

/// Calls a function of C's with strings as it takes them: a list that ends with `NULL`, valid during the call.
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

/// Text for places that read Pango markup, with nothing of it left to be read as such.
func escapedMarkup(_ text: String) -> String { takeString(g_markup_escape_text(text, -1)) }
