// Loading of `.ui` files.

import CGtk
import CameraCore
import Localization

/// A broken installation: PhotoMe's own files are missing or damaged.
enum InstallationError: Error, CustomStringConvertible {
  case dataFolderMissing(searched: [String])
  case unreadable(path: String, reason: String)

  var description: String {
    switch self {
    case .dataFolderMissing(let searched):
      localized(
        "PhotoMe’s files weren’t found in \(searched.localizedChoices). Reinstall PhotoMe, or set PHOTOME_DATADIR.")
    case .unreadable(let path, let reason):
      localized("PhotoMe’s file “\(path)” can’t be read: \(reason.asClause). Reinstall PhotoMe.")
    }
  }
}

/// The objects of one `.ui` file.
@MainActor struct Interface {
  private let builder: GObjectRef
  private let path: String

  /// Builds the objects that the file describes.
  ///
  /// - Throws: `InstallationError` when the file can't be read or is malformed.
  init(_ path: String) throws(InstallationError) {
    builder = GObjectRef(adopting: gtk_builder_new())
    self.path = path
    var error: UnsafeMutablePointer<GError>?
    guard gtk_builder_add_from_file(builder.opaque, path, &error) != 0 else {
      defer { g_clear_error(&error) }
      throw .unreadable(
        path: path, reason: error.map { String(cString: $0.pointee.message) } ?? localized("unknown error"))
    }
    nameButtons()
  }

  /// Also the buttons that aren't in any window yet.
  private func nameButtons() {
    let objects = gtk_builder_get_objects(builder.opaque)
    defer { g_slist_free(objects) }
    var next = objects
    while let entry = next {
      if let object = entry.pointee.data?.assumingMemoryBound(to: GTypeInstance.self),
        [gtk_button_get_type(), gtk_menu_button_get_type()].contains(where: {
          g_type_check_instance_is_a(object, $0) != 0
        })
      {
        WidgetSearch.nameButtonsByLabels(in: UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWidget.self))
      }
      next = entry.pointee.next
    }
  }

  /// The object with an ID. The file must have it: a wrong ID is a programming error.
  subscript(id: String) -> GObjectRef {
    guard let object = gtk_builder_get_object(builder.opaque, id) else {
      preconditionFailure("\(path) has no object “\(id)”")
    }
    return GObjectRef(retaining: object)
  }

  /// The object with an ID that may not be there.
  func object(_ id: String) -> GObjectRef? {
    gtk_builder_get_object(builder.opaque, id).map { GObjectRef(retaining: $0) }
  }
}
