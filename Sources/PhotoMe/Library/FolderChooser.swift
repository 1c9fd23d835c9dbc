// The desktop's dialogs for choosing files and folders.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

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
    if !folders, let filter = gtk_file_filter_new() {
      gtk_file_filter_set_name(filter, localized("Photos and Videos"))
      let kinds = PhotoFormat.allCases.map(\.mimeType) + ["image/heif", "video/mp4", "video/quicktime"]
      for kind in kinds { gtk_file_filter_add_mime_type(filter, kind) }
      gtk_file_chooser_add_filter(dialog.opaque, filter)
      g_object_unref(UnsafeMutableRawPointer(filter))
    }
    show(dialog) { chosen(Self.files(of: dialog)) }
  }

  /// Asks for a folder.
  func askFolder(_ title: String, accept: String, _ chosen: @escaping (URL) -> Void) {
    let dialog = dialog(title, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, accept: accept)
    show(dialog) { Self.files(of: dialog).first.map(chosen) }
  }

  /// Asks for the export's folder, format, size, what to leave out, and whether all pictures of a burst are exported or the
  /// key photo alone.
  func askExport(_ chosen: @escaping (URL, ExportForm, ExportOptions, _ wholeBursts: Bool) -> Void) {
    let dialog = dialog(localized("Export"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, accept: localized("_Export"))
    addChoice("form", localized("Format"), ExportChoice.all.map { ($0.id, $0.title) }, to: dialog)
    addChoice("size", localized("Size"), ExportChoice.sizes.map { ($0.id, $0.title) }, to: dialog)
    for (id, title) in Self.exportChecks {
      // A choice without options is a check box.
      gtk_file_chooser_add_choice(dialog.opaque, id, title, nil, nil)
      gtk_file_chooser_set_choice(dialog.opaque, id, "false")
    }
    show(dialog) {
      func answer(_ id: String) -> String? {
        gtk_file_chooser_get_choice(dialog.opaque, id).map { String(cString: $0) }
      }
      guard let folder = Self.files(of: dialog).first else { return }
      let choice = ExportChoice.of(answer("form"))
      let options = choice.options(
        size: answer("size"), dropsLocation: answer("drop-location") == "true",
        dropsSound: answer("drop-sound") == "true")
      chosen(folder, choice.form, options, answer("whole-bursts") == "true")
    }
  }

  private static var exportChecks: [(id: String, title: String)] {
    [
      ("drop-location", localized("Remove location")), ("drop-sound", localized("Remove sound")),
      ("whole-bursts", localized("Include all photos in bursts")),
    ]
  }

  /// Adds a choice whose first option is the default.
  private func addChoice(_ id: String, _ title: String, _ options: [(id: String, title: String)], to dialog: GObjectRef)
  {
    withCStrings(options.map(\.id)) { ids in
      withCStrings(options.map(\.title)) { titles in
        gtk_file_chooser_add_choice(dialog.opaque, id, title, ids, titles)
      }
    }
    if let first = options.first { gtk_file_chooser_set_choice(dialog.opaque, id, first.id) }
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
