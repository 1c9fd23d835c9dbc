// Verifying records, originals, albums, file names, and leftovers of earlier runs.

import Foundation

extension LibraryVerifier {
  // MARK: Records

  /// - Returns: `false` when it was canceled.
  func checkRecords(_ names: [String]) throws(PhotoLibraryError) -> Bool {
    for name in names {
      guard let id = LibraryFolder.recordID(name) else { continue }
      let problems = try confirmed { () throws(PhotoLibraryError) in
        try library.reconciler.reindex(records: ["\(LibraryFolder.recordFolder)/\(name)"])
      } _: { () throws(PhotoLibraryError) in
        try check(record: id)
      }
      found.records += 1
      found.problems += problems ?? []
      guard step() else { return false }
    }
    return true
  }

  private func check(record id: Asset.ID) throws(PhotoLibraryError) -> [Problem] {
    let path = folder.record(id)
    let record: AssetRecord
    do throws(PhotoLibraryError) {
      guard disk.status(path) != nil else { return [] }
      record = try store.record(id)
    } catch {
      return [unreadableRecord(path, id, error)]
    }
    var problems: [Problem] = []
    let copy = LibraryIndex.RecordCopy(
      isFavorite: record.isFavorite, isHidden: record.isHidden, isEdited: record.edit != nil,
      isKeyPhoto: record.isKeyPhoto, albums: record.shownAlbums)
    if record.albums.count > copy.albums.count {
      let note =
        "“\(path)” names \(record.albums.count) albums. The picture is shown in the first \(copy.albums.count); "
        + "\(record.albums.count - copy.albums.count) albums are skipped, and stay in the file."
      if !found.notes.contains(note) { found.notes.append(note) }
    }
    let asset = try index.asset(id: id)
    let isShown =
      asset.map {
        $0.isFavorite == copy.isFavorite && $0.isHidden == copy.isHidden && $0.isEdited == copy.isEdited
          && $0.isPicked == copy.isKeyPhoto
      } ?? true
    if try index.recordCopy(id) != copy || !isShown {
      problems.append(
        Problem(
          kind: .indexDisagrees, path: path, assetID: id, reason: "is not what the index says",
          advice: "Run “photomectl library rebuild”."))
    }
    if let edit = record.edit, disk.status("\(folder.originals)/\(edit.original)") == nil {
      problems.append(
        Problem(
          kind: .originalMissing, path: "\(folder.originals)/\(edit.original)", assetID: id,
          reason: "is gone, the untouched original of an edited picture",
          advice: "Put it back from a backup; the edited picture is not concerned."))
    }
    return problems
  }

  private func unreadableRecord(_ path: String, _ id: Asset.ID?, _ error: PhotoLibraryError) -> Problem {
    Problem(
      kind: .recordUnreadable, path: path, assetID: id, reason: "can’t be read (\(error.description))",
      advice: "Put it back from a backup. Without it, its favorite, albums or edit are not known, and a picture that "
        + "may have been hidden is among the hidden ones.")
  }

  // MARK: Originals

  /// - Returns: `false` when it was canceled.
  func checkOriginals(_ names: [String]) throws(PhotoLibraryError) -> Bool {
    for name in names {
      let problems = try confirmed { () throws(PhotoLibraryError) in
      } _: { () throws(PhotoLibraryError) in
        try check(original: name)
      }
      guard let problems else { return false }
      found.originals += 1
      found.problems += problems
      take(outcome)
      guard step() else { return false }
    }
    return true
  }

