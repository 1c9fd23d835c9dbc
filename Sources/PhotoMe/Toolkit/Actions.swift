// The application's actions, which buttons, menus, keys and D-Bus all call.

import CGtk

/// Adds actions to an application, and keeps them so that their states can follow the models.
@MainActor final class Actions {
  private let map: GObjectRef
  private var actions: [String: GObjectRef] = [:]

  /// - Parameter map: A `GActionMap`: the application.
  init(map: GObjectRef) { self.map = map }

  /// An action without a state.
  func add(_ name: String, _ activated: @escaping () -> Void) {
    insert(name, g_simple_action_new(name, nil)) { _ in activated() }
  }

  /// An action with a string parameter.
  func addCommand(_ name: String, _ activated: @escaping (String) -> Void) {
    let type = g_variant_type_new("s")
    defer { g_variant_type_free(type) }
    insert(name, g_simple_action_new(name, type)) { parameter in
      guard let parameter else { return }
      activated(String(cString: g_variant_get_string(OpaquePointer(parameter), nil)))
    }
  }

  /// An action with two string parameters.
  func addCommand(_ name: String, _ activated: @escaping (String, String) -> Void) {
    let type = g_variant_type_new("(ss)")
    defer { g_variant_type_free(type) }
    insert(name, g_simple_action_new(name, type)) { parameter in
      guard let parameter else { return }
      let texts = (0..<2).map { index in
        let text = g_variant_get_child_value(OpaquePointer(parameter), gsize(index))
        defer { g_variant_unref(text) }
        return String(cString: g_variant_get_string(text, nil))
      }
      activated(texts[0], texts[1])
    }
  }

  /// A Boolean switch. Its state changes only through `setState`, when the model has changed.
  func addSwitch(_ name: String, isOn: Bool, _ toggled: @escaping () -> Void) {
    insert(name, g_simple_action_new_stateful(name, nil, g_variant_new_boolean(isOn.gboolean))) { _ in toggled() }
  }

  /// A choice of one string among several. Its state changes only through `setState`, when the model has changed.
  func addChoice(_ name: String, chosen: String, _ choose: @escaping (String) -> Void) {
    let type = g_variant_type_new("s")
    defer { g_variant_type_free(type) }
    insert(name, g_simple_action_new_stateful(name, type, g_variant_new_string(chosen))) { parameter in
      guard let parameter else { return }
      choose(String(cString: g_variant_get_string(OpaquePointer(parameter), nil)))
    }
  }

  /// A string that can be read over D-Bus, but not set.
  func addReport(_ name: String, text: String) {
    insert(name, g_simple_action_new_stateful(name, nil, g_variant_new_string(text))) { _ in }
  }

  func setState(_ name: String, _ isOn: Bool) {
    actions[name].map { g_simple_action_set_state($0.opaque, g_variant_new_boolean(isOn.gboolean)) }
  }

  func setState(_ name: String, _ text: String) {
    actions[name].map { g_simple_action_set_state($0.opaque, g_variant_new_string(text)) }
  }

  func setEnabled(_ name: String, _ isEnabled: Bool) {
    actions[name].map { g_simple_action_set_enabled($0.opaque, isEnabled.gboolean) }
  }

  private func insert(
    _ name: String, _ made: OpaquePointer?, _ activated: @escaping (UnsafeMutableRawPointer?) -> Void
  ) {
    guard let made else { return }
    let action = GObjectRef(adopting: made)
    action.onPointer("activate", activated)
    // Without this handler, a stateful action sets its own state.
    action.onPointer("change-state") { _ in }
    g_action_map_add_action(map.opaque, action.opaque)
    actions[name] = action
  }
}
