// The files that a change is about to take away: checked to be the ones that are meant, and kept where they are not the
// library's own.

import CameraCore
import Foundation
import Localization

extension ChangeTransaction {
  // MARK: Current files

  /// The file of an asset, if it still holds the picture that the index knows: on a share, or just now, another program
  /// may have given its name to another one.
  ///
  /// - Parameters:
  ///   - acceptsDamage: Whether it may be no picture anymore.
  ///   - follows: Whether a picture that has just been changed will do, if the index then has it as the same asset.
  ///   - isReplaced: Whether its contents will be gone, and so all of them are looked at.
  /// - Throws: `changesFailed` when it holds another picture, which the index then knows, or the error of the disk.
  mutating func current(
    _ asset: Asset, acceptsDamage: Bool = false, follows: Bool = false, isReplaced: Bool = true
  ) throws(PhotoLibraryError) -> ReadableFile {
    let file = try ReadableFile(asset.url.path, disk: disk)
    let path = relative(asset.url.path)
    let facts = try FileFacts(file)
    if try !isPicture(facts, of: asset.id, at: path, acceptsDamage: acceptsDamage) {
      try library.reconciler.reindex([path])
      let isFollowed = follows ? try isPicture(facts, of: asset.id, at: path, acceptsDamage: acceptsDamage) : false
      guard isFollowed else {
        throw .changesFailed(
          reason: localized("“\(asset.url.path)” contains a different picture now; check it and try again"))
      }
    }
    looked[asset.id] = try FileMark(file, readsAll: isReplaced)
    return file
  }

  private func isPicture(
    _ facts: FileFacts?, of id: Asset.ID, at path: String, acceptsDamage: Bool
  ) throws(PhotoLibraryError) -> Bool {
    guard let row = try library.index.file(path: path), row.id == id else { return false }
    guard let facts else { return acceptsDamage }
    return facts.holds(row.contentID)
  }

  /// The marks of an asset's file, to move or remove it; an unreadable one is known by what the index has of it.
  ///
  /// - Throws: As `current`.
  mutating func mark(_ asset: Asset) throws(PhotoLibraryError) -> FileMark {
    do throws(PhotoLibraryError) { return try FileMark(current(asset, isReplaced: false)) } catch {
      guard let row = try library.index.file(path: relative(asset.url.path)), row.id == asset.id,
        let status = disk.status(asset.url.path), status.kind == .file, row.fileSize == status.size,
        row.modified == status.modified, row.changed == status.changed
      else { throw error }
      return FileMark(status, sample: "")
    }
  }

  mutating func delete(_ id: Asset.ID) throws(PhotoLibraryError) {
    // It may have gone with the asset that it is a part of.
    guard removals[id] == nil else { return }
    let asset = try asset(id)
    let record = try record(id)
    remove(asset.url.path, try mark(asset))
    if let raw = try raw(of: asset) { remove(raw, try FileMark(of: raw, disk: disk)) }
    if let edit = record.edit {
      let original = "\(folder.originals)/\(edit.original)"
      if disk.status(original)?.kind == .file {
        let mark = try FileMark(of: original, disk: disk)
        if try isPicture(asset, of: edit) { remove(original, mark) } else { _ = try trash(original, mark) }
      }
    }
    try removeMatte(of: id)
    set(AssetRecord(), of: id)
    removedAssets.insert(id)
    removals[id] = .some(nil)
    try deleteParts(of: id)
    touched.insert(PathBytes(relative(asset.url.path)))
  }

  /// Whether the file of an asset is certainly the picture that was edited: another one that has its name by now may have
  /// been taken for it by a new index.
  private mutating func isPicture(_ asset: Asset, of edit: AssetRecord.Edit) throws(PhotoLibraryError) -> Bool {
    if try library.index.file(path: relative(asset.url.path))?.contentID == asset.id { return true }
    do throws(PhotoLibraryError) {
      return try isRendering(current(asset, isReplaced: false), of: edit, asset.id)
    } catch {
      // One that can't be read may be anything.
      return false
    }
  }

  // MARK: Originals

  /// Keeps a durable copy of the untouched file, with its attributes.
  ///
  /// An original that is there already is never replaced: the record that spoke of it is lost, and what is in the
  /// picture's place may be a rendering. It becomes the original again, and the picture's file is kept beside.
  ///
  /// - Returns: The original's name in `.photome/originals`, and the one that was there.
  mutating func keepOriginal(
    _ file: ReadableFile, of asset: Asset
  ) throws(PhotoLibraryError) -> (name: String, original: ReadableFile?) {
    try disk.makeFolder(folder.originals)
    // Also that of an edit in another format than its original.
    let format = PhotoFormat(fileExtension: asset.url.pathExtension)
    let others = PhotoFormat.allCases.filter { $0 != format && $0.ofEdits == format }.map { ".\($0.fileExtension)" }
    for ending in asset.mediaType == .photo ? others : [] {
      let name = LibraryFolder.name(stem: asset.id, extension: ending, attempt: 1)
      if let known = try original(name, of: asset, besides: file) { return (name, known) }
    }
    var attempt = 1
    while true {
      let name = LibraryFolder.name(
        stem: asset.id, extension: LibraryFolder.fileExtension(ofOriginal: asset), attempt: attempt)
      let path = "\(folder.originals)/\(name)"
      guard disk.status(path) != nil else {
        let temporary = temporary(for: name, in: library.session.path)
        // A private picture has a private original.
        try writer.write(
          Data(), tail: file, tailLength: file.size, attributes: FileAttributes(of: file, disk: disk), to: temporary)
        steps.append(.adopt(temporary: relative(temporary), path: relative(path)))
        return (name, nil)
      }
      if let known = try original(name, of: asset, besides: file) { return (name, known) }
      attempt += 1
    }
  }

