// The pictures of bursts, which lists may show as one.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// All pictures that these stand for in a list whose bursts are grouped, in order; the others as they are.
  ///
  /// - Parameters:
  ///   - assets: Of that list.
  ///   - options: The options and the collection that it was fetched with.
  /// - Throws: `index` when the index can't be used.
  public func ungrouped(
    _ assets: [Asset], _ options: FetchOptions = FetchOptions(), in collection: AssetCollection? = nil
  ) async throws(PhotoLibraryError) -> [Asset] {
    guard assets.contains(where: \.representsBurst) else { return assets }
    var all: [Asset] = []
    for asset in assets {
      guard asset.representsBurst, let burstID = asset.burstID else {
        all.append(asset)
        continue
      }
      var members = options
      members.burstID = burstID
      members.groupsBursts = false
      members.sort = FetchOptions.Sort(.created, isAscending: true)
      members.limit = nil
      members.includesHidden = members.includesHidden || asset.isHidden
      // A burst may go beyond the day or the month that lists it.
      members.created = nil
      let query = AssetQuery(members, in: collection, ignoringTime: true)
      all += try await Blocking.run { () throws(PhotoLibraryError) in
        let result = try self.index.fetch(query)
        return try result.allAssets()
      }
    }
    return all
  }

  /// The pictures of a burst, in the order in which they were taken: those that are hidden, or those that aren't.
  ///
  /// - Throws: `index` when the index can't be used.
  public func burst(_ id: String, isHidden: Bool = false) async throws(PhotoLibraryError) -> [Asset] {
    var options = FetchOptions()
    options.burstID = id
    options.includesHidden = isHidden
    options.sort = FetchOptions.Sort(.created, isAscending: true)
    let result = try await fetch(options)
    let frames = try await Blocking.run { () throws(PhotoLibraryError) in try result.allAssets() }
    return frames.filter { $0.isHidden == isHidden }
  }

  /// The pictures of the burst that a picture is in, hidden like it; none for one that is in none.
  ///
  /// - Throws: `index` when the index can't be used.
  public func burst(of asset: Asset) async throws(PhotoLibraryError) -> [Asset] {
    guard let id = asset.burstID else { return [] }
    return try await burst(id, isHidden: asset.isHidden)
  }
}
