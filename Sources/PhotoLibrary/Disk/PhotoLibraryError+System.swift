// The errors of the library by the errors of the system.

import Foundation

extension PhotoLibraryError {
  /// From the `errno` of a file operation.
  static func system(_ step: Disk.Step, _ path: String, code: Int32) -> PhotoLibraryError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: Disk.parent(of: path))
    case EROFS, EACCES, EPERM: .readOnly(path: Disk.parent(of: path))
    case ECANCELED: .cancelled
    case ENOENT: .fileMissing(path: path)
    case ENOTDIR: .folderUnavailable(path: Disk.parent(of: path), reason: .notFolder)
    case ELOOP: .folderUnavailable(path: Disk.parent(of: path), reason: .symbolicLink)
    default: .inputOutput(operation: step.operation, path: path, reason: String(cString: strerror(code)))
    }
  }

  /// From the `errno` of creating a folder.
  static func folder(_ path: String, code: Int32) -> PhotoLibraryError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: Disk.parent(of: path))
    case EROFS, EACCES, EPERM: .readOnly(path: Disk.parent(of: path))
    case ENOTDIR, EEXIST: .folderUnavailable(path: path, reason: .notFolder)
    default: .folderUnavailable(path: path, reason: .system(String(cString: strerror(code))))
    }
  }
}

extension Disk.Step {
  /// The same for the user.
  var operation: FileOperation {
    switch self {
    case .makeFolder: .createFolder
    case .create: .create
    case .write: .write
    case .synchronize: .synchronize
    case .rename: .rename
    case .remove: .remove
    case .attributes: .attributes
    case .read: .read
    case .watch: .watch
    }
  }
}
