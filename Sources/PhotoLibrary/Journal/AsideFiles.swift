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
    var reserved: String?
    for candidate in try possibleNames(own, of: name, in: parent) {
      let path = "\(parent)/\(candidate)"
      guard let status = try disk.checkedStatus(path) else { continue }
      if status.isEmptyFile {
        // A name that was reserved, perhaps the whole one of a long name.
        reserved = reserved ?? candidate
      } else {
        // What is left of a long name may be another picture's.
        if Self.isCut(name), try !hasSameContent(path, aside) { continue }
        try disk.remove(aside)
        return nil
      }
    }
    var path = "\(parent)/\(reserved ?? own)"
    if try !disk.renameNew(aside, to: path) {
      if try disk.checkedStatus(path)?.isEmptyFile == true {
        try disk.replace(path, with: aside)
      } else {
        // Another picture has the name that is left of a long one.
        path = try freePath(for: own, in: parent, aside)
      }
    }
    try disk.synchronizeFolder(parent)
    return path
  }

  /// Whether a file that was renamed aside has lost something of its name.
  private static func isCut(_ aside: String) -> Bool { aside.utf8.count > FileName.longest - 8 }

  /// Whether two files are versions of one picture. A file that isn't a picture is no version of another one.
  private func hasSameContent(_ path: String, _ other: String) throws(PhotoLibraryError) -> Bool {
    guard let one = try FileFacts(ReadableFile(path, disk: disk)),
      let two = try FileFacts(ReadableFile(other, disk: disk))
    else { return false }
    return one.contentID == two.contentID
  }

  /// Renames a file to the first free name of its own.
  private func freePath(
    for own: String, in parent: String, _ aside: String
  ) throws(PhotoLibraryError) -> String {
    let (stem, ending) = LibraryFolder.keptParts(ofName: own)
    var attempt = 1
    while true {
      let path = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
      if try disk.renameNew(aside, to: path) { return path }
      attempt += 1
    }
  }

  /// The names in a folder that the file may have had.
  private func possibleNames(
    _ own: String, of aside: String, in parent: String
  ) throws(PhotoLibraryError) -> [String] {
    let names = try disk.contents(of: parent)
    // Only a long name has lost something.
    guard Self.isCut(aside) else { return names.filter { $0.utf8.elementsEqual(own.utf8) } }
    let (stem, ending) = FileName.split(own)
    return names.filter { $0.begins(with: stem) && $0.ends(with: ending) }.sorted()
  }
}
