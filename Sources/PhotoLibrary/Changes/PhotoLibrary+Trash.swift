// Moving assets to the desktop's trash, listing them there, and restoring them.

import CameraCore
import Foundation

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
      return try contents.assets.map { asset throws(PhotoLibraryError) in
        var asset = asset
        // While another file with the same picture is in the library, that one has the picture's own id.
        if try self.index.asset(id: asset.id) != nil, let path = self.layout.relative(asset.url.path) {
          asset.id = AssetIdentity.id(ofCopy: asset.id, at: path)
        }
        return asset
      }
    }
  }
}
