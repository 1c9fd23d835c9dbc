// Changing the library: files first, made durable, then the index.

import CameraCore
import Foundation
import Localization

extension PhotoLibrary {
  /// Creates the folders that a shot needs, so that a read-only folder is known before the first shot.
  ///
  /// - Throws: `readOnly`, `diskFull`, `folderUnavailable` or another error of the disk.
  public func prepareForCapture() async throws(PhotoLibraryError) {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.session.begin()
    }
    finishPendingMetadataInBackground()
  }

  /// Makes the library ready for a movie, which is recorded into its folder at once, as `prepareForCapture` does for shots.
  ///
  /// - Parameter date: When the movie begins.
  /// - Returns: The folder for it: that of its month, or another beside it where that one's pictures aren't shown, because
  ///   its name is a symbolic link or its disk is away.
  /// - Throws: As `prepareForCapture`.
  public func prepareForMovie(at date: Date) async throws(PhotoLibraryError) -> URL {
    try await prepareForCapture()
    return await Blocking.run {
      let offset = TimeZone.current.secondsFromGMT(for: date)
      let time = LocalTime(milliseconds: date.millisecondsSince1970, utcOffset: offset)
      let name = self.folderForNewPictures(time.monthFolder)
      return URL(fileURLWithPath: self.layout.absolute(name), isDirectory: true)
    }
  }

  /// The folder for pictures that are new, or come back, instead of one where they would not be shown. A disk that is
  /// there is remembered.
  ///
  /// - Parameters:
  ///   - name: Of a folder in the library's.
  ///   - refused: Folders in which there is no room.
  func folderForNewPictures(_ name: String, except refused: Set<String> = []) -> String {
    let month = FolderListing.month(
      name, of: layout, disk: disk, isAway: { refused.contains($0) || index.isAway($0) })
    do throws(PhotoLibraryError) { try index.noteDisk(at: month) } catch {
      // The next scan notes it.
      Self.logger.warning("\(error.description)")
    }
    return month
  }

  /// Changes the library atomically: all requests of `body` are carried out, or none.
  ///
  /// `body` runs at once and only collects requests; then the files are made durable and the index is updated. If the
  /// process is killed meanwhile, either nothing has happened, or everything has when the library is opened again.
  ///
  /// Ratings and keywords for other programs are written into the pictures themselves: of up to 64 pictures in the same
  /// step, of more in batches behind it, so that there need be room for one batch only. The change is done with the
  /// first step; what a kill or a full disk leaves of the batches, the next start does.
  ///
  /// - Returns: What `body` returned, once everything is durable and indexed.
  /// - Throws: `changesFailed` with the error of `body`, `unknownAsset`, `unknownCollection`, or the error of a file or
  ///   the disk; nothing was changed then.
  public func performChanges<R: Sendable>(
    _ body: @Sendable (inout ChangeSet) throws -> R
  ) async throws(PhotoLibraryError) -> R {
    try await performReversibly(body).result
  }

  /// Adds one asset: `performChanges` with a single request.
  ///
  /// - Throws: As `performChanges`; `changesFailed` also when another program removed the saved file at once.
  public func createAsset(_ request: AssetCreationRequest) async throws(PhotoLibraryError) -> Asset {
    var changes = ChangeSet()
    changes.create(request)
    let outcome = try await perform(changes)
    guard let asset = outcome.created.first else { throw outcome.missing }
    return asset
  }

  /// Makes the still of a live photo durable at once, while its movie is still being recorded.
  ///
  /// - Parameters:
  ///   - photo: A complete JPEG, HEIC, AVIF or PNG.
  ///   - id: The id that the asset will have.
  ///   - rawFrame: The same shot as the sensor has it; `nil` for none. Where its DNG can't be written, the still is staged
  ///     alone.
  /// - Throws: `unusableFile` for a photo that isn't a picture, or the error of the disk.
  public func stage(
    _ photo: Data, id: Asset.ID = Asset.makeID(), metadata: PhotoMetadata, rawFrame: BayerFrame? = nil
  ) async throws(PhotoLibraryError) -> StagedPhoto {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let picture = try PhotoAssembly.photo(photo, metadata: metadata, id: id)
      let raw = Self.rawData(rawFrame, metadata: metadata, id: id)
      let ending = LibraryFolder.fileExtension(PhotoAssembly.format(of: picture) ?? .jpeg, isLive: false)
      let path = "\(self.session.path)/\(LibraryFolder.stem(metadata))_\(id)\(ending)"
      var staged = StagedPhoto(id: id, path: path, picture: picture, metadata: metadata)
      try self.session.write { () throws(PhotoLibraryError) in
        // The picture first: the DNG is many times larger, and there may be no room for it.
        try self.stage(picture, at: path)
        if let raw {
          let place = RawCompanion.path(beside: path)
          do throws(PhotoLibraryError) {
            try self.stage(raw, at: place)
            staged.raw = StagedPhoto.Raw(path: place, data: raw)
          } catch {
            Self.logger.warning("The DNG of a picture is missing: \(error.description)")
          }
        }
        try self.disk.synchronizeFolder(self.session.path)
      }
      return staged
    }
  }

  /// Writes a file durably into the session's folder; its name isn't durable yet.
  private func stage(_ data: Data, at path: String) throws(PhotoLibraryError) {
    let temporary = "\(session.path)/\(session.temporaryName(for: Disk.name(of: path)))"
    try FileWriter(disk: disk).write(data, to: temporary)
    do throws(PhotoLibraryError) {
      _ = try disk.renameNew(temporary, to: path)
    } catch {
      disk.discard(temporary)
      throw error
    }
  }

  /// Replaces a staged still with a better one of the same shot, or the same in another format: a kill leaves the one or
  /// the other. Its DNG stays.
  ///
  /// - Parameter photo: A complete picture.
  /// - Throws: `unusableFile` for a photo that isn't a picture, or the error of the disk; the first still is unchanged then.
  public func restage(_ staged: StagedPhoto, with photo: Data) async throws(PhotoLibraryError) -> StagedPhoto {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let picture = try PhotoAssembly.photo(photo, metadata: staged.metadata, id: staged.id)
      let format = PhotoAssembly.format(of: picture) ?? .jpeg
      let path = RawCompanion.stem(of: staged.path) + LibraryFolder.fileExtension(format, isLive: false)
      try self.session.write { () throws(PhotoLibraryError) in
        guard path == staged.path else {
          try self.stage(picture, at: path)
          try self.disk.synchronizeFolder(self.session.path)
          // One that stays is known as the same shot at the next start.
          return self.disk.discard(staged.path)
        }
        let temporary = "\(self.session.path)/\(self.session.temporaryName(for: Disk.name(of: path)))"
        try FileWriter(disk: self.disk).write(picture, to: temporary)
        do throws(PhotoLibraryError) {
          try self.disk.replace(path, with: temporary)
        } catch {
          self.disk.discard(temporary)
          throw error
        }
        try self.disk.synchronizeFolder(self.session.path)
      }
      var better = StagedPhoto(id: staged.id, path: path, picture: picture, metadata: staged.metadata)
      better.raw = staged.raw
      return better
    }
  }

  /// The outcome of a block.
  struct Outcome: Sendable {
    /// The added assets, without those that were removed again at once.
    var created: [Asset] = []
    /// The error of reading the first of those that are missing.
    var unread: PhotoLibraryError?
    var trashed: [TrashedAsset] = []
    /// What was changed in records, and what could not be reversed.
    var reversible = ReversibleChange()
    var reversal = Reversal()
    /// The list of the pictures whose metadata are to be written, relative to the library's folder.
    var pending: String?

    /// The error for an asset that was added and doesn't exist.
    var missing: PhotoLibraryError {
      unread ?? .changesFailed(reason: localized("the item was saved, but another app removed it"))
    }
  }

  func perform(_ changes: ChangeSet) async throws(PhotoLibraryError) -> Outcome {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.session.write { () throws(PhotoLibraryError) in
        // New pictures change nothing that other processes may be changing, unless two files must get one name.
        let makesPairs = changes.creations.contains { $0.request.savesRaw }
        if changes.changes.isEmpty, !makesPairs { return try self.performLocked(changes) }
        return try self.concealing(changes) { () throws(PhotoLibraryError) in
          let outcome = try self.repeatedly { () throws(PhotoLibraryError) in
            try self.locked { () throws(PhotoLibraryError) in try self.performLocked(changes) }
          }
          if let pending = outcome.pending { self.finishPendingAndTell(pending) }
          return outcome
        }
      }
    }
  }

  /// Runs a change again when another program has changed its files meanwhile: everything is prepared anew, from the
  /// files that are there now.
  ///
  /// - Throws: What `body` throws, in the end also `changedMeanwhile`.
  func repeatedly<R>(_ body: () throws(PhotoLibraryError) -> R) throws(PhotoLibraryError) -> R {
    var attempt = 1
    while true {
      do throws(PhotoLibraryError) { return try body() } catch .changedMeanwhile(let path)
        where attempt < Self.attempts
      {
        Self.logger.notice("“\(path)” was changed meanwhile")
        attempt += 1
      }
    }
  }

  /// How often a change is prepared when another program keeps changing its files.
  private static let attempts = 3

  /// Runs `body` while no other process changes records, with an index that has what other processes have changed: they
  /// update it before they release the lock, and what a dead one left unfinished is finished and indexed first.
  ///
  /// - Throws: As `WriteLock`, or what `body` throws.
  func locked<R>(_ body: () throws(PhotoLibraryError) -> R) throws(PhotoLibraryError) -> R {
    let lock = try reconciler.lock(journals)
    defer { lock.keep() }
    return try body()
  }

  /// Performs changes. The caller holds `WriteLock`, unless there are only creations.
  ///
  /// - Parameter isCancelled: Checked while files are copied.
  /// - Throws: `cancelled`, or as `performChanges`; nothing was changed then.
  func performLocked(
    _ changes: ChangeSet, isCancelled: () -> Bool = { false }
  ) throws(PhotoLibraryError) -> Outcome {
    var transaction = ChangeTransaction(self)
    let runner = journals
    // Files that a journal still names are needed at the next start.
    defer { if !runner.hasJournal(of: session) { transaction.clear() } }
    try transaction.prepare(changes, isCancelled: isCancelled)
    // What is removed on purpose is not missed, even if the process is killed in between.
    try index.expect(transaction.removals)
    let paths: [String]
    do throws(PhotoLibraryError) {
      paths = try runner.perform(transaction.steps, session: session) { forget(takenBack: $0) }
    } catch {
      // A journal that stays is carried out later, and an error of the last flush undoes nothing.
      if !runner.hasJournal(of: session) {
        var left: [Asset.ID] = []
        for id in transaction.removals.keys {
          guard let file = try index.file(id: id), disk.status(layout.absolute(file.path)) != nil else { continue }
          left.append(id)
        }
        try index.clearExpectations(left)
      }
      throw error
    }
    for path in transaction.leftovers {
      do throws(PhotoLibraryError) { try disk.remove(path) } catch {
        // The asset is saved; the leftover is removed at the next start.
        Self.logger.warning("\(error.description)")
      }
    }
    let created = transaction.creationSteps.map { paths[$0] }
    let kept = transaction.keptSteps.map { (original: $0.original, path: paths[$0.step]) }
    for version in kept {
      warningBoard.post(.keptVersion(of: version.original, as: URL(fileURLWithPath: version.path)))
    }
    for (url, reason) in transaction.lostPackets { warningBoard.post(.metadataLeftOut(of: url, reason: reason)) }
    for url in transaction.lostGainMaps { warningBoard.post(.gainMapLeftOut(of: url)) }
    for url in transaction.lostTransparency { warningBoard.post(.transparencyLeftOut(of: url)) }
    reindex(after: transaction, added: created + kept.map(\.path))
    var outcome = Outcome(
      trashed: transaction.trashed, reversible: transaction.reversible, reversal: transaction.reversal,
      pending: transaction.pending)
    for path in created {
      do throws(PhotoLibraryError) {
        if let asset = try asset(at: path) { outcome.created.append(asset) }
      } catch {
        outcome.unread = outcome.unread ?? error
      }
    }
    return outcome
  }

  /// Brings the index up to date with the steps of a transaction that were done.
  ///
  /// - Parameter added: The paths of added files.
  func reindex(after transaction: ChangeTransaction, added: [String]) {
    do throws(PhotoLibraryError) {
      try reconciler.reindex(
        added.compactMap { layout.relative($0) } + transaction.touched.map(\.path).sorted(),
        records: transaction.touchedRecords)
      if !transaction.forgotten.isEmpty { try index.forget(departed: transaction.forgotten) }
    } catch {
      // The pictures are safe; the index is a cache, and is updated in the background.
      Self.logger.error("\(error.description)")
      reconciler.scanAll()
    }
  }

  /// Removes new pictures from the index that had their names for a moment, until their folder could not be made durable:
  /// somebody may have seen them, and would miss them.
  private func forget(takenBack paths: [String]) {
    // What another program has put there since is its own.
    let paths = paths.filter { disk.status($0) == nil }.compactMap { layout.relative($0) }
    do throws(PhotoLibraryError) {
      try index.forget(takenBack: paths)
      try reconciler.reindex(paths)
    } catch {
      // As above.
      Self.logger.error("\(error.description)")
      reconciler.scanAll()
    }
  }

  /// The asset of a file, read from the file itself; `nil` when it no longer exists.
  private func asset(at path: String) throws(PhotoLibraryError) -> Asset? {
    guard let relative = layout.relative(path), disk.status(path) != nil else { return nil }
    // A copy of a picture has an id of its own, which the index knows.
    if let known = try index.asset(path: relative) { return known }
    let file = try ReadableFile(path, disk: disk)
    guard let facts = try FileFacts(file) else { return nil }
    return IndexedFile(path: relative, facts: facts, status: file.status).asset(in: folder)
  }
}
