// Folders, told from files.

import Foundation

extension URL {
  /// Asks the disk, which may take its time.
  var isFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
