// Orphaned records and originals: those of assets that are neither in the library nor in the trash.

import CameraCore
import Foundation

/// Finds orphaned records and originals, and removes them.
///
/// Losing a record that is still needed loses the user's favorites, albums and edits, so everything must be certain:
/// the asset has been in the library before (a program that synchronizes folders may bring records first), the library
/// belongs to the user, all of its folders and the trash's could be read, no file there is unclear, and no change is in
/// progress.
struct OrphanedRecords: Sendable {
  let reconciler: FolderReconciler
  let session: LibrarySession
  let trash: DesktopTrash

  /// The outcome of a run.
  struct Count: Sendable, Hashable {
    var inTrash = 0
    var cleared = 0
    var kept = 0
  }

  private var folder: LibraryFolder { reconciler.folder }
  private var disk: Disk { reconciler.disk }
  private var journals: JournalRunner { JournalRunner(folder: folder, disk: disk, trash: trash) }
  private var index: LibraryIndex { reconciler.index }

  /// Brings the index up to date, and removes what is certain to be orphaned.
  ///
  /// - Throws: When the library can't be listed or changed, or the index can't be used.
  @discardableResult
  func clear() async throws(PhotoLibraryError) -> Count {
    // Usually there is nothing to do, which takes two listings.
    let before = try await Blocking.run { () throws(PhotoLibraryError) -> Set<Asset.ID>?? in
      try withoutAsset().isEmpty ? .none : .some(idsInTrash())
    }
    guard let before else { return Count() }
    try await reconciler.refresh()
    return try await Blocking.run { () throws(PhotoLibraryError) in try clear(inTrashBefore: before) }
  }

  /// The ids of records and originals without an asset in the index.
  private func withoutAsset() throws(PhotoLibraryError) -> Set<Asset.ID> {
    let records = try disk.contents(of: folder.records).compactMap { LibraryFolder.recordID($0) }
    let originals = try disk.contents(of: folder.originals).compactMap { LibraryFolder.originalID($0) }
    return try index.unknown(Set(records).union(originals))
  }

  /// The first part of clearing, to be followed by a scan of the library's folder: what is moved from there to the
  /// trash meanwhile, or back, is seen in at least one of the two.
  ///
  /// - Returns: `nil` when the trash can't be read.
  private func idsInTrash() -> Set<Asset.ID>? { TrashContents(of: folder, in: trash, disk: disk).ids }

  /// Removes what is certain to be orphaned. The index has just been brought up to date.
  ///
  /// - Parameter inTrashBefore: From `idsInTrash`, before that.
  private func clear(inTrashBefore: Set<Asset.ID>?) throws(PhotoLibraryError) -> Count {
    let candidates = try withoutAsset()
    guard !candidates.isEmpty else { return Count() }
    let count = WriteLock.holding(journals) { () throws(PhotoLibraryError) in
      try clearLocked(inTrashBefore: inTrashBefore)
    }
    guard let count else { return Count(kept: candidates.count) }
    return try count.get()
  }

  private func clearLocked(inTrashBefore: Set<Asset.ID>?) throws(PhotoLibraryError) -> Count {
    var count = Count()
    let ids = try withoutAsset()
    guard let inTrashBefore, let inTrashNow = idsInTrash(), try isCertain() else {
      count.kept = ids.count
      return count
    }
    let missing = ids.subtracting(inTrashBefore).subtracting(inTrashNow)
    count.inTrash = ids.count - missing.count
    count.kept = missing.count
    var gone = try missing.intersection(index.departed())
    guard !gone.isEmpty else { return count }
    try subtractCopies(from: &gone)
    guard try subtractFiles(from: &gone), !gone.isEmpty else { return count }
    try remove(gone)
    count.cleared = gone.count
    count.kept -= gone.count
    return count
  }

  /// Whether nothing in the library's folder is unclear.
  private func isCertain() throws(PhotoLibraryError) -> Bool {
    var status = stat()
    // Another user has another trash.
    guard disk.system.stat(folder.path, &status) == 0, status.st_uid == geteuid() else { return false }
    // A file that isn't a picture now may be one that is being copied or synchronized.
    guard try index.unusablePaths().isEmpty else { return false }
    return try disk.contents(of: folder.journals).isEmpty
  }

  /// A copy of a picture has an id of its own only as long as the other file exists: it may get that id again.
  private func subtractCopies(from ids: inout Set<Asset.ID>) throws(PhotoLibraryError) {
    var last: Int64 = 0
    while true {
      let files = try index.files(after: last, count: 1024)
      guard let end = files.last?.number else { return }
      for file in files { ids.subtract(AssetIdentity.possibleIDs(file.contentID, at: file.path)) }
      last = end
    }
  }

  /// Excludes pictures that the index doesn't know, as those in folders that are too deep to be scanned.
  ///
  /// - Returns: `false` when something can't be read.
  private func subtractFiles(from ids: inout Set<Asset.ID>) throws(PhotoLibraryError) -> Bool {
    guard let walk = FolderWalk([folder.url], excluding: LibraryFolder.hiddenFolder, disk: disk) else { return false }
    let isClear = walk.problems.allSatisfy { problem in
      switch problem.reason {
      case .unreadable, .nameIsNoText: false
      default: true
      }
    }
    guard isClear else { return false }
    for file in walk.files {
      guard let relative = folder.relative(file.path), FileFacts.Kind(name: Disk.name(of: relative)) != nil
      else { continue }
      if let row = try index.file(path: relative), let status = disk.status(file.path),
        row.fileSize == status.size, row.modified == status.modified, row.changed == status.changed
      {
        continue
      }
      guard let facts = try FileFacts(ReadableFile(file.path, disk: disk)) else { return false }
      ids.subtract(AssetIdentity.possibleIDs(facts.contentID, at: relative))
    }
    return true
  }

  private func remove(_ ids: Set<Asset.ID>) throws(PhotoLibraryError) {
    var steps: [JournalStep] = []
    func remove(_ path: String) {
      guard let status = disk.status(path), status.kind == .file else { return }
      steps.append(.remove(path: folder.relative(path) ?? path, number: status.number))
    }
    for id in ids.sorted() { remove(folder.record(id)) }
    for name in try disk.contents(of: folder.originals).sorted() {
      if let id = LibraryFolder.originalID(name), ids.contains(id) { remove("\(folder.originals)/\(name)") }
    }
    let done = try session.writeUnlessEnded { () throws(PhotoLibraryError) in
      try journals.perform(steps, session: session)
    }
    guard done != nil else { return }
    try index.forget(departed: ids)
    try reconciler.reindex(records: ids.sorted().map { "\(LibraryFolder.recordFolder)/\($0).json" })
  }
}
