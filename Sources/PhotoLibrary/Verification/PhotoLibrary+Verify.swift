// Verifying the library, and rebuilding its index.

import CameraCore
import Foundation
import Localization

extension PhotoLibrary {
  /// Checks everything: each asset's file exists, is readable, complete and unchanged; originals likewise; records can
  /// be read; the index agrees with them; earlier runs left nothing; nothing known is missing. Repairs what can be repaired safely: the index
  /// follows the files, and leftovers and orphaned records are removed.
  ///
  /// Reads every byte of the library once. Ends early when the task is canceled; the outcome then says so.
  ///
  /// - Parameter progress: Called on one of the library's threads.
  /// - Throws: When the folder doesn't exist or can't be listed, or the index can't be used at all.
  public func verify(
    progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> LibraryVerification {
    try checkThatFolderIsThere()
    let recovery = try await Blocking.run { () throws(PhotoLibraryError) in
      var finished: [FinishedJournal] = []
      let notes = LibraryRecovery(
        folder: self.layout, disk: self.disk, trash: self.desktopTrash, isAway: self.index.isAway
      ).run(except: self.session.token, finished: { finished = $0 })
      try self.reconciler.reindex(finished)
      return notes
    }
    try await refresh()
    let cancelled = CancellationFlag()
    var found = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      let verifier = LibraryVerifier(self, isCancelled: { cancelled.isSet }, progress: progress)
      try verifier.run()
      return verifier.found
    }
    found.recovery = recovery
    guard found.isComplete else { return found }
    let records = try await clearOrphanedRecords()
    found.trashedRecords = records.inTrash
    found.clearedRecords = records.cleared
    found.orphanedRecords = records.kept
    return found
  }

  /// Forgets the pictures that are nowhere, as whoever calls this has deleted them: records and originals that were kept
  /// for them are moved to the desktop's trash. Pictures on a disk that isn't connected are not forgotten.
  ///
  /// - Returns: The number of pictures.
  /// - Throws: When the library isn't there, the trash can't be used, or the index can't be used.
  @discardableResult
  public func forgetMissing() async throws(PhotoLibraryError) -> Int {
    try checkThatFolderIsThere()
    try await refresh()
    return try await Blocking.run { () throws(PhotoLibraryError) in
      let verifier = LibraryVerifier(self, isCancelled: { false }, progress: { _ in })
      try verifier.checkDepartures()
      let orphaned = self.orphanedRecords
      let disks = orphaned.disks
      var ids = Set(verifier.found.problems.filter { $0.kind == .gone }.compactMap(\.assetID))
      for one in try self.index.departures() where try !orphaned.isWithinReach(one, disks) { ids.remove(one.id) }
      guard !ids.isEmpty else { return 0 }
      return try self.session.write { () throws(PhotoLibraryError) in
        try self.locked { () throws(PhotoLibraryError) in try orphaned.moveToTrash(ids) }
      }
    }
  }

  /// Rebuilds the index: reads every file and record again. Other processes that have the library open keep seeing it,
  /// and are notified of changes.
  ///
  /// A database that SQLite finds damaged is set aside and replaced.
  ///
  /// - Parameter progress: Called on one of the library's threads.
  /// - Returns: The number of assets.
  /// - Throws: When the folder doesn't exist or can't be listed, which leaves the index as it is, or the index can't be
  ///   used.
  @discardableResult
  public func rebuild(
    progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> Int {
    try checkThatFolderIsThere()
    let cancelled = CancellationFlag()
    try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try self.readAnew(isCancelled: { cancelled.isSet }, progress: progress)
    }
    // The rest of a canceled rebuild is read here, like anything that has changed.
    try await refresh()
    if !cancelled.isSet { try await clearOrphanedRecords() }
    return try await count()
  }

  private func readAnew(
    isCancelled: () -> Bool, progress: (LibraryProgress) -> Void
  ) throws(PhotoLibraryError) {
    // Before anything is discarded.
    var folders: [(name: String, files: [String])] = []
    for name in [""] + FolderListing.folders(of: layout, disk: disk) {
      let files = try disk.contents(of: layout.absolute(name)).filter { FileFacts.Kind(name: $0) != nil }
      folders.append((name, files.sorted(by: >).map { name.isEmpty ? $0 : "\(name)/\($0)" }))
    }
    var records: [String] = []
    for name in [LibraryFolder.albumFolder, LibraryFolder.recordFolder] {
      records += try disk.contents(of: layout.absolute(name)).filter { LibraryFolder.recordID($0) != nil }
        .sorted().map { "\(name)/\($0)" }
    }
    if try index.damage() != nil { try index.replace() } else { try index.invalidateAll() }
    var state = LibraryProgress(
      step: .reading, done: 0, total: records.count + folders.reduce(0) { $0 + $1.files.count })
    progress(state)
    func read(
      _ paths: [String], _ look: ([String]) throws(PhotoLibraryError) -> Void
    ) throws(PhotoLibraryError) {
      var left = paths[...]
      while !left.isEmpty, !isCancelled() {
        let part = Array(left.prefix(Self.rebuildBatch))
        left = left.dropFirst(part.count)
        try look(part)
        state.done += part.count
        progress(state)
      }
    }
    try read(records) { part throws(PhotoLibraryError) in try reconciler.reindex(records: part) }
    for folder in folders {
      try read(folder.files) { part throws(PhotoLibraryError) in try reconciler.reindex(part) }
    }
  }

  /// The number of files per transaction.
  private static let rebuildBatch = 128

  /// A missing folder, as where a disk is not mounted, must not look like an empty library.
  private func checkThatFolderIsThere() throws(PhotoLibraryError) {
    guard disk.status(layout.path)?.kind == .folder else {
      throw .folderUnavailable(path: layout.path, reason: .missing)
    }
  }
}
