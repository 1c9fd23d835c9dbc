// Files that a change has renamed aside, where there are no hard links.

import Foundation

/// The files that dead processes have renamed aside and not back: what a person made, or what has replaced it since.
struct AsideFiles {
  let disk: Disk

  /// Removes a file that was renamed aside if another one has its name by now, or else gives it that name back. No
  /// journal needs it anymore.
  ///
  /// - Returns: Its path with its own name; `nil` when it was removed.
  func settle(_ name: String, in parent: String) throws(PhotoLibraryError) -> String? {
    guard let own = LibraryFolder.aside(name)?.name else { return nil }
    let aside = "\(parent)/\(name)"
    for candidate in try possibleNames(own, of: name, in: parent) {
      guard let status = try disk.checkedStatus("\(parent)/\(candidate)"), !status.isEmptyFile else { continue }
      try disk.remove(aside)
      return nil
    }
    // An empty file is a name that was reserved, perhaps the whole one of a long name.
    let reserved = try possibleNames(own, of: name, in: parent).first
    let path = "\(parent)/\(reserved ?? own)"
    if try !disk.renameNew(aside, to: path) {
      guard try disk.checkedStatus(path)?.isEmptyFile == true else { throw .changedMeanwhile(path: path) }
      try disk.replace(path, with: aside)
    }
    try disk.synchronizeFolder(parent)
    return path
  }

  /// The names in a folder that the file may have had.
  private func possibleNames(
    _ own: String, of aside: String, in parent: String
  ) throws(PhotoLibraryError) -> [String] {
    let names = try disk.contents(of: parent)
    // Only a long name has lost something.
    guard aside.utf8.count > FileName.longest - 8 else { return names.filter { $0.utf8.elementsEqual(own.utf8) } }
    let (stem, ending) = LibraryFolder.parts(ofName: own)
    return names.filter { $0.hasPrefix(stem) && $0.hasSuffix(ending) }.sorted()
  }
}
