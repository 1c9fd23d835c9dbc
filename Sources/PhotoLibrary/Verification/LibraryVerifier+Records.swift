// Verifying records, originals, albums, file names, and leftovers of earlier runs.

import Foundation
import Localization

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
      let (all, shown) = (record.albums.count, copy.albums.count)
      let note = localized(
        "“\(path)” names \(all) album, of which only \(shown) are shown. The other \(all - shown) stay in the file.",
        plural:
          "“\(path)” names \(all) albums, of which only \(shown) are shown. The other \(all - shown) stay in the file.",
        count: all)
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
          kind: .indexDisagrees, path: path, assetID: id, reason: Self.disagreement(path),
          advice: Advice.rebuild))
    }
    if let edit = record.edit, disk.status("\(folder.originals)/\(edit.original)") == nil {
      let path = "\(folder.originals)/\(edit.original)"
      problems.append(
        Problem(
          kind: .originalMissing, path: path, assetID: id,
          reason: localized("“\(path)”, the original of an edited item, is missing."),
          advice: Advice.original))
    }
    if let edit = record.edit { problems += checkBackdrop(of: id, edit) }
    return problems
  }

  private func unreadableRecord(_ path: String, _ id: Asset.ID?, _ error: PhotoLibraryError) -> Problem {
    Problem(
      kind: .recordUnreadable, path: path, assetID: id, reason: Self.unreadable(path, error),
      advice: localized(
        """
        Restore it from a backup. Without it, the favorite, albums, and edits of its item are unknown, \
        and the item is treated as hidden because it may have been.
        """))
  }

  // MARK: Originals

  /// - Returns: `false` when it was canceled.
  func checkOriginals(_ names: [String]) throws(PhotoLibraryError) -> Bool {
    try check(all: names, { found.originals += 1 }) { name throws(PhotoLibraryError) in try check(original: name) }
  }

  /// Checks the files of a hidden folder, of which the index knows nothing.
  ///
  /// - Parameters:
  ///   - count: Called for each file.
  ///   - check: The problems of the file of a name; `nil` when it was canceled.
  /// - Returns: `false` when it was canceled.
  func check(
    all names: [String], _ count: () -> Void = {}, _ check: (String) throws(PhotoLibraryError) -> [Problem]?
  ) throws(PhotoLibraryError) -> Bool {
    for name in names {
      let problems = try confirmed { () throws(PhotoLibraryError) in
      } _: { () throws(PhotoLibraryError) in
        try check(name)
      }
      guard let problems else { return false }
      count()
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
        kind: .originalDamaged, path: path, assetID: id, reason: reason,
        advice: localized(
          """
          This is the original of an edited item. Restore it from a backup. The edited version isn’t \
          affected.
          """))
    }
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(path, disk: disk)
      guard let facts = try FileFacts(file) else {
        return [problem(localized("“\(path)” is no longer a photo or video."))]
      }
      let relative = "\(LibraryFolder.hiddenFolder)/originals/\(name)"
      guard let reading = try read(file, facts: facts, path: relative) else { return nil }
      var problems = reading.map { problem($0.reason) }
      // An unreadable record is a problem of its own.
      if let id, let record = try? store.record(id), record.edit?.original != name {
        problems.append(
          Problem(
            kind: .originalUnused, path: path, assetID: id,
            reason: localized("“\(path)” is an original that belongs to no edited item."),
            advice: localized("Import it to keep it as an item of its own, and then delete it there.")))
      }
      return problems
    } catch {
      return [problem(Self.unreadable(path, error))]
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
        kind: .indexDisagrees, path: path, reason: Self.disagreement(path),
        advice: Advice.rebuild)
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
            kind: .folderUnreadable, path: path,
            reason: localized("The contents of “\(path)” can’t be listed (\(String(cString: strerror(errno))))."),
            advice: localized("Check its permissions and the disk.")))
        continue
      }
      for shown in FolderListing.unusableNames(names, in: path, takesFolders: name.isEmpty, disk: disk) {
        let path = "\(path)/\(shown)"
        found.problems.append(
          Problem(
            kind: .nameIsNoText, path: path, reason: localized("The name of “\(path)” isn’t valid UTF-8 text."),
            advice: localized("Rename it to see it here.")))
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
          kind: .indexDisagrees, path: folder.absolute(relative),
          reason: localized("“\(folder.absolute(relative))” isn’t in the index."),
          advice: Advice.rebuild))
    }
  }

  private func check(unusable relative: String) throws(PhotoLibraryError) -> [Problem] {
    let path = folder.absolute(relative)
    guard let status = disk.status(path), status.kind == .file else { return [] }
    var reason =
      status.size == 0 ? localized("“\(path)” is empty.") : localized("“\(path)” isn’t a photo or video.")
    var kind = Problem.Kind.noPicture
    var isPicture = false
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(path, disk: disk)
      // It is checked with its picture.
      if try FileFacts.isRawOfShot(file) { return [] }
      isPicture = try FileFacts(file) != nil
    } catch {
      (kind, reason) = (.unreadable, Self.unreadable(path, error))
    }
    if isPicture {
      // If it has the state that the index knows, a read has failed; otherwise another program has just completed it.
      let known = try index.knownStates(paths: [relative])[PathBytes(relative)]
      try index.forget(unusable: relative)
      try library.reconciler.reindex([relative])
      if known == FileState(status) {
        found.notes.append(localized("“\(path)” couldn’t be read before, but can be now, and is shown again."))
      }
      return []
    }
    return [
      Problem(
        kind: kind, path: path, reason: reason,
        advice: kind == .unreadable
          ? Advice.unreadable : localized("Copy it again from where it came from, or delete it."))
    ]
  }

  // MARK: Leftovers

  private func leftovers(_ names: [String], in path: String) -> [Problem] {
    names.compactMap { name in
      guard let token = LibraryFolder.token(temporaryName: name) ?? LibraryFolder.aside(name)?.token,
        !LibrarySession.isAlive(folder, token, disk: disk),
        disk.status("\(path)/\(name)") != nil
      else { return nil }
      let path = "\(path)/\(name)"
      return Problem(
        kind: .leftover, path: path,
        reason: localized("“\(path)” is incomplete and couldn’t be removed."),
        advice: localized("Make its folder writable. It will be removed the next time PhotoMe starts."))
    }
  }

  func checkHidden() {
    let folders = [
      folder.hidden, folder.incoming, folder.records, folder.albums, folder.originals, folder.mattes, folder.backdrops,
      folder.journals, folder.waiting, folder.pending, folder.kept, folder.disks,
    ]
    for path in folders {
      guard let status = disk.status(path), status.kind != .folder else { continue }
      found.problems.append(
        Problem(
          kind: .folderUnreadable, path: path,
          reason: localized("“\(path)” isn’t a folder, so its contents can’t be seen."),
          advice: status.kind == .file
            ? localized("Move this file somewhere else, and restore the folder that was there.")
            : localized("Restore the folder that was there. PhotoMe doesn’t follow links there.")))
    }
    if LibraryMark.isUnreadable(folder, disk: disk) {
      found.problems.append(
        Problem(
          kind: .recordUnreadable, path: LibraryMark.path(folder),
          reason: localized("“\(LibraryMark.path(folder))”, which identifies this library, can’t be read."),
          advice: localized("Restore it from a backup, or delete it to have PhotoMe create a new one.")))
    }
    for name in disk.names(in: folder.journals) ?? [] {
      guard let token = Journal.parts(of: name)?.token, !LibrarySession.isAlive(folder, token, disk: disk) else {
        continue
      }
      let path = "\(folder.journals)/\(name)"
      found.problems.append(
        Problem(
          kind: .journal, path: path,
          reason: localized("“\(path)” describes a change that couldn’t be finished."),
          advice: localized(
            """
            Free up some space and make the folder writable. PhotoMe will finish the change the next \
            time it starts.
            """)))
    }
    for name in disk.names(in: folder.waiting) ?? [] where Journal.parts(of: name) != nil {
      let path = "\(folder.waiting)/\(name)"
      found.problems.append(
        Problem(
          kind: .journal, path: path,
          reason: localized("“\(path)” describes a change that hasn’t been finished yet."),
          advice: localized(
            """
            Mount the library’s disks and restart PhotoMe, or remove the file to discard the change.
            """)))
    }
    for name in disk.names(in: folder.incoming) ?? [] where LibraryFolder.isToken(name) {
      guard !LibrarySession.isAlive(folder, name, disk: disk) else { continue }
      for file in disk.names(in: "\(folder.incoming)/\(name)") ?? [] {
        let path = "\(folder.incoming)/\(name)/\(file)"
        found.problems.append(
          Problem(
            kind: .leftover, path: path,
            reason: localized("“\(path)” is left over from when PhotoMe quit unexpectedly."),
            advice: localized("If it’s a photo or video, import it. Then delete it.")))
      }
    }
  }
}