  /// An original that is there already; the picture's file is kept beside if it is another one.
  ///
  /// - Returns: `nil` where there is none of that name, or it is another picture's.
  private mutating func original(
    _ name: String, of asset: Asset, besides file: ReadableFile
  ) throws(PhotoLibraryError) -> ReadableFile? {
    let path = "\(folder.originals)/\(name)"
    guard disk.status(path) != nil else { return nil }
    let known = try ReadableFile(path, disk: disk)
    guard let facts = try FileFacts(known), facts.possibleIDs(at: relative(asset.url.path)).contains(asset.id) else {
      return nil
    }
    let (old, new) = (try FileDigest.sha256(of: known), try FileDigest.sha256(of: file))
    if old != new { try keepVersion(file, of: asset) }
    return known
  }

  mutating func revert(_ asset: Asset) throws(PhotoLibraryError) {
    var record = try record(asset.id)
    guard let edit = record.edit else { return }
    let original = "\(folder.originals)/\(edit.original)"
    guard disk.status(original)?.kind == .file else { throw .fileMissing(path: original) }
    let current = try current(asset, acceptsDamage: true)
    try keepForeignVersion(current, of: asset, edit)
    // Who may read the picture was perhaps changed since it was edited; its times are the original's.
    try FileAttributes(of: current, disk: disk).apply(to: ReadableFile(original, disk: disk), disk: disk)
    let name = try newName(of: asset, isLive: true, isReverted: true)
    try removeMatte(of: asset.id)
    record.edit = nil
    // As it was noted when the original was set aside. Older versions didn't, and left this as it is.
    if let added = edit.added { record.added = added }
    set(record, of: asset.id)
    contents[asset.id] = .original(original, name: name)
  }

  // MARK: Versions of other programs

  /// Whether a file is as PhotoMe has written it last. For an edit of an earlier version, which has no digest: whether
  /// it isn't newer than the record, which was written after it.
  func isRendering(
    _ file: ReadableFile, of edit: AssetRecord.Edit, _ id: Asset.ID
  ) throws(PhotoLibraryError) -> Bool {
    if let rendered = edit.rendered { return try FileDigest.sha256(of: file) == rendered }
    guard let written = records[id]?.mark?.modified else { return false }
    let (latest, isTooMuch) = written.addingReportingOverflow(FileMark.timeStep)
    return isTooMuch || file.status.modified <= latest
  }

  /// Keeps a copy of an edited picture that another program has changed since.
  mutating func keepForeignVersion(
    _ file: ReadableFile, of asset: Asset, _ edit: AssetRecord.Edit
  ) throws(PhotoLibraryError) {
    if try !isRendering(file, of: edit, asset.id) { try keepVersion(file, of: asset) }
  }

  /// Adds a copy of an asset's file as a picture of its own, beside it.
  private mutating func keepVersion(_ file: ReadableFile, of asset: Asset) throws(PhotoLibraryError) {
    let path = asset.url.path
    let (stem, ending) = LibraryFolder.keptParts(ofName: Disk.name(of: path))
    let isHidden = try record(asset.id).isHidden
    let temporary = temporary(for: Disk.name(of: path), in: Disk.parent(of: path))
    try writer.write(
      Data(), tail: file, tailLength: file.size, attributes: FileAttributes(of: file, disk: disk), to: temporary)
    keptSteps.append((steps.count, asset.url))
    if isHidden, let content = try FileFacts(file)?.contentID {
      // Its record names it, so its name must be known now; if it is taken meanwhile, all is prepared anew.
      var attempt = 1
      var kept = ""
      repeat {
        kept = "\(Disk.parent(of: path))/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
        attempt += 1
      } while disk.status(kept) != nil
      let (id, hidden) = AssetRecord.hidden(content, at: relative(kept))
      var record = try record(id)
      (record.isHidden, record.file) = (true, hidden.file)
      set(record, of: id)
      steps.append(.adopt(temporary: relative(temporary), path: relative(kept)))
      return
    }
    steps.append(
      .publish(
        temporary: relative(temporary), folder: Disk.folder(of: relative(path)), stem: stem, ending: ending))
  }
}
