// The desktop's setting for animations.

import CGtk

/// Reads the setting and follows it. GTK's own animations, those of style sheets among them, follow it without help.
@MainActor enum Motion {
  private static var settings: GObjectRef? {
    gtk_settings_get_default().map { GObjectRef(retaining: $0) }
  }

  /// Whether the person wants nothing to move, flash or play by itself.
  static var isReduced: Bool {
    guard let settings else { return false }
    var value = GValue()
    g_value_init(&value, g_type_from_name("gboolean"))
    defer { g_value_unset(&value) }
    g_object_get_property(settings.of(GObject.self), "gtk-enable-animations", &value)
    return g_value_get_boolean(&value) == 0
  }

  /// Calls `changed` now and whenever the setting changes.
  static func follow(_ changed: @escaping (_ isReduced: Bool) -> Void) {
    changed(isReduced)
    settings?.onChange(of: "gtk-enable-animations") { changed(isReduced) }
  }
}
