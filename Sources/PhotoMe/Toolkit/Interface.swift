// Loading of `.ui` files.

import CGtk

/// A broken installation: PhotoMe's own files are missing or damaged.
enum InstallationError: Error, CustomStringConvertible {
  case dataFolderMissing(searched: [String])
  case unreadable(path: String, reason: String)

  var description: String {
    switch self {
    case .dataFolderMissing(let searched):
      "PhotoMe’s own files were not found in \(searched.joined(separator: ", ")). Install PhotoMe again, or set PHOTOME_DATADIR."
    case .unreadable(let path, let reason):
      "PhotoMe’s own file \(path) can’t be read: \(reason). Install PhotoMe again."
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
      throw .unreadable(path: path, reason: error.map { String(cString: $0.pointee.message) } ?? "unknown")
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
