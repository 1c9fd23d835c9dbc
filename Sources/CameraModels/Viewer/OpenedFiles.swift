// The files that were opened together, as the list that the viewer moves through.

import PhotoLibrary

/// Pictures and movies that were given to the program, in their order. Some may be the library's own.
@MainActor public final class OpenedFiles: ViewedList {
  public private(set) var assets: [Asset]
  public var viewedListChanged: (() -> Void)?

  init(_ assets: [Asset]) { self.assets = assets }

  public func neighbor(of asset: Asset, by step: Int) -> Asset? {
    guard let index = assets.firstIndex(where: { $0.id == asset.id }), assets.indices.contains(index + step) else {
      return nil
    }
    return assets[index + step]
  }

  public func viewerShows(_ asset: Asset) {}

  public func viewedAssetChanged(_ id: Asset.ID, to asset: Asset?) {
    guard let index = assets.firstIndex(where: { $0.id == id }) else { return }
    if let asset { assets[index] = asset } else { assets.remove(at: index) }
  }
}
