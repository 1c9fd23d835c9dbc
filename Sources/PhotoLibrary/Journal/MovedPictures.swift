// The pictures of an interrupted change that somebody has renamed or moved since.

import Foundation

/// Finds the pictures of a journal that aren't where it says. The library and the trash are listed once, when the first
/// one is looked for.
final class MovedPictures {
  private let runner: JournalRunner
  /// Of the process that was interrupted.
  private let token: String?
  /// In bytes: of all files that the journal knows by their marks.
  private let sizes: Set<UInt64>
  private var pictures: MarkedFiles?
  private var asides: [PathBytes: MarkedFiles] = [:]

  private var disk: Disk { runner.disk }
  private var folder: LibraryFolder { runner.folder }

  /// - Parameter path: Of the journal.
  init(of journal: Journal, at path: String, _ runner: JournalRunner) {
    self.runner = runner
    token = Journal.parts(of: Disk.name(of: path))?.token
    sizes = Set(journal.steps.compactMap { $0.mark?.size } + (journal.files ?? [:]).values.map(\.size))
  }

  /// The absolute path of a picture in the library or in the trash.
  ///
  /// - Parameter isItself: Whether a copy of it doesn't count.
  func path(of mark: FileMark, isItself: Bool = false) throws(PhotoLibraryError) -> String? {
    // Not all file systems keep a file's number when it is renamed.
    try listed().path(of: mark, isItself: isItself)
  }

  /// The same for a picture that the change hasn't put aside itself.
  ///
  /// - Parameter places: Absolute: the names that it had in the change.
  func path(
    of mark: FileMark, from places: [String], isItself: Bool = false
  ) throws(PhotoLibraryError) -> String? {
    guard let place = places.first, !runner.isHidden(place), FileFacts.Kind(name: Disk.name(of: place)) != nil,
      try !isAside(mark, from: places)
    else { return nil }
    return try path(of: mark, isItself: isItself)
  }

  /// Whether the interrupted process has given a file a hidden name, to replace or remove it. Where that is a second name,
  /// somebody may have given the first one away since.
  func isAside(_ mark: FileMark, from places: [String]) throws(PhotoLibraryError) -> Bool {
    guard let token else { return false }
    for parent in places.map(Disk.parent) + ["\(folder.incoming)/\(token)"] {
      if try hiddenFiles(in: parent, of: token).path(of: mark, where: { $0.links < 2 }) != nil { return true }
    }
    return false
  }

  private func hiddenFiles(in parent: String, of token: String) throws(PhotoLibraryError) -> MarkedFiles {
    if let known = asides[PathBytes(parent)] { return known }
    let found = MarkedFiles(disk: disk)
    for name in try disk.contents(of: parent)
    where LibraryFolder.token(temporaryName: name) == token || LibraryFolder.aside(name)?.token == token {
      let path = "\(parent)/\(name)"
      if let status = disk.status(path), sizes.contains(status.size) { found.add(path, status) }
    }
    asides[PathBytes(parent)] = found
    return found
  }

  private func listed() throws(PhotoLibraryError) -> MarkedFiles {
    if let pictures { return pictures }
    let found = MarkedFiles(disk: disk)
    let trashes = runner.trash.folders(for: folder.path).map { $0.folder + "/files" }
    for parent in try runner.visibleFolders() + trashes {
      for name in try disk.contents(of: parent).sorted() where FileFacts.Kind(name: name) != nil {
        let path = "\(parent)/\(name)"
        if let status = try disk.checkedStatus(path), sizes.contains(status.size) { found.add(path, status) }
      }
    }
    pictures = found
    return found
  }
}
