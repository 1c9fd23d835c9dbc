// The steps of moving assets to the desktop's trash, and back, and of deleting them there.

import Foundation
import Localization

extension ChangeTransaction {
  /// The record and the original stay: when the file comes back, by whatever means, everything is as it was.
  mutating func trash(_ id: Asset.ID) throws(PhotoLibraryError) {
    // It may have gone with the asset that it is a part of.
    guard removals[id] == nil else { return }
    let asset = try asset(id)
    let path = asset.url.path
    let mark = try mark(asset)
    let now = library.now()
    let slot = try trash(path, mark)
    if let raw = try raw(of: asset) { _ = try trash(raw, FileMark(of: raw, disk: disk)) }
    touched.insert(PathBytes(relative(path)))
    removals[id] = slot.file
    try trashParts(of: id)
    trashed.append(
      TrashedAsset(
        id: id, url: asset.url, trashedURL: URL(fileURLWithPath: slot.file), info: URL(fileURLWithPath: slot.info),
        deleted: now))
  }

  /// Moves any file to the trash.
  mutating func trash(_ path: String, _ mark: FileMark) throws(PhotoLibraryError) -> TrashSlot {
    let now = library.now()
    var slot = try library.desktopTrash.slot(for: path, now: now)
    // Skip the names that this transaction has used already.
    while !trashedPaths.insert(PathBytes(slot.file)).inserted {
      slot = try library.desktopTrash.slot(for: path, now: now, attempt: slot.attempt + 1)
    }
    let info = temporary(for: "trashinfo", in: hiddenFolder(besides: Disk.parent(of: path)))
    try writer.write(slot.infoBytes, to: info)
    try move(info, to: slot.info, FileMark(of: info, disk: disk))
    move(path, to: slot.file, mark)
    return slot
  }

