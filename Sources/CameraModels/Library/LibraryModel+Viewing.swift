// The grid as the list that the viewer moves through, and as the source of drags: both need answers at once.

import Foundation
import PhotoLibrary

extension LibraryModel: ViewedList {
  /// The asset beside another one, as far as the list is in memory. Otherwise it is read, and `viewedListChanged` is called
  /// afterward.
  public func neighbor(of asset: Asset, by step: Int) -> Asset? {
    guard let index = list.indexIfRead(of: asset) else {
      locate(asset.id)
      return nil
    }
    let asset = list.assetIfRead(at: index + step)
    if asset == nil, (0..<list.count).contains(index + step) { awaitsPage = true }
    return asset
  }

  public func viewerShows(_ asset: Asset) {
    guard !isSelecting else { return }
    guard let index = list.indexIfRead(of: asset) else {
      marksLocated = true
      return locate(asset.id)
    }
    mark(index)
  }

  private func mark(_ index: Int) {
    anchor = index
    setSelection([index])
  }

  /// Finds an asset whose page isn't in memory.
  private func locate(_ id: Asset.ID) {
    // Asked about again by the viewer while the answer is on its way, or known to have none in this state of the list.
    guard located?.id != id || located?.revision != list.revision else { return }
    located = (id, list.revision)
    Task { [weak self] in
      // Reads the page.
      guard let index = await self?.list.index(of: id), await self?.list.asset(at: index) != nil, let self else {
        return
      }
      if marksLocated, !isSelecting, located?.id == id { mark(index) }
      (marksLocated, located) = (false, nil)
      viewedListChanged?()
    }
  }

  /// A page of the list has been read.
  func pageWasRead() {
    guard awaitsPage else { return }
    awaitsPage = false
    viewedListChanged?()
  }

  // MARK: Drags

  /// A button was pressed on an asset: a drag may follow, and will need the selected assets at once.
  public func prepareDrag(at index: Int) {
    let indexes = isSelecting ? selection.union([index]) : [index]
    if let assets = list.assetsIfRead(at: indexes), !assets.contains(where: \.representsBurst) { return }
    let revision = list.revision
    Task { [weak self, list] in
      do throws(PhotoLibraryError) {
        let assets = try await list.assets(at: indexes)
        guard let members = try await self?.members(of: assets) else { return }
        self?.prepared = (indexes, revision, members)
      } catch { self?.report(error) }
    }
  }

  /// The selected assets for a drag, of bursts all their pictures; `nil` while they are being read.
  public var draggedAssets: [Asset]? {
    if let assets = list.assetsIfRead(at: selection), !assets.contains(where: \.representsBurst) { return assets }
    guard let prepared, prepared.indexes == selection, prepared.revision == list.revision else { return nil }
    return prepared.assets
  }
}
