// The keyboard's focus, among the program's windows and those of others.

import CGtk

/// Follows the windows: the main one, the preferences, dialogs.
@MainActor final class WindowFocus {
  private let windows: GObjectRef
  private let changed: (_ isActive: Bool) -> Void

  /// - Parameter changed: Called when a window of the program was activated, or another program's.
  init(changed: @escaping (_ isActive: Bool) -> Void) {
    windows = GObjectRef(retaining: gtk_window_get_toplevels())
    self.changed = changed
    windows.onItemsChanged { [weak self] in
      self?.followNew()
      MainLoop.whenIdle { self?.report() }
    }
    followNew()
  }

  private static let mark = "PhotoMe.isFollowed"

  private func followNew() {
    for window in all where g_object_get_data(window.of(GObject.self), Self.mark) == nil {
      g_object_set_data(window.of(GObject.self), Self.mark, window.address)
      // From one window to the next, there is a moment without any.
      window.onChange(of: "is-active") { [weak self] in MainLoop.whenIdle { self?.report() } }
    }
  }

  private var all: [GObjectRef] {
    (0..<g_list_model_get_n_items(windows.opaque)).compactMap { index in
      g_list_model_get_object(windows.opaque, index).map { GObjectRef(adopting: $0) }
    }
  }

  private func report() { changed(all.contains { gtk_window_is_active($0.of(GtkWindow.self)) != 0 }) }
}
