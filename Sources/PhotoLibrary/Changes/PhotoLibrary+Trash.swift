// Moving assets to the desktop's trash, listing and deleting them there, and restoring them.

import CameraCore
import Foundation
import Localization

extension PhotoLibrary {
  /// Moves assets to the desktop's trash.
  ///
  /// - Returns: What `restore` needs, also after a restart.
  /// - Throws: `trashUnavailable` when their file system has no usable trash, or as `performChanges`.
  @discardableResult
  public func trash(_ assets: [Asset.ID]) async throws(PhotoLibraryError) -> [TrashedAsset] {
    var changes = ChangeSet()
    changes.trash(assets)
    return try await perform(changes).trashed
  }

  /// Restores assets from the trash to their original locations, with their favorites, albums and edits.
  ///
  /// - Throws: `fileMissing` when an asset is no longer in the trash, or as `performChanges`.
  public func restore(_ assets: [TrashedAsset]) async throws(PhotoLibraryError) {
    var changes = ChangeSet()
    changes.restore(assets)
    _ = try await perform(changes)
  }

  /// The assets of this library that are in the desktop's trash now, whoever put them there, the latest first.
  /// `restore` takes them, also after a restart.
  ///
  /// - Throws: When the index can't be used.
  public func trashedAssets() async throws(PhotoLibraryError) -> [TrashedAsset] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let contents = TrashContents(of: self.layout, in: self.desktopTrash, disk: self.disk)
      let assets = try self.identified(contents)
      return contents.wholes.map { assets[$0] }
    }
  }

  /// The assets of a trash with the ids that they had.
  private func identified(_ contents: TrashContents) throws(PhotoLibraryError) -> [TrashedAsset] {
    let known = Dictionary(grouping: try index.departures()) { PathBytes($0.trashed ?? "") }
    return try contents.assets.map { asset throws(PhotoLibraryError) in
      var asset = asset
      if let departures = known[PathBytes(asset.trashedURL.path)] {
        // After the trash was emptied, its names are given to others.
        asset.id = (departures.first { possibleIDs(asset).contains($0.id) } ?? departures[0]).id
        return asset
      }
      // While another file with the same picture is in the library, that one has the picture's own id.
      if try index.asset(id: asset.id) != nil, let path = layout.relative(asset.url.path) {
        asset.id = AssetIdentity.id(ofCopy: asset.id, at: path)
      }
      return asset
    }
  }

  /// The ids that an asset in the trash may have by its content, which the trash's list gives as its id.
  private func possibleIDs(_ asset: TrashedAsset) -> [Asset.ID] {
    layout.relative(asset.url.path).map { AssetIdentity.possibleIDs(asset.id, at: $0) } ?? [asset.id]
  }

  /// The same with what is needed to show them.
  ///
  /// - Throws: When the index can't be used.
  public func trashedPictures() async throws(PhotoLibraryError) -> [TrashedPicture] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let contents = TrashContents(of: self.layout, in: self.desktopTrash, disk: self.disk)
      let store = RecordStore(folder: self.layout, disk: self.disk)
      let all = try self.identified(contents)
      return contents.wholes.map { index in
        let trashed = all[index]
        var asset = contents.asset(at: index)
        (asset.id, asset.url) = (trashed.id, trashed.trashedURL)
        do throws(PhotoLibraryError) {
          let record = try store.record(trashed.id)
          (asset.isFavorite, asset.isHidden) = (record.isFavorite, record.isHidden)
          (asset.isEdited, asset.isPicked) = (record.edit != nil, record.isKeyPhoto)
        } catch {
          // It might have been hidden.
          asset.isHidden = true
        }
        return TrashedPicture(trashed: trashed, asset: asset)
      }
    }
  }

  /// Those of these assets that are in the trash now, with their present places there: a picture may have been restored
  /// and deleted again since, and its name in the trash may be another file's by now.
  ///
  /// - Throws: When the index can't be used.
  public func stillTrashed(_ assets: [TrashedAsset]) async throws(PhotoLibraryError) -> [TrashedAsset] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let contents = TrashContents(of: self.layout, in: self.desktopTrash, disk: self.disk)
      let byOrigin = Dictionary(grouping: contents.assets) { PathBytes($0.url.path) }
      return assets.compactMap { asset in
        let found = byOrigin[PathBytes(asset.url.path)]?.first { now in
          let isInPlace = PathBytes(now.trashedURL.path) == PathBytes(asset.trashedURL.path)
          return isInPlace && now.isDeleted(asWith: asset) || self.possibleIDs(now).contains(asset.id)
        }
        return found.map { now in
          var now = now
          now.id = asset.id
          return now
        }
      }
    }
  }

  /// Those of some ids that no asset has, in the library or in its trash, after a scan of all of it.
  ///
  /// One that has gone, and may come back, has its id for as long as it is remembered: it may be on a disk of its own that isn't
  /// there now. None is unused while the library isn't there, or its trash can't be read: nobody knows then.
  ///
  /// - Throws: `index` when the index can't be used, or the error that ended the scan.
  public func unusedIDs(among ids: Set<Asset.ID>) async throws(PhotoLibraryError) -> Set<Asset.ID> {
    guard !ids.isEmpty else { return [] }
    // Not with the state before a change that another program doesn't complete.
    try await reconciler.refresh(patience: .endless)
    guard unavailabilityReason == nil else { return [] }
    return try await Blocking.run { () throws(PhotoLibraryError) in
      guard self.index.wasScanned else { return [] }
      let contents = TrashContents(of: self.layout, in: self.desktopTrash, disk: self.disk)
      guard let possible = contents.ids else { return [] }
      let trashed = possible.union(try self.identified(contents).map(\.id))
      let departed = try self.index.departures().map(\.id)
      // Last: what came back from there meanwhile isn't in it anymore.
      return try self.index.unknown(ids).subtracting(trashed).subtracting(departed)
    }
  }

  /// Deletes assets in the trash permanently, with their originals and records. Those that another program has emptied
  /// from the trash meanwhile are skipped.
  ///
  /// - Throws: `inputOutput` when the trash doesn't let go of a file, or as `performChanges`.
  public func deletePermanently(_ assets: [TrashedAsset]) async throws(PhotoLibraryError) {
    var changes = ChangeSet()
    changes.deletePermanently(assets)
    _ = try await perform(changes)
    try await Blocking.run { () throws(PhotoLibraryError) in
      for path in assets.map(\.trashedURL.path) where self.disk.status(path) != nil {
        throw .inputOutput(operation: .delete, path: path, reason: localized("it’s still in the Trash"))
      }
    }
  }

  /// A notification whenever something in the trash may have changed, by whatever program, until the stream is dropped.
  public func trashChanges() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watcher = TrashWatcher(desktopTrash.folders(for: layout.path).map(\.folder)) { continuation.yield() }
    continuation.onTermination = { _ in watcher.stop() }
    return stream
  }
}