  mutating func restore(_ asset: TrashedAsset) throws(PhotoLibraryError) {
    let path = asset.trashedURL.path
    // It may have come with the asset that it is a part of.
    guard !leaving.contains(PathBytes(path)) else { return }
    guard disk.status(path)?.kind == .file else { throw .fileMissing(path: path) }
    var parent = Disk.parent(of: asset.url.path)
    guard folder.relative(parent) != nil || parent == folder.path else {
      throw .unusableFile(path: path, reason: localized("it isn’t from this library"))
    }
    if let name = folder.relative(parent), name.parts(between: "/").count == 1 {
      parent = folder.absolute(library.folderForNewPictures(name))
    }
    let (stem, ending) = FileName.split(Disk.name(of: asset.url.path))
    // If another file has its name by now, it gets a number. Untrusted input: the name may be one that fits nowhere.
    var attempt = 1
    let raw = takeTrashedRaw(of: asset)
    let parts = trashedParts(of: asset).filter { !leaving.contains(PathBytes($0.trashedURL.path)) }
    /// The path of a part beside the asset's file.
    func place(_ part: TrashedAsset, beside target: String) -> String {
      let name = Disk.name(of: part.url.path)
      let own = FilePairs.stem(of: name) == FilePairs.stem(of: target) ? name : nil
      return "\(parent)/" + (own ?? FilePairs.name(beside: target, FileName.ending(of: name)))
    }
    var target = "\(parent)/\(Disk.name(of: asset.url.path))"
    if disk.isTooLong(target) { target = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: 1))" }
    func isTaken(_ path: String) -> Bool { disk.status(path) != nil || restoredPaths.contains(PathBytes(path)) }
    while isTaken(target) || (raw != nil && isTaken(RawCompanion.path(beside: target)))
      || parts.contains(where: { isTaken(place($0, beside: target)) })
    {
      attempt += 1
      let free = LibraryFolder.name(stem: stem, extension: ending, attempt: attempt)
      target = "\(parent)/\(free)"
    }
    try disk.makeFolder(parent)
    for (file, target) in [(asset, target)] + parts.map({ ($0, place($0, beside: target)) }) {
      try move(file.trashedURL.path, to: target, FileMark(of: file.trashedURL.path, disk: disk))
      if disk.status(file.info.path)?.kind == .file {
        try remove(file.info.path, FileMark(of: file.info.path, disk: disk))
      }
      touched.insert(PathBytes(relative(target)))
      leaving.insert(PathBytes(file.trashedURL.path))
    }
    if let raw {
      try move(raw.file, to: RawCompanion.path(beside: target), FileMark(of: raw.file, disk: disk))
      try remove(raw.info, FileMark(of: raw.info, disk: disk))
    }
  }

  /// Deletes assets in the trash. Those that another program has emptied from it meanwhile are skipped.
  mutating func delete(_ assets: [TrashedAsset]) throws(PhotoLibraryError) {
    let contents = TrashContents(of: folder, in: library.desktopTrash, disk: disk)
    let assets = withParts(assets)
    let deleted = Set(assets.map { PathBytes($0.trashedURL.path) })
    // Another file with the same picture in the trash may still be restored.
    let left = Set(contents.assets.filter { !deleted.contains(PathBytes($0.trashedURL.path)) }.map(\.id))
    // Untrusted input: only what is in the trash, and came from here, is removed.
    let infos = Dictionary(contents.assets.map { (PathBytes($0.trashedURL.path), $0.info.path) }) { first, _ in first }
    let unread = UnreadPictures(contents.unread, contents.unread.isEmpty ? [] : try library.index.departures())
    for asset in assets {
      let path = asset.trashedURL.path
      guard let info = infos[PathBytes(path)] else { continue }
      try remove(trashed: path, info: info, from: Disk.parent(of: asset.url.path))
      if let raw = takeTrashedRaw(of: asset, besides: deleted) {
        try remove(trashed: raw.file, info: raw.info, from: Disk.parent(of: asset.url.path))
      }
      guard contents.isListed, !left.contains(asset.id), try library.index.asset(id: asset.id) == nil else {
        continue
      }
      let record = try record(asset.id)
      if unread.mayOwn(asset, record, origin: relative(asset.url.path)) { continue }
      if let edit = record.edit {
        let original = "\(folder.originals)/\(edit.original)"
        if disk.status(original)?.kind == .file { remove(original, try FileMark(of: original, disk: disk)) }
      }
      try removeMatte(of: asset.id)
      set(AssetRecord(), of: asset.id)
      removedAssets.insert(asset.id)
      forgotten.insert(asset.id)
    }
  }

  /// Removes a file from the trash, and its info file.
  private mutating func remove(trashed path: String, info: String, from parent: String) throws(PhotoLibraryError) {
    // Into the library first, from where a removal can be undone if a later step fails.
    let mark = try FileMark(of: path, disk: disk)
    let temporary = temporary(for: Disk.name(of: path), in: hiddenFolder(besides: parent))
    move(path, to: temporary, mark)
    remove(temporary, mark)
    if disk.status(info)?.kind == .file { try remove(info, FileMark(of: info, disk: disk)) }
  }

  /// The folder for hidden files on the disk, and so with the trash, of a folder of pictures, which may be a mount point.
  private func hiddenFolder(besides parent: String) -> String {
    canRename(from: library.session.path, to: parent) ? library.session.path : parent
  }

  private var restoredPaths: Set<PathBytes> {
    Set(
      steps.compactMap {
        if case .move(_, let to, _, _) = $0 { PathBytes(to.isAbsolutePath ? to : folder.absolute(to)) } else { nil }
      })
  }
}

/// The pictures in the trash that can't be read, and whose ids are therefore not known by their content.
private struct UnreadPictures {
  /// The ids by which the index knows some of them.
  private let known: Set<Asset.ID>
  /// The original paths of the others, relative to the library's folder.
  private let origins: Set<PathBytes>
  /// Where the index knows pictures in the trash.
  private let places: [Asset.ID: PathBytes]

  init(_ files: [TrashContents.Unread], _ departures: [LibraryIndex.Departure]) {
    let trashed = departures.compactMap { one in one.trashed.map { (id: one.id, place: PathBytes($0)) } }
    places = Dictionary(trashed.map { ($0.id, $0.place) }) { first, _ in first }
    let owners = Dictionary(grouping: trashed, by: \.place)
    known = Set(files.flatMap { owners[PathBytes($0.path)] ?? [] }.map(\.id))
    origins = Set(files.filter { owners[PathBytes($0.path)] == nil }.map { PathBytes($0.origin) })
  }

  /// Whether what is kept for a picture in the trash may be that of one of them: of the one that the index knows by this
  /// id, or of any that it doesn't know, as long as neither the index nor the record tells whose it is.
  ///
  /// - Parameter origin: Of the picture, relative to the library's folder.
  func mayOwn(_ asset: TrashedAsset, _ record: AssetRecord, origin: String) -> Bool {
    if known.contains(asset.id) { return true }
    if places[asset.id] == PathBytes(asset.trashedURL.path) { return false }
    guard let named = record.file, PathBytes(named.path) == PathBytes(origin) else { return !origins.isEmpty }
    return origins.contains(PathBytes(origin))
  }
}
