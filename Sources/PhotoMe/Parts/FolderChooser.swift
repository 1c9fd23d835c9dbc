// The desktop's dialogs for choosing files and folders.

import CGtk
import CameraCore
import Foundation
import GtkShim
import Localization

/// Opens the dialogs, one at a time: a new one replaces the old.
@MainActor final class FolderChooser {
  private let window: GObjectRef
  private var open: GObjectRef?

  /// - Parameter window: The `GtkWindow` over which the dialogs open.
  init(window: GObjectRef) { self.window = window }

  /// Asks for files, or folders of files, to import.
  func askImport(folders: Bool, _ chosen: @escaping ([URL]) -> Void) {
    let dialog = dialog(
      folders ? localized("Import Folder") : localized("Import Files"),
      folders ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN, accept: localized("_Import"))
    gtk_file_chooser_set_select_multiple(dialog.opaque, true.gboolean)
    if !folders { Self.showPictures(dialog) }
    show(dialog) { chosen(Self.files(of: dialog)) }
  }

  /// Asks for a photo or video.
  func askPicture(_ title: String, accept: String, _ chosen: @escaping (URL) -> Void) {
    let dialog = dialog(title, GTK_FILE_CHOOSER_ACTION_OPEN, accept: accept)
    Self.showPictures(dialog)
    show(dialog) { Self.files(of: dialog).first.map(chosen) }
  }

  /// Shows photos and videos only.
  private static func showPictures(_ dialog: GObjectRef) {
    guard let filter = gtk_file_filter_new() else { return }
    gtk_file_filter_set_name(filter, localized("Photos and Videos"))
    let kinds = PhotoFormat.allCases.map(\.mimeType) + ["image/heif"] + MovieFormat.allCases.map(\.mimeType)
    for kind in kinds { gtk_file_filter_add_mime_type(filter, kind) }
    gtk_file_chooser_add_filter(dialog.opaque, filter)
    g_object_unref(UnsafeMutableRawPointer(filter))
  }

  /// Asks for a folder.
  ///
  /// - Parameter start: The folder that is shown first; `nil` for the toolkit's choice.
  func askFolder(
    _ title: String, accept: String, beginningAt start: URL? = nil, _ chosen: @escaping (URL) -> Void
  ) {
    let dialog = dialog(title, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, accept: accept)
    if let start, let file = g_file_new_for_path(start.path) {
      // One that is gone is left alone: the dialog then begins elsewhere.
      gtk_file_chooser_set_current_folder(dialog.opaque, file, nil)
      g_object_unref(UnsafeMutableRawPointer(file))
    }
    show(dialog) { Self.files(of: dialog).first.map(chosen) }
  }

  /// Asks for a file of a kind.
  ///
  /// - Parameters:
  ///   - kind: The title of the kind.
  ///   - suffix: The ending of the files' names, without the dot, where the kind isn't known to the desktop.
  func askFile(
    _ title: String, kind: String, mimeType: String, suffix: String, accept: String, _ chosen: @escaping (URL) -> Void
  ) {
    let dialog = dialog(title, GTK_FILE_CHOOSER_ACTION_OPEN, accept: accept)
    if let filter = gtk_file_filter_new() {
      gtk_file_filter_set_name(filter, kind)
      gtk_file_filter_add_mime_type(filter, mimeType)
      gtk_file_filter_add_suffix(filter, suffix)
      gtk_file_chooser_add_filter(dialog.opaque, filter)
      g_object_unref(UnsafeMutableRawPointer(filter))
    }
    show(dialog) { Self.files(of: dialog).first.map(chosen) }
  }

  /// Asks where a new file is to be; the dialog asks before one is replaced.
  func askNewFile(_ title: String, name: String, accept: String, _ chosen: @escaping (URL) -> Void) {
    let dialog = dialog(title, GTK_FILE_CHOOSER_ACTION_SAVE, accept: accept)
    gtk_file_chooser_set_current_name(dialog.opaque, name)
    show(dialog) { Self.files(of: dialog).first.map(chosen) }
  }

  private func dialog(_ title: String, _ action: GtkFileChooserAction, accept: String) -> GObjectRef {
    GObjectRef(
      adopting: gtk_file_chooser_native_new(title, window.of(GtkWindow.self), action, accept, localized("_Cancel")))
  }

  private func show(_ dialog: GObjectRef, _ accepted: @escaping () -> Void) {
    gtk_native_dialog_set_modal(dialog.of(GtkNativeDialog.self), true.gboolean)
    dialog.onNumber("response") { [weak self] response in
      let isAccepted = Int32(truncatingIfNeeded: response) == GTK_RESPONSE_ACCEPT.rawValue
      if isAccepted { accepted() }
      self?.open = nil
    }
    open = dialog
    gtk_native_dialog_show(dialog.of(GtkNativeDialog.self))
  }

  private static func files(of dialog: GObjectRef) -> [URL] {
    guard let list = gtk_file_chooser_get_files(dialog.opaque) else { return [] }
    defer { g_object_unref(UnsafeMutableRawPointer(list)) }
    return (0..<g_list_model_get_n_items(list)).compactMap { position in
      guard let file = g_list_model_get_item(list, position) else { return nil }
      defer { g_object_unref(file) }
      guard let path = g_file_get_path(OpaquePointer(file)) else { return nil }
      return URL(fileURLWithPath: takeString(path))
    }
  }
}
