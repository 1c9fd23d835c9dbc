// A value that came over D-Bus.

import CGtk

/// A `GVariant` with its parts.
final class BusValue {
  private let value: OpaquePointer

  init(adopting value: OpaquePointer) { self.value = value }

  init(retaining value: OpaquePointer) { self.value = g_variant_ref(value) }

  deinit { g_variant_unref(value) }

  /// A part of a tuple or an array.
  subscript(index: Int) -> BusValue { BusValue(adopting: g_variant_get_child_value(value, gsize(index))) }

  /// The parts of a tuple or an array.
  var children: [BusValue] { (0..<Int(g_variant_n_children(value))).map { self[$0] } }

  /// The value in a variant.
  var inner: BusValue { BusValue(adopting: g_variant_get_variant(value)) }

  /// A text or a path; `nil` for anything else.
  var text: String? {
    ["s", "o"].contains(type) ? g_variant_get_string(value, nil).map { String(cString: $0) } : nil
  }

  /// A text or a path.
  var string: String { text ?? "" }

  /// A whole number or a boolean.
  var number: Int {
    switch type {
    case "u": Int(g_variant_get_uint32(value))
    case "i": Int(g_variant_get_int32(value))
    case "b": g_variant_get_boolean(value) != 0 ? 1 : 0
    default: 0
    }
  }

  private var type: String { g_variant_get_type_string(value).map { String(cString: $0) } ?? "" }
}
