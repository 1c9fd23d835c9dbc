// Lists of assets, albums and moments, read from the index.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// Fetches a list of assets: only row numbers, 8 bytes each. Some 30 ms for 100,000; fetches run concurrently.
  ///
  /// - Parameter collection: `nil` for the whole library.
  /// - Throws: `index` when the index can't be used.
  public func fetch(
    _ options: FetchOptions = FetchOptions(), in collection: AssetCollection? = nil
  ) async throws(PhotoLibraryError) -> FetchResult {
    let query = AssetQuery(options, in: collection)
    let asksForPlaces = query.asksForPlaces
    return try await Blocking.run { () throws(PhotoLibraryError) in
      if asksForPlaces { try self.index.namePlaces(from: Gazetteer.installed) }
      return try self.index.fetch(query)
    }
  }

  /// The changes of a list since it was fetched: correct whatever happened in between, by whichever process.
  ///
  /// - Throws: `index` when the index can't be used.
  public func changeDetails(for result: FetchResult) async throws(PhotoLibraryError) -> FetchResultChangeDetails {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.changeDetails(for: result) }
  }

  /// The newest assets, newest first (`Asset.isNewer`).
  ///
  /// - Throws: `index` when the index can't be used.
  public func fetchAssets(limit: Int? = nil, offset: Int = 0) async throws(PhotoLibraryError) -> [Asset] {
    var options = FetchOptions()
    options.limit = limit.map { $0 + offset }
    let query = AssetQuery(options, in: nil)
    return try await Blocking.run { () throws(PhotoLibraryError) in
      let result = try self.index.fetch(query)
      return try self.index.assets(numbers: result.numbers.dropFirst(offset), of: query).compactMap(\.self)
    }
  }

  /// The number of assets.
  ///
  /// - Throws: `index` when the index can't be used.
  public func count() async throws(PhotoLibraryError) -> Int {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.count() }
  }

  /// The asset with an id; `nil` when there is none.
  ///
  /// - Throws: `index` when the index can't be used.
  public func asset(id: Asset.ID) async throws(PhotoLibraryError) -> Asset? {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.asset(id: id) }
  }

  /// The asset of a file; `nil` when the file isn't in the library.
  ///
  /// - Throws: `index` when the index can't be used.
  public func asset(at url: URL) async throws(PhotoLibraryError) -> Asset? {
    guard let path = relativePath(of: url) else { return nil }
    return try await Blocking.run { () throws(PhotoLibraryError) in try self.index.asset(path: path) }
  }

  /// The path of a file in the library's folder; `nil` for a file elsewhere.
  func relativePath(of url: URL) -> String? {
    let parent = LibraryFolder(url.deletingLastPathComponent()).path
    return layout.relative("\(parent)/\(Disk.name(of: url.path))")
  }

  /// Whether a folder is that of the library, or inside it, where copies would be further assets. Compared without symbolic
  /// links, which takes as long as the folder's disk.
  public func contains(folder: URL) -> Bool {
    let (place, own) = (folder.resolvingSymlinksInPath().path, layout.url.resolvingSymlinksInPath().path)
    return place == own || place.begins(with: own + "/")
  }

  /// Albums by title: all of them, or those that contain an asset.
  ///
  /// - Throws: `index` when the index can't be used.
  public func fetchAlbums(of asset: Asset.ID? = nil) async throws(PhotoLibraryError) -> [AssetCollection] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.albums(of: asset)
    }
  }

  /// The picture that stands for an album: the chosen one, as long as it is in the album and isn't hidden, else the first.
  ///
  /// - Returns: `nil` for an empty album.
  /// - Throws: `index` when the index can't be used.
  public func fetchCover(of album: AssetCollection) async throws(PhotoLibraryError) -> Asset? {
    if let id = album.coverID, let asset = try await asset(id: id), !asset.isHidden,
      try await fetchAlbums(of: id).contains(where: { $0.id == album.id })
    {
      return asset
    }
    return try await fetch(FetchOptions(limit: 1), in: album).allAssets().first
  }

  /// Folders of albums, by title.
  ///
  /// - Throws: `index` when the index can't be used.
  public func fetchLists() async throws(PhotoLibraryError) -> [CollectionList] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.lists()
    }
  }

  /// The days and places of a fetch, the latest first; `options.sort` and `limit` have no effect.
  ///
  /// - Throws: `index` when the index can't be used.
  public func fetchMoments(
    _ options: FetchOptions = FetchOptions(), in collection: AssetCollection? = nil
  ) async throws(PhotoLibraryError) -> [Moment] {
    let query = AssetQuery(options, in: collection)
    return try await Blocking.run { () throws(PhotoLibraryError) in try self.index.moments(query) }
  }

  /// The assets whose ids begin with these hexadecimal digits, in either case; none for any other string.
  ///
  /// - Throws: `index` when the index can't be used.
  public func assets(idPrefix: String, limit: Int = 2) async throws(PhotoLibraryError) -> [Asset] {
    let prefix = idPrefix.lowercased()
    let isHexadecimal = prefix.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    guard !prefix.isEmpty, prefix.utf8.count <= 32, isHexadecimal else { return [] }
    return try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.assets(idPrefix: prefix, limit: limit)
    }
  }

  /// The number of assets in each album, as a fetch of the album lists them: without hidden assets, and without those
  /// whose files don't exist now. Empty albums are omitted.
  ///
  /// - Parameter groupsBursts: Whether the pictures of a burst count as one: see `FetchOptions.groupsBursts`.
  /// - Throws: `index` when the index can't be used.
  public func fetchAlbumCounts(
    groupsBursts: Bool = false
  ) async throws(PhotoLibraryError) -> [AssetCollection.ID: Int] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.albumCounts(groupsBursts: groupsBursts)
    }
  }

  /// The albums of these assets, by title. Assets in no album are omitted.
  ///
  /// - Throws: `index` when the index can't be used.
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
