// A retained GStreamer element with its properties and pads.

import CGStreamer
import CameraCore

/// One element of a pipeline, retained.
final class Element: @unchecked Sendable {
  // Sendable: the pointer never changes, and GStreamer locks what is called on it here.
  let pointer: UnsafeMutablePointer<GstElement>

  /// Makes an element.
  ///
  /// - Throws: `CameraError.missingPlugin` when it isn't installed, or can't be made.
  init(_ factory: String, name: String? = nil) throws(CameraError) {
    guard let made = gst_element_factory_make(factory, name) else { throw GStreamerRuntime.missing(factory) }
    // A new element is floating; this makes the reference ours.
    pointer = gst_object_ref_sink(made).assumingMemoryBound(to: GstElement.self)
  }

  deinit { gst_object_unref(pointer) }

  /// Whether the element has a property of this name.
  func has(_ property: String) -> Bool {
    pointer.withMemoryRebound(to: GTypeInstance.self, capacity: 1) { instance in
      instance.pointee.g_class.withMemoryRebound(to: GObjectClass.self, capacity: 1) {
        g_object_class_find_property($0, property) != nil
      }
    }
  }

  /// Sets a property from its text form. Numbers are written with a decimal point, whatever the locale.
  ///
  /// - Returns: Whether the element has that property.
  @discardableResult
  func set(_ property: String, _ value: String) -> Bool {
    guard has(property) else { return false }
    gst_util_set_object_arg(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self), property, value)
    return true
  }

  @discardableResult
  func set(_ property: String, _ value: Int) -> Bool { set(property, String(value)) }

  @discardableResult
  func set(_ property: String, _ value: Bool) -> Bool { set(property, value ? "true" : "false") }

  /// Sets the property `caps`. The text must hold whole numbers and fractions only, which no locale changes.
  func setCaps(_ caps: String) { set("caps", caps) }

  /// The pad of this name; the caller releases it with `gst_object_unref`.
  func pad(_ name: String) -> UnsafeMutablePointer<GstPad>? { gst_element_get_static_pad(pointer, name) }

  /// Requests a pad and sets properties of it; for muxers, whose tracks are configured through their pads.
  func requestPad(_ name: String, setting properties: [(String, String)] = []) -> UnsafeMutablePointer<GstPad>? {
    guard let pad = gst_element_request_pad_simple(pointer, name) else { return nil }
    for (property, value) in properties {
      gst_util_set_object_arg(UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GObject.self), property, value)
    }
    return pad
  }
}

extension UnsafeMutablePointer<GstElement> {
  /// The same object as an instance of a subclass of `GstElement`.
  func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }
}
