// Orphaned records and originals: those of assets that are neither in the library nor in the trash.

import CameraCore
import Foundation

/// Finds orphaned records and originals, and moves them to the desktop's trash after a time of grace.
///
/// They hold a user's favorites, albums, edits and untouched originals, so nothing is ever removed, and nothing is moved
/// unless all of this is certain: the asset has been in this library before (a program that synchronizes folders may
/// bring records first), it has been gone for the time of grace, the library belongs to the user, all of its folders and
/// the trash's could be read, nothing in it leads elsewhere, no file there is unclear, and no change is in progress.
struct OrphanedRecords: Sendable {
  let reconciler: FolderReconciler
  let session: LibrarySession
  let trash: DesktopTrash
  /// The wall clock, which may be set back at any time.
  let now: @Sendable () -> Date

  /// The time of grace, from the first start or verification that missed the picture.
  static let daysOfGrace = 30
  private static let grace = Int64(daysOfGrace) * 86_400_000

  /// The outcome of a run.
  struct Count: Sendable, Hashable {
    /// Records of pictures in the trash.
    var inTrash = 0
    /// Assets whose records and originals were moved to the trash.
    var cleared = 0
    /// Records without a picture that stay.
    var kept = 0
  }

  private var folder: LibraryFolder { reconciler.folder }
  private var disk: Disk { reconciler.disk }
  private var journals: JournalRunner { JournalRunner(folder: folder, disk: disk, trash: trash) }
  private var index: LibraryIndex { reconciler.index }

  /// Brings the index up to date, and moves what is certain to be orphaned to the trash.
  ///
  /// - Throws: When the library can't be listed or changed, or the index can't be used.
  @discardableResult
  func clear() async throws(PhotoLibraryError) -> Count {
    // Usually there is nothing to do, which takes two listings.
    let before = try await Blocking.run { () throws(PhotoLibraryError) -> TrashContents? in
      guard try withoutAsset().isEmpty else { return contents }
      return try index.hasDepartures() ? contents : nil
    }
    guard let before else { return Count() }
    // Not with the state before a change that another program doesn't complete.
    try await reconciler.refresh(patience: .endless)
    return try await Blocking.run { () throws(PhotoLibraryError) in try clear(inTrashBefore: before) }
  }

  /// The ids of records, originals and mattes without an asset in the index.
  func withoutAsset() throws(PhotoLibraryError) -> Set<Asset.ID> {
    let records = try disk.contents(of: folder.records).compactMap { LibraryFolder.recordID($0) }
    let originals = try disk.contents(of: folder.originals).compactMap { LibraryFolder.originalID($0) }
    let mattes = try disk.contents(of: folder.mattes).compactMap { LibraryFolder.matteID($0) }
    return try index.unknown(Set(records).union(originals).union(mattes))
  }

  /// The trash, read before and after a scan of the library's folder: what is moved from there to the trash meanwhile, or
  /// back, is seen in at least one of the two.
  private var contents: TrashContents { TrashContents(of: folder, in: trash, disk: disk) }

  /// The index has just been brought up to date.
  ///
  /// - Parameter before: From before that.
  private func clear(inTrashBefore before: TrashContents) throws(PhotoLibraryError) -> Count {
    var count = Count()
    var orphans = try withoutAsset()
    if !orphans.isEmpty {
      // An index of an earlier version may have given their files other ids.
      _ = try index.adopt(orphans.sorted())
      orphans = try withoutAsset()
    }
    let after = contents
    let departures = try index.departures()
    let places = places(of: departures, in: [before, after])
    let inTrash = Set(places.keys).union(before.ids ?? []).union(after.ids ?? [])
    count.inTrash = orphans.intersection(inTrash).count
    count.kept = orphans.count - count.inTrash
    let time = now().millisecondsSince1970
    if departures.contains(where: { $0.since == 0 || places[$0.id] != nil && places[$0.id] != $0.trashed }) {
      try index.noteDepartures(now: time, trashed: places)
    }
    count.kept -= try removeEmpty(orphans.subtracting(inTrash).subtracting(departures.map(\.id)))
    let old = departures.filter { one in
      orphans.contains(one.id) && !inTrash.contains(one.id) && one.since > 0 && time - one.since >= Self.grace
    }
    guard !old.isEmpty, before.ids != nil, after.ids != nil else { return count }
    let cleared = try session.writeUnlessEnded { () throws(PhotoLibraryError) -> Int in
      let lock = try reconciler.lock(journals)
      defer { lock.keep() }
      return try moveToTrash(old)
    }
    count.cleared = cleared ?? 0
    count.kept -= count.cleared
    return count
  }

