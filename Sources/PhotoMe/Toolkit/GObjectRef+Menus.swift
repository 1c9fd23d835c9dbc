// Menu items with an action and a target.

import CGtk

@MainActor extension GObjectRef {
  /// Appends an item to this `GMenu`.
  ///
  /// - Parameters:
  ///   - label: With an underscore before the mnemonic's letter.
  ///   - target: The action's parameter; a floating reference is taken over.
  func appendItem(_ label: String, action: String, target: OpaquePointer?) {
    guard let item = g_menu_item_new(label, nil) else { return }
    g_menu_item_set_action_and_target_value(item, action, target)
    g_menu_append_item(opaque, item)
    g_object_unref(UnsafeMutableRawPointer(item))
  }

  /// Appends an item whose action has a string parameter.
  func appendItem(_ label: String, action: String, target: String) {
    appendItem(label, action: action, target: g_variant_new_string(target))
  }
}

/// Escapes a name for a menu label, where an underscore would mark a mnemonic.
func escapedMnemonics(_ name: String) -> String { name.replacing("_", with: "__") }
