// The pictures of which nothing is kept: hidden ones, and those that are being deleted.

import Foundation
import Synchronization

/// A cache that forgets pictures.
protocol ForgettingCache: AnyObject, Sendable {
  /// Drops all images of these assets.
  func forget(_ ids: Set<Asset.ID>)
}

/// The files that were hidden in this process, and the caches in memory that must forget them.
///
/// A request that was made before a picture was hidden doesn't know of it, and the image managers don't know the library;
/// hence one list for the process.
final class ConcealedPictures: Sendable {
  static let shared = ConcealedPictures()

  private struct Cache {
    weak var cache: (any ForgettingCache)?
  }

  private struct State {
    var paths: Set<String> = []
    var caches: [Cache] = []
  }

  private let state = Mutex(State())

  /// Adds a cache, which is not retained.
  func add(_ cache: any ForgettingCache) {
    state.withLock { state in
      state.caches.removeAll { $0.cache == nil }
      state.caches.append(Cache(cache: cache))
    }
  }

  /// Whether a file is hidden or being deleted. Any thread.
  func contains(_ path: String) -> Bool { state.withLock { $0.paths.contains(path) } }

  var isEmpty: Bool { state.withLock { $0.paths.isEmpty } }

  /// Conceals files, and makes the caches forget their assets.
  func conceal(_ assets: [Asset]) {
    let caches = state.withLock { state in
      state.paths.formUnion(assets.map(\.url.path))
      return state.caches.compactMap(\.cache)
    }
    for cache in caches { cache.forget(Set(assets.map(\.id))) }
  }

  /// Ends the concealment of files.
  func reveal(_ assets: [Asset]) { reveal(paths: assets.map(\.url.path)) }

  /// The same for absolute paths.
  func reveal(paths: [String]) { state.withLock { $0.paths.subtract(paths) } }
}
