// Files that are dropped on the window.

import CGtk
import CameraModels
import Foundation

/// Imports what is dropped, and marks the window while files are over it.
@MainActor final class WindowDrops {
  private let target: GObjectRef
  private let mark: GObjectRef

  /// - Parameters:
  ///   - window: The window, all of which is the target.
  ///   - mark: Shown over the window meanwhile.
  init(window: GObjectRef, mark: GObjectRef, model: OpeningModel) {
    target = GObjectRef(adopting: gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY))
    self.mark = mark
    target.onChange(of: "current-drop") { [weak self] in
      guard let self else { return }
      gtk_widget_set_visible(mark.widget, isFromOutside.gboolean)
    }
    target.onDrop { [weak self] value, _, _ in
      guard self?.isFromOutside == true else { return false }
      let files = URL.files(in: value)
      guard !files.isEmpty else { return false }
      Task { await model.drop(files) }
      return true
    }
    window.addController(target)
  }

  /// Whether another program's files are over the window: its own pictures are in the library already.
  private var isFromOutside: Bool {
    guard let drop = gtk_drop_target_get_current_drop(target.opaque) else { return false }
    return gdk_drop_get_drag(drop) == nil
  }
}
