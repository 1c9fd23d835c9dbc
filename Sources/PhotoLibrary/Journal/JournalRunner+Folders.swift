// The folders of an interrupted change, which somebody may have renamed since.

import Foundation

extension JournalRunner {
  /// The absolute paths of the library's folder and of the visible folders in it.
  func visibleFolders() throws(PhotoLibraryError) -> [String] {
    let names = try disk.contents(of: folder.path).filter { !$0.isHiddenName }.sorted()
    return names.map(folder.absolute).filter { disk.status($0)?.kind == .folder } + [folder.path]
  }

  /// A journal with the present names of its folders, where somebody has renamed a month in the middle of a change: its
  /// hidden files have names that are nowhere else.
  func followed(_ journal: Journal) throws(PhotoLibraryError) -> Journal {
    var lost: [String: PathBytes] = [:]
    for step in journal.steps {
      guard let temporary = step.temporary, !temporary.isAbsolutePath, !temporary.isHiddenName,
        case let parent = Disk.folder(of: temporary), !parent.isEmpty,
        LibraryFolder.token(temporaryName: Disk.name(of: temporary)) != nil,
        try disk.checkedStatus(absolute(temporary)) == nil,
        case let path = absolute(step.paths.last ?? parent), try disk.checkedStatus(path) == nil
      else { continue }
      lost[Disk.name(of: temporary)] = PathBytes(parent)
    }
    guard !lost.isEmpty else { return journal }
    var names: [PathBytes: String] = [:]
    for parent in try visibleFolders() {
      for name in try disk.contents(of: parent) {
        if name.isHiddenName, let old = lost[name], let new = folder.relative(parent) { names[old] = new }
      }
    }
    guard !names.isEmpty else { return journal }
    func present(_ path: String) -> String {
      names[PathBytes(Disk.folder(of: path))].map { "\($0)/\(Disk.name(of: path))" } ?? path
    }
    var followed = journal
    followed.steps = journal.steps.map { step in
      step.renamed(present, folder: { names[PathBytes($0)] ?? $0 })
    }
    followed.disks = journal.disks?.map { names[PathBytes($0)] ?? $0 }
    followed.files = journal.files.map { files in
      Dictionary(files.map { (present($0.key), $0.value) }) { first, _ in first }
    }
    return followed
  }
}
