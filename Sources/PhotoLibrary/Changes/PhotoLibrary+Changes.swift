// How the library is changed: files first, made durable, then the index.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// Makes the folders that a shot needs, so that a folder that can't be written is known before the first shot.
  public func prepareForCapture() async throws(PhotoLibraryError) {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.session.begin()
    }
  }

  /// The one way to change the library: all that `body` asks for is done, or nothing is.
  ///
  /// `body` runs at once and only notes what is wanted; then the files are made durable and the index follows. When
  /// the process is killed meanwhile, nothing of it has happened, or all of it has when the library is opened again.
  ///
  /// - Returns: What `body` returned, when everything is durable on disk and indexed.
  public func performChanges<R: Sendable>(
    _ body: @Sendable (inout ChangeSet) throws -> R
  ) async throws(PhotoLibraryError) -> R {
    var changes = ChangeSet()
    let result: R
    do { result = try body(&changes) } catch let error as PhotoLibraryError {
      throw error
    } catch {
      throw .changesFailed(reason: error.localizedDescription)
    }
    _ = try await perform(changes)
    return result
  }

  /// Adds one asset: `performChanges` with a single request.
  public func createAsset(_ request: AssetCreationRequest) async throws(PhotoLibraryError) -> Asset {
    var changes = ChangeSet()
    changes.create(request)
    let outcome = try await perform(changes)
    guard let asset = outcome.created.first else { throw outcome.missing }
    return asset
  }

  /// Makes the still of a live photo durable at once, while its movie is still being gathered.
  ///
  /// - Parameters:
  ///   - photo: A JPEG from SOI to EOI.
  ///   - id: The id that the asset will have.
  public func stage(
    _ photo: Data, id: Asset.ID = Asset.makeID(), metadata: PhotoMetadata
  ) async throws(PhotoLibraryError) -> StagedPhoto {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let jpeg = try PhotoAssembly.photo(jpeg: photo, metadata: metadata, id: id)
      let name = "\(LibraryFolder.stem(metadata))_\(id).jpg"
      let path = "\(self.session.path)/\(name)"
      try self.session.write { () throws(PhotoLibraryError) in
        let temporary = "\(self.session.path)/\(self.session.temporaryName(for: name))"
        try FileWriter(disk: self.disk).write(jpeg, to: temporary)
        do throws(PhotoLibraryError) {
          _ = try self.disk.renameNew(temporary, to: path)
        } catch {
          self.disk.discard(temporary)
          throw error
        }
        try self.disk.synchronizeFolder(self.session.path)
      }
      return StagedPhoto(id: id, path: path, jpeg: jpeg, metadata: metadata)
    }
  }

  /// What became of a block.
  struct Outcome: Sendable {
    /// The new assets, without those that were gone again at once.
    var created: [Asset] = []
    /// Why the first of those that are not among them could not be read.
    var unread: PhotoLibraryError?
    var trashed: [TrashedAsset] = []

    /// What to say of an asset that was made and is not there.
    var missing: PhotoLibraryError {
      unread ?? .changesFailed(reason: "the picture was saved, and then removed by another program")
    }
  }

  func perform(_ changes: ChangeSet) async throws(PhotoLibraryError) -> Outcome {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.session.write { () throws(PhotoLibraryError) in
        // New pictures touch nothing that others may be changing.
        if changes.changes.isEmpty { return try self.performLocked(changes) }
        let lock = try WriteLock(self.layout, disk: self.disk)
        defer { lock.keep() }
        // What other processes have changed since must be known, and is by those that wrote it before they let go.
        return try self.performLocked(changes)
      }
    }
  }

  /// For whoever holds `WriteLock`, or only makes new assets.
  ///
  /// - Parameter isCancelled: Asked now and then while files are copied; then it throws `cancelled`, and nothing is done.
  func performLocked(
    _ changes: ChangeSet, isCancelled: () -> Bool = { false }
  ) throws(PhotoLibraryError) -> Outcome {
    var transaction = ChangeTransaction(self)
    let runner = JournalRunner(folder: layout, disk: disk, trash: desktopTrash)
    // What a journal still speaks of is needed at the next start.
    defer { if !runner.hasJournal(of: session) { transaction.clear() } }
    try transaction.prepare(changes, isCancelled: isCancelled)
    let paths = try runner.perform(transaction.steps, session: session)
    for path in transaction.leftovers {
      do throws(PhotoLibraryError) { try disk.remove(path) } catch {
        // The shot is saved; what is left of it is cleared at the next start.
        Self.logger.warning("\(error.description)")
      }
    }
    let created = transaction.creationSteps.map { paths[$0] }
    do throws(PhotoLibraryError) {
      try reconciler.reindex(records: transaction.touchedRecords)
      try reconciler.reindex(created.compactMap { layout.relative($0) } + transaction.touched.sorted())
    } catch {
      // The pictures are safe; the index is a cache, and is looked after in the background.
      Self.logger.error("\(error.description)")
      reconciler.scanAll()
    }
    var outcome = Outcome(trashed: transaction.trashed)
    for path in created {
      do throws(PhotoLibraryError) {
        if let asset = try asset(at: path) { outcome.created.append(asset) }
      } catch {
        outcome.unread = outcome.unread ?? error
      }
    }
    return outcome
  }

  /// What the file says, which is what the index says; `nil` when it is gone.
  private func asset(at path: String) throws(PhotoLibraryError) -> Asset? {
    guard let relative = layout.relative(path), disk.status(path) != nil else { return nil }
    let file = try ReadableFile(path, disk: disk)
    guard let facts = try FileFacts(file) else { return nil }
    return IndexedFile(path: relative, facts: facts, status: file.status).asset(in: folder)
  }
}
