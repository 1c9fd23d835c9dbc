// The files that were opened together, as the list that the viewer moves through.

import PhotoLibrary

/// Pictures and movies that were given to the program, in their order. Some may be the library's own.
@MainActor public final class OpenedFiles: ViewedList {
  public private(set) var assets: [Asset]
  public var viewedListChanged: (() -> Void)?
  /// The files whose copies in the library have taken their places, by the copies' IDs.
  private var originals: [Asset.ID: Asset] = [:]
  private let showsHidden: () -> Bool

  /// - Parameter showsHidden: Whether hidden pictures may be shown at the moment; else they are passed over.
  init(_ assets: [Asset], showsHidden: @escaping () -> Bool) {
    (self.assets, self.showsHidden) = (assets, showsHidden)
  }

  public func neighbor(of asset: Asset, by step: Int) -> Asset? {
    guard let index = assets.firstIndex(where: { $0.id == asset.id }), step != 0 else { return nil }
    let shown = (step > 0 ? Array(assets[(index + 1)...]) : assets[..<index].reversed())
      .filter { !$0.isHidden || showsHidden() }
    return shown.dropFirst(abs(step) - 1).first
  }

  public func viewerShows(_ asset: Asset) {}

  /// A copy that is gone gives its place back to the file.
  @discardableResult public func viewedAssetChanged(_ id: Asset.ID, to asset: Asset?) -> Asset? {
    guard let index = assets.firstIndex(where: { $0.id == id }) else { return nil }
    guard let asset = asset ?? originals.removeValue(forKey: id) else {
      assets.remove(at: index)
      return nil
    }
    if assets[index].isOutside, !asset.isOutside { originals[asset.id] = assets[index] }
    // Two files with the same content are the same picture in the library.
    if id != asset.id, assets.contains(where: { $0.id == asset.id }) {
      assets.remove(at: index)
    } else {
      assets[index] = asset
    }
    return asset
  }
}
