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
  private var pictures: [UInt64: [String]]?
  private var asides: [PathBytes: [UInt64: [String]]] = [:]
  /// What was looked for, with what was found: very many steps may name one file.
  private var answers: [Question: String?] = [:]

  private struct Question: Hashable {
    var mark: FileMark
    var isItself = false
    /// Of files that were put aside.
    var parent: PathBytes?
  }

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
    let paths = try listed()[mark.size] ?? []
    return try answer(Question(mark: mark, isItself: isItself)) { () throws(PhotoLibraryError) in
      var copy: String?
      for path in paths where try mark.isCertainMark(of: path, disk: disk) {
        if disk.status(path)?.number == mark.number { return path }
        copy = copy ?? path
      }
      // Not all file systems keep a file's number when it is renamed.
      return isItself ? nil : copy
    }
  }

  /// The known answer to a question. One that has been true is looked at again, as the file may be elsewhere by now.
  private func answer(
    _ question: Question, _ find: () throws(PhotoLibraryError) -> String?
  ) throws(PhotoLibraryError) -> String? {
    if let known = answers[question] {
      guard let known else { return nil }
      if try question.mark.isCertainMark(of: known, disk: disk) { return known }
    }
    let found = try find()
    answers[question] = .some(found)
    return found
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
      let paths = try hiddenFiles(in: parent, of: token)[mark.size] ?? []
      let aside = try answer(Question(mark: mark, parent: PathBytes(parent))) { () throws(PhotoLibraryError) in
        for path in paths where (disk.status(path)?.links ?? 0) < 2 {
          if try mark.isCertainMark(of: path, disk: disk) { return path }
        }
        return nil
      }
      if aside != nil { return true }
    }
    return false
  }

  private func hiddenFiles(in parent: String, of token: String) throws(PhotoLibraryError) -> [UInt64: [String]] {
    if let known = asides[PathBytes(parent)] { return known }
    var found: [UInt64: [String]] = [:]
    for name in try disk.contents(of: parent)
    where LibraryFolder.token(temporaryName: name) == token || LibraryFolder.aside(name)?.token == token {
      let path = "\(parent)/\(name)"
      if let size = disk.status(path)?.size, sizes.contains(size) { found[size, default: []].append(path) }
    }
    asides[PathBytes(parent)] = found
    return found
  }

  private func listed() throws(PhotoLibraryError) -> [UInt64: [String]] {
    if let pictures { return pictures }
    var found: [UInt64: [String]] = [:]
    let trashes = runner.trash.folders(for: folder.path).map { $0.folder + "/files" }
    for parent in try runner.visibleFolders() + trashes {
      for name in try disk.contents(of: parent).sorted() where FileFacts.Kind(name: name) != nil {
        let path = "\(parent)/\(name)"
        if let size = try disk.checkedStatus(path)?.size, sizes.contains(size) {
          found[size, default: []].append(path)
        }
      }
    }
    pictures = found
    return found
  }
}
