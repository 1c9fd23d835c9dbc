// Lists of assets, albums and moments, read from the index.

import Foundation

extension PhotoLibrary {
  /// Which assets there are: ids only, 8 bytes an asset. Some 30 ms for 100,000; any number of fetches run side by side.
  ///
  /// - Parameter collection: An album or whatever else assets can be in; `nil` for the whole library.
  public func fetch(
    _ options: FetchOptions = FetchOptions(), in collection: AssetCollection? = nil
  ) async throws(PhotoLibraryError) -> FetchResult {
    let query = AssetQuery(options, in: collection, now: now())
    return try await Blocking.run { () throws(PhotoLibraryError) in try self.index.fetch(query) }
  }

  /// What has changed in a list since it was fetched: correct whatever happened in between, and whoever did it.
  public func changeDetails(for result: FetchResult) async throws(PhotoLibraryError) -> FetchResultChangeDetails {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.changeDetails(for: result) }
  }

  /// The newest assets, newest first (`Asset.isNewer`).
  public func fetchAssets(limit: Int? = nil, offset: Int = 0) async throws(PhotoLibraryError) -> [Asset] {
    var options = FetchOptions()
    options.limit = limit.map { $0 + offset }
    let query = AssetQuery(options, in: nil)
    return try await Blocking.run { () throws(PhotoLibraryError) in
      let result = try self.index.fetch(query)
      return try self.index.assets(numbers: result.numbers.dropFirst(offset)).compactMap(\.self)
    }
  }

  /// How many assets there are.
  public func count() async throws(PhotoLibraryError) -> Int {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.count() }
  }

  public func asset(id: Asset.ID) async throws(PhotoLibraryError) -> Asset? {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.asset(id: id) }
  }

  /// The asset of a file; `nil` when the file is none of the library's.
  public func asset(at url: URL) async throws(PhotoLibraryError) -> Asset? {
    let parent = LibraryFolder(url.deletingLastPathComponent()).path
    guard let path = layout.relative("\(parent)/\(url.lastPathComponent)") else { return nil }
    return try await Blocking.run { () throws(PhotoLibraryError) in try self.index.asset(path: path) }
  }

  /// Albums by title: all of them, or those that an asset is in.
  public func fetchAlbums(of asset: Asset.ID? = nil) async throws(PhotoLibraryError) -> [AssetCollection] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.collections(isFolder: false, of: asset).map {
        AssetCollection(album: $0.id, title: $0.title, listID: $0.parent, created: $0.created)
      }
    }
  }

  /// Folders of albums, by title.
  public func fetchLists() async throws(PhotoLibraryError) -> [CollectionList] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.collections(isFolder: true).map {
        CollectionList(id: $0.id, title: $0.title, listID: $0.parent, created: $0.created)
      }
    }
  }

  /// The days and places of a fetch, the latest first; `options.sort` and `limit` do not count.
  public func fetchMoments(
    _ options: FetchOptions = FetchOptions(), in collection: AssetCollection? = nil
  ) async throws(PhotoLibraryError) -> [Moment] {
    let query = AssetQuery(options, in: collection, now: now())
    return try await Blocking.run { () throws(PhotoLibraryError) in try self.index.moments(query) }
  }

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