  /// The paths in the trash of pictures that have departed, by id.
  private func places(
    of departures: [LibraryIndex.Departure], in contents: [TrashContents]
  ) -> [Asset.ID: String] {
    var byPath: [PathBytes: String] = [:]
    var byID: [Asset.ID: String] = [:]
    for asset in contents.flatMap(\.assets) {
      byID[asset.id] = asset.trashedURL.path
      byPath[PathBytes(asset.url.path)] = asset.trashedURL.path
    }
    var found: [Asset.ID: String] = [:]
    for one in departures {
      // A picture that another program had changed has another id by its content.
      if let place = byID[one.id] ?? byPath[PathBytes(folder.absolute(one.path))] { found[one.id] = place }
    }
    return found
  }

  // MARK: Certainty

  /// Whether nothing in the library's folder is unclear, and nothing in it leads elsewhere.
  private func isCertain() throws(PhotoLibraryError) -> Bool {
    var status = stat()
    // Another user has another trash.
    guard disk.system.stat(folder.path, &status) == 0, status.st_uid == geteuid() else { return false }
    // A file that isn't a picture now may be one that is being copied or synchronized.
    for path in try index.unusablePaths() {
      guard try FileFacts.isRawOfShot(ReadableFile(folder.absolute(path), disk: disk)) else { return false }
    }
    return try (disk.contents(of: folder.journals) + disk.contents(of: folder.waiting)).isEmpty
      && FolderListing.skipped(of: folder, disk: disk).isEmpty
  }

  /// Whether a picture would be seen if it were where it was: its own disk and its trash are there.
  func isWithinReach(_ one: LibraryIndex.Departure, _ disks: LibraryDisks) throws(PhotoLibraryError) -> Bool {
    if let trashed = one.trashed {
      // Emptying a trash leaves its folders.
      guard disk.status(trashed) == nil, disk.names(in: Disk.parent(of: trashed)) != nil else { return false }
    }
    return try isOnDiskThatIsThere(one, disks)
  }

  /// Whether the disk that a picture was on is there, and no other one is mounted over it.
  func isOnDiskThatIsThere(
    _ one: LibraryIndex.Departure, _ disks: LibraryDisks
  ) throws(PhotoLibraryError) -> Bool {
    let name = Disk.folder(of: one.path)
    // Without a mark, any disk counts.
    if !one.diskID.isEmpty { return disks.id(at: name) == one.diskID }
    if try index.isDiskAway(at: name, disks) { return false }
    _ = try disk.checkedStatus(folder.absolute(name))
    return disks.isDisk(name) == one.isElsewhere
  }

  var disks: LibraryDisks { LibraryDisks(of: folder, disk: disk) }

  /// Excludes pictures that the index doesn't know, as those in folders that are too deep to be scanned.
  ///
  /// - Returns: `false` when something can't be read.
  private func subtractFiles(from ids: inout Set<Asset.ID>) throws(PhotoLibraryError) -> Bool {
    guard let walk = FolderWalk([folder.url], excluding: LibraryFolder.hiddenFolder, disk: disk),
      walk.problems.isEmpty
    else { return false }
    for file in walk.files {
      guard let relative = folder.relative(file.path), FileFacts.Kind(name: Disk.name(of: relative)) != nil
      else { continue }
      if let row = try index.file(path: relative), let status = disk.status(file.path),
        row.fileSize == status.size, row.modified == status.modified, row.changed == status.changed
      {
        continue
      }
      guard let facts = try FileFacts(ReadableFile(file.path, disk: disk)) else { return false }
      ids.subtract(facts.possibleIDs(at: relative))
    }
    return true
  }

