// The pictures of a library in the desktop's trash, whoever put them there.

import Foundation

/// The part of the trash that came from one library.
struct TrashContents {
  /// With the pictures' own ids, the latest first.
  private(set) var assets: [TrashedAsset] = []
  /// Their files, in the same order; the paths are the original ones.
  private(set) var files: [IndexedFile] = []
  /// All ids that they may have as assets; `nil` when something can't be read.
  private(set) var ids: Set<Asset.ID>? = []
  /// Whether all folders can be listed.
  private(set) var isListed = true
  /// The pictures that can't be read.
  private(set) var unread: [Unread] = []

  /// A file that may be of any picture.
  struct Unread: Sendable {
    /// Absolute, in the trash.
    var path: String
    /// The original path, relative to the library's folder.
    var origin: String
  }

  private let folder: LibraryFolder
  private let disk: Disk

  /// The absolute path of a file of the library.
  func absolute(_ relative: String) -> String { folder.absolute(relative) }

  /// Reads the trash folders in which files of the library can lie.
  init(of folder: LibraryFolder, in trash: DesktopTrash, disk: Disk) {
    (self.folder, self.disk) = (folder, disk)
    for (place, _) in trash.folders(for: folder.path) {
      let info = "\(place)/info"
      if disk.status(info) != nil, disk.names(in: info) == nil { (ids, isListed) = (nil, false) }
    }
    for entry in trash.entries(below: folder.path) {
      guard let relative = folder.relative(entry.originalPath), !relative.isHiddenName else { continue }
      if entry.isFolder {
        add(folder: entry, relative)
      } else {
        add(file: entry.file, relative, info: entry.info, deleted: entry.deleted)
      }
    }
  }

  /// A folder that a file manager has put there: each of its pictures can be brought back alone.
  private mutating func add(folder entry: TrashEntry, _ relative: String) {
    var waiting = [""]
    while let name = waiting.popLast() {
      guard let names = disk.names(in: entry.file + name) else {
        (ids, isListed) = (nil, false)
        continue
      }
      for child in names.sorted(by: >) where !child.isHiddenName {
        let path = "\(entry.file)\(name)/\(child)"
        switch disk.status(path)?.kind {
        case .folder: waiting.append("\(name)/\(child)")
        case .file:
          // The trash's info file is about the folder, and stays; such a file has none of its own.
          add(file: path, "\(relative)\(name)/\(child)", info: path + DesktopTrash.infoEnding, deleted: entry.deleted)
        case .other, nil: break
        }
      }
    }
  }

  private mutating func add(file path: String, _ relative: String, info: String, deleted: Date?) {
    guard FileFacts.Kind(name: Disk.name(of: relative)) != nil else { return }
    let file = try? ReadableFile(path, disk: disk)
    if let file, (try? FileFacts.isRawOfShot(file)) == true { return }
    guard let file, let facts = try? FileFacts(file) else {
      ids = nil
      unread.append(Unread(path: path, origin: relative))
      return
    }
    ids?.formUnion(facts.possibleIDs(at: relative))
    assets.append(
      TrashedAsset(
        id: facts.contentID, url: URL(fileURLWithPath: folder.absolute(relative), isDirectory: false),
        trashedURL: URL(fileURLWithPath: path, isDirectory: false),
        info: URL(fileURLWithPath: info, isDirectory: false), deleted: deleted))
    files.append(IndexedFile(path: relative, facts: facts, status: file.status))
  }
}
