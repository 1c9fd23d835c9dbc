// Finds assets by the beginning of their ids, the albums of many assets at once, and how many assets albums have.

import Foundation

extension PhotoLibrary {
  /// The assets whose ids begin with these hexadecimal digits, of either case; at most so many. Nothing is found by texts
  /// that no id begins with.
  public func assets(idPrefix: String, limit: Int = 2) async throws(PhotoLibraryError) -> [Asset] {
    let prefix = idPrefix.lowercased()
    let isHexadecimal = prefix.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    guard !prefix.isEmpty, prefix.utf8.count <= 32, isHexadecimal else { return [] }
    return try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.assets(idPrefix: prefix, limit: limit)
    }
  }

  /// How many assets each album has, as a fetch of the album lists them: without those that are hidden, or whose files are
  /// not there now. Albums without any are left out.
  public func fetchAlbumCounts() async throws(PhotoLibraryError) -> [AssetCollection.ID: Int] {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.albumCounts() }
  }

  /// The albums that these assets are in, each asset's by title. Assets in no album are left out.
  public func fetchAlbums(
    ofAssets assets: [Asset.ID]
  ) async throws(PhotoLibraryError) -> [Asset.ID: [AssetCollection]] {
    let albums = try await fetchAlbums()
    return try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.albumIDs(of: assets).mapValues { ids in
        let ids = Set(ids)
        return albums.filter { ids.contains($0.id) }
      }
    }
  }
}
