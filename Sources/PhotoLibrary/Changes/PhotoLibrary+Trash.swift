// What of the library lies in the desktop's Trash, and what becomes of its records when it is gone from there.

import Foundation

extension PhotoLibrary {
  /// The assets of this library that lie in the desktop's Trash now, whoever put them there, the latest first:
  /// `restore` brings them back, also after a restart.
  public func trashedAssets() async throws(PhotoLibraryError) -> [TrashedAsset] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.trashContents().assets.map { asset throws(PhotoLibraryError) in
        var asset = asset
        // While another file with the same picture is in the library, it has the picture's own id.
        if try self.index.asset(id: asset.id) != nil, let path = self.layout.relative(asset.url.path) {
          asset.id = FileFacts.digest(Data("\(asset.id)\n\(path)".utf8))
        }
        return asset
      }
    }
  }

  /// What is in the Trash.
  struct TrashContents {
    /// With the pictures' own ids.
    var assets: [TrashedAsset] = []
    /// All that they may have as assets; `nil` when something can't be read.
    var ids: Set<Asset.ID>? = []
  }

  func trashContents() -> TrashContents {
    var contents = TrashContents()
    if let above = DesktopTrash.nearestFolder(to: layout.path) {
      for (trash, _) in desktopTrash.folders(top: desktopTrash.volumes.top(of: above)) {
        let info = "\(trash)/info"
        if disk.status(info) != nil, disk.names(in: info) == nil { contents.ids = nil }
      }
    }
    for entry in desktopTrash.entries(below: layout.path) {
      guard let relative = layout.relative(entry.originalPath), !relative.hasPrefix(".") else { continue }
      if entry.isFolder {
        add(folder: entry, relative, to: &contents)
      } else {
        add(file: entry.file, relative, info: entry.info, deleted: entry.deleted, to: &contents)
      }
    }
    return contents
  }

  /// A folder that a file manager has put there: each of its pictures can be brought back alone.
  private func add(folder entry: TrashEntry, _ relative: String, to contents: inout TrashContents) {
    var waiting = [""]
    while let name = waiting.popLast() {
      guard let names = disk.names(in: entry.file + name) else {
        contents.ids = nil
        continue
      }
      for child in names.sorted(by: >) where !child.hasPrefix(".") {
        let path = "\(entry.file)\(name)/\(child)"
        switch disk.status(path)?.kind {
        case .folder: waiting.append("\(name)/\(child)")
        case .file:
          // The Trash's own note is about the folder, and stays; such a file has none.
          add(
            file: path, "\(relative)\(name)/\(child)", info: path + ".trashinfo", deleted: entry.deleted, to: &contents)
        case .other, nil: break
        }
      }
    }
  }

  private func add(
    file path: String, _ relative: String, info: String, deleted: Date?, to contents: inout TrashContents
  ) {
    guard FileFacts.Kind(name: IndexedFile.name(of: relative)) != nil else { return }
    guard let file = try? ReadableFile(path, disk: disk), let facts = try? FileFacts(file) else {
      contents.ids = nil
      return
    }
    contents.ids?.formUnion(ForgottenRecords.possibleIDs(facts.contentID, path: relative))
    contents.assets.append(
      TrashedAsset(
        id: facts.contentID, url: URL(fileURLWithPath: layout.absolute(relative), isDirectory: false),
        trashedURL: URL(fileURLWithPath: path, isDirectory: false),
        info: URL(fileURLWithPath: info, isDirectory: false), deleted: deleted))
  }

  /// Once after opening.
  func clearForgottenRecordsInBackground() {
    Task.detached(priority: .background) { [weak self] in
      do throws(PhotoLibraryError) {
        try await self?.clearForgottenRecords()
      } catch {
        // They wait for the next start.
        Self.logger.notice("\(error.description)")
      }
    }
  }

  /// Removes records and originals of assets that are neither in the library nor in the Trash any more.
  @discardableResult
  func clearForgottenRecords() async throws(PhotoLibraryError) -> ForgottenRecords.Count {
    let forgotten = ForgottenRecords(library: self)
    // Mostly there is nothing to be done, which costs two listings.
    let before = try await Blocking.run { () throws(PhotoLibraryError) -> Set<Asset.ID>?? in
      try forgotten.withoutAsset().isEmpty ? .none : .some(forgotten.idsInTrash())
    }
    guard let before else { return ForgottenRecords.Count() }
    try await refresh()
    return try await Blocking.run { () throws(PhotoLibraryError) in try forgotten.clear(inTrashBefore: before) }
  }
}