  // MARK: Moving

  /// Removes records that hold nothing but the name of a file that has gone, and whose picture lives on in a copy.
  ///
  /// - Returns: Their number.
  private func removeEmpty(_ ids: Set<Asset.ID>) throws(PhotoLibraryError) -> Int {
    let empty = try index.emptyRecords(among: ids)
    guard !empty.isEmpty else { return 0 }
    let count = try session.writeUnlessEnded { () throws(PhotoLibraryError) -> Int in
      let lock = try reconciler.lock(journals)
      defer { lock.keep() }
      let store = RecordStore(folder: folder, disk: disk)
      for id in empty where try store.record(id).isEmpty && !reconciler.isRight(recordOf: id) {
        try disk.remove(folder.record(id))
      }
      try reconciler.reindex(records: empty.map { "\(LibraryFolder.recordFolder)/\($0).json" })
      return empty.count
    }
    return count ?? 0
  }

  /// - Returns: The number of assets.
  private func moveToTrash(_ departures: [LibraryIndex.Departure]) throws(PhotoLibraryError) -> Int {
    guard try isCertain() else { return 0 }
    var ids: Set<Asset.ID> = []
    let disks = disks
    for one in departures where try isWithinReach(one, disks) { ids.insert(one.id) }
    ids.formIntersection(try withoutAsset())
    guard !ids.isEmpty, try subtractFiles(from: &ids), !ids.isEmpty else { return 0 }
    return try moveToTrash(ids)
  }

  /// Moves the records, originals and mattes of assets to the trash, from where they can be restored, except those whose records
  /// name a living picture, whatever this index has for it. The caller holds `WriteLock`.
  ///
  /// - Returns: The number of assets.
  /// - Throws: `trashUnavailable` where there is no trash; nothing is changed then.
  @discardableResult
  func moveToTrash(_ candidates: Set<Asset.ID>) throws(PhotoLibraryError) -> Int {
    let ids = candidates.filter { !reconciler.isRight(recordOf: $0) }
    guard !ids.isEmpty else { return 0 }
    var paths = ids.sorted().map { folder.record($0) }
    for name in try disk.contents(of: folder.originals).sorted() {
      if let id = LibraryFolder.originalID(name), ids.contains(id) { paths.append("\(folder.originals)/\(name)") }
    }
    paths += ids.sorted().map { folder.matte($0) }.filter { disk.status($0) != nil }
    try moveFilesToTrash(paths)
    try index.forget(departed: ids)
    try reconciler.reindex(records: ids.sorted().map { "\(LibraryFolder.recordFolder)/\($0).json" })
    return ids.count
  }

  /// Moves hidden files to the trash, from where they can be restored. The caller holds `WriteLock`.
  ///
  /// - Throws: `trashUnavailable` where there is no trash; nothing is changed then.
  func moveFilesToTrash(_ paths: [String]) throws(PhotoLibraryError) {
    var steps: [JournalStep] = []
    var temporaries: [String] = []
    // Files that a journal still names are needed at the next start.
    defer { if !journals.hasJournal(of: session) { for path in temporaries { disk.discard(path) } } }
    func move(_ path: String, to place: String) throws(PhotoLibraryError) {
      let mark = try FileMark(of: path, disk: disk)
      steps.append(.move(from: folder.relative(path) ?? path, to: place, number: mark.number, file: mark))
    }
    var slots: Set<PathBytes> = []
    for path in paths {
      guard let status = disk.status(path), status.kind == .file else { continue }
      var slot = try trash.slot(for: path, now: now())
      while slots.contains(PathBytes(slot.file)) {
        slot = try trash.slot(for: path, now: now(), attempt: slot.attempt + 1)
      }
      slots.insert(PathBytes(slot.file))
      let info = "\(session.path)/" + session.temporaryName(for: "trashinfo")
      temporaries.append(info)
      try FileWriter(disk: disk).write(slot.infoBytes, to: info)
      try move(info, to: slot.info)
      try move(path, to: slot.file)
    }
    _ = try journals.perform(steps, session: session)
  }
}