  private func check(original name: String) throws(PhotoLibraryError) -> [Problem]? {
    let path = "\(folder.originals)/\(name)"
    let id = LibraryFolder.originalID(name)
    guard disk.status(path) != nil else { return [] }
    func problem(_ reason: String) -> Problem {
      Problem(
        kind: .originalDamaged, path: path, assetID: id, reason: "\(reason); it is an untouched original",
        advice: "Put it back from a backup; the edited picture is not concerned.")
    }
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(path, disk: disk)
      guard let facts = try FileFacts(file) else { return [problem("is no longer a picture")] }
      let relative = "\(LibraryFolder.hiddenFolder)/originals/\(name)"
      guard let reading = try read(file, facts: facts, path: relative) else { return nil }
      var problems = reading.map { problem($0.reason) }
      // An unreadable record is a problem of its own.
      if let id, let record = try? store.record(id), record.edit?.original != name {
        problems.append(
          Problem(
            kind: .originalUnused, path: path, assetID: id, reason: "is an original that no edit speaks of",
            advice: "Import it to keep it as a picture of its own, then delete it there."))
      }
      return problems
    } catch {
      return [problem("can’t be read (\(error.description))")]
    }
  }

  // MARK: Albums

  /// - Returns: `false` when it was canceled.
  func checkAlbums() throws(PhotoLibraryError) -> Bool {
    for name in try disk.contents(of: folder.albums).sorted() {
      guard let id = LibraryFolder.recordID(name) else { continue }
      let problems = try confirmed { () throws(PhotoLibraryError) in
        try library.reconciler.reindex(records: ["\(LibraryFolder.albumFolder)/\(name)"])
      } _: { () throws(PhotoLibraryError) in
        try check(album: id)
      }
      found.albums += 1
      found.problems += problems ?? []
      if isCancelled() { return false }
    }
    return true
  }

  private func check(album id: AssetCollection.ID) throws(PhotoLibraryError) -> [Problem] {
    let path = folder.album(id)
    do throws(PhotoLibraryError) {
      guard var album = try store.collection(id) else { return [] }
      album.others = [:]
      if try index.collectionCopy(id) == album { return [] }
    } catch {
      return [unreadableRecord(path, nil, error)]
    }
    return [
      Problem(
        kind: .indexDisagrees, path: path, reason: "is not what the index says",
        advice: "Run “photomectl library rebuild”.")
    ]
  }

  // MARK: Names

  /// Checks the entries of the folders that aren't assets, though they look like one.
  func checkFolders() throws(PhotoLibraryError) {
    for path in try index.unusablePaths() { found.problems += try check(unusable: path) }
    for name in [""] + FolderListing.folders(of: folder, disk: disk) {
      let path = folder.absolute(name)
      guard let names = disk.listing(of: path) else {
        found.problems.append(
          Problem(
            kind: .folderUnreadable, path: path, reason: "can’t be listed (\(String(cString: strerror(errno))))",
            advice: "Check its permissions and the disk."))
        continue
      }
      for shown in FolderListing.unusableNames(names, in: path, takesFolders: name.isEmpty, disk: disk) {
        found.problems.append(
          Problem(
            kind: .nameIsNoText, path: "\(path)/\(shown)", reason: "has a name that is not text in UTF-8",
            advice: "Rename it to see it here."))
      }
      try checkKnown(names.names, in: name)
      found.problems += leftovers(names.names, in: path)
    }
  }

  /// Checks that the index knows all files.
  private func checkKnown(_ names: [String], in folderName: String) throws(PhotoLibraryError) {
    let known = try index.knownStates(folder: folderName)
    for name in names where FileFacts.Kind(name: name) != nil {
      let relative = folderName.isEmpty ? name : "\(folderName)/\(name)"
      guard known[PathBytes(relative)] == nil, disk.status(folder.absolute(relative))?.kind == .file else { continue }
      // It may have been added since.
      try library.reconciler.reindex([relative])
      let now = try index.knownStates(paths: [relative])
      guard now[PathBytes(relative)] == nil, disk.status(folder.absolute(relative))?.kind == .file else { continue }
      found.problems.append(
        Problem(
          kind: .indexDisagrees, path: folder.absolute(relative), reason: "is not in the index",
          advice: "Run “photomectl library rebuild”."))
    }
  }

  private func check(unusable relative: String) throws(PhotoLibraryError) -> [Problem] {
    let path = folder.absolute(relative)
    guard let status = disk.status(path), status.kind == .file else { return [] }
    var reason = status.size == 0 ? "is empty" : "holds no picture or video"
    var kind = Problem.Kind.noPicture
    var isPicture = false
    do throws(PhotoLibraryError) { isPicture = try FileFacts(ReadableFile(path, disk: disk)) != nil } catch {
      (kind, reason) = (.unreadable, "can’t be read (\(error.description))")
    }
    if isPicture {
      // If it has the state that the index knows, a read has failed; otherwise another program has just completed it.
      let known = try index.knownStates(paths: [relative])[PathBytes(relative)]
      try index.forget(unusable: relative)
      try library.reconciler.reindex([relative])
      if known == FileState(status) {
        found.notes.append("“\(path)” is a picture that could not be read earlier, and is shown again.")
      }
      return []
    }
    return [
      Problem(
        kind: kind, path: path, reason: reason,
        advice: kind == .unreadable ? Advice.unreadable : "Copy it again from where it came from, or delete it.")
    ]
  }

  // MARK: Leftovers

  private func leftovers(_ names: [String], in path: String) -> [Problem] {
    names.compactMap { name in
      guard let token = LibraryFolder.token(temporaryName: name) ?? LibraryFolder.aside(name)?.token,
        !LibrarySession.isAlive(folder, token, disk: disk),
        disk.status("\(path)/\(name)") != nil
      else { return nil }
      return Problem(
        kind: .leftover, path: "\(path)/\(name)", reason: "is incomplete and could not be removed",
        advice: "Allow writing in its folder; it is removed at the next start.")
    }
  }

  func checkHidden() {
    let folders = [
      folder.hidden, folder.incoming, folder.records, folder.albums, folder.originals, folder.journals, folder.waiting,
      folder.pending, folder.kept, folder.disks,
    ]
    for path in folders {
      guard let status = disk.status(path), status.kind != .folder else { continue }
      found.problems.append(
        Problem(
          kind: .folderUnreadable, path: path, reason: "isn’t a folder, and what was in it isn’t seen",
          advice: status.kind == .file
            ? "Move this file to another place, and put the folder back that was there."
            : "Put the folder back that was there; PhotoMe follows no link there."))
    }
    if LibraryMark.isUnreadable(folder, disk: disk) {
      found.problems.append(
        Problem(
          kind: .recordUnreadable, path: LibraryMark.path(folder),
          reason: "can’t be understood; it tells this library from others",
          advice: "Put it back from a backup, or delete it: PhotoMe then makes a new one."))
    }
    for name in disk.names(in: folder.journals) ?? [] {
      guard let token = Journal.parts(of: name)?.token, !LibrarySession.isAlive(folder, token, disk: disk) else {
        continue
      }
      found.problems.append(
        Problem(
          kind: .journal, path: "\(folder.journals)/\(name)", reason: "tells of a change that could not be finished",
          advice: "Make room and allow writing; it is finished at the next start."))
    }
    for name in disk.names(in: folder.waiting) ?? [] where Journal.parts(of: name) != nil {
      found.problems.append(
        Problem(
          kind: .journal, path: "\(folder.waiting)/\(name)", reason: "tells of a change that waits to be finished",
          advice: "Mount the disks of the library, and start PhotoMe again; remove it to give the change up."))
    }
    for name in disk.names(in: folder.incoming) ?? [] where LibraryFolder.isToken(name) {
      guard !LibrarySession.isAlive(folder, name, disk: disk) else { continue }
      for file in disk.names(in: "\(folder.incoming)/\(name)") ?? [] {
        found.problems.append(
          Problem(
            kind: .leftover, path: "\(folder.incoming)/\(name)/\(file)", reason: "was left by an earlier run",
            advice: "If it is a picture, import it; then delete it."))
      }
    }
  }
}
