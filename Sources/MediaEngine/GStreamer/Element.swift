// A GStreamer element held by reference, with the few calls that PhotoMe needs of it.

import CGStreamer
import CameraCore

/// One element of a pipeline. Holds a reference.
final class Element: @unchecked Sendable {
  // Sendable: the pointer never changes, and what is called on it here GStreamer locks itself.
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

  /// Sets a property from its text form. Numbers must be whole or written with a point, whatever the locale.
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

  /// Asks for a pad and sets one property of it; for muxers, whose tracks are set up through their pads.
  func requestPad(_ name: String, setting properties: [(String, String)] = []) -> UnsafeMutablePointer<GstPad>? {
    guard let pad = gst_element_request_pad_simple(pointer, name) else { return nil }
    for (property, value) in properties {
      gst_util_set_object_arg(UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GObject.self), property, value)
    }
    return pad
  }
}

extension UnsafeMutablePointer<GstElement> {
  /// The same object as one of a type that builds on `GstElement`.
  func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }
}
