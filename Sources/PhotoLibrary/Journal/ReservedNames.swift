// Names that an interrupted rename had reserved.

import Foundation

/// The empty files with which a rename reserves its name on a file system that can't rename without replacing.
struct ReservedNames {
  let disk: Disk

  /// Removes the one that was made for a temporary file: the name that this was to have, or a numbered one. Call it
  /// before the temporary file is removed, which is all that tells of it.
  ///
  /// - Parameters:
  ///   - temporary: The name of the temporary file.
  ///   - names: All names in the folder.
  /// - Throws: The error of the disk.
  func release(for temporary: String, among names: [String], in path: String) throws(PhotoLibraryError) {
    // Without the dot before it, and its token and number.
    let name = LibraryFolder.name(temporaryName: temporary)
    let stem = name.parts(between: ".")[0]
    guard !stem.isEmpty else { return }
    for reserved in names where reserved.begins(with: stem) {
      let number = Substring(reserved.parts(between: ".")[0].utf8.dropFirst(stem.utf8.count))
      // An empty file of another kind is a person's.
      guard number.isEmpty || number.first == "_" && Int(number.dropFirst()) != nil,
        FileFacts.Kind(name: reserved) != nil || reserved.ends(with: ".json"),
        disk.status("\(path)/\(reserved)")?.isEmptyFile == true
      else { continue }
      try remove(reserved, in: path)
    }
  }

  /// Removes an empty file, unless another program's picture gets its name just now.
  private func remove(_ name: String, in path: String) throws(PhotoLibraryError) {
    let aside = "\(path)/\(LibraryFolder.asideName(for: name, token: LibraryFolder.makeToken(), number: 1))"
    guard try disk.renameNew("\(path)/\(name)", to: aside) else { return }
    if try disk.checkedStatus(aside)?.isEmptyFile == true {
      try disk.remove(aside)
    } else {
      _ = try AsideFiles(disk: disk).settle(Disk.name(of: aside), in: path)
    }
  }
}
