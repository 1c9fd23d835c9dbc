// Places, and what there is to search for.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// The places where pictures were taken that aren't hidden: countries with their cities by title, then spots without a
  /// name. Their names are looked up without a network, in `Gazetteer`.
  ///
  /// - Parameter groupsBursts: Whether the pictures of a burst count as one.
  /// - Throws: `index` when the index can't be used.
  public func fetchPlaces(groupsBursts: Bool = false) async throws(PhotoLibraryError) -> [PhotoPlace] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.index.namePlaces(from: Gazetteer.installed)
      return try self.index.places(groupsBursts: groupsBursts)
    }
  }

  /// Those of some kinds of which there are pictures that aren't hidden.
  ///
  /// - Throws: `index` when the index can't be used.
  public func fetchKinds(among kinds: [SearchKind]) async throws(PhotoLibraryError) -> Set<SearchKind> {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.kinds(among: kinds) }
  }

  /// The albums, places, cameras, kinds and months that a search can ask for, with their counts. Some 100 ms for 100,000
  /// pictures.
  ///
  /// - Throws: `index` when the index can't be used.
  public func fetchSearchFacets() async throws(PhotoLibraryError) -> SearchFacets {
    let places = try await fetchPlaces()
    return try await Blocking.run { () throws(PhotoLibraryError) in
      var facets = try self.index.facets()
      facets.places = places
      return facets
    }
  }
}
