// The collections that aren't fetched from the index alone: the trash, and hidden pictures behind their lock.

import Foundation
import Localization
import PhotoLibrary

extension LibraryModel {
  /// What must not stay behind when another collection is shown.
  func leaveCollection() {
    if isShowingDeleted { recentlyDeleted.stop() }
    if collection.kind == .smart(.hidden) { lock?.close() }
  }

  /// Whether the grid shows the pictures in the trash.
  public var isShowingDeleted: Bool { collection.kind == .recentlyDeleted }
  /// Whether the pictures of the collection must not be shown before the password was given.
  public var isLocked: Bool { collection.kind == .smart(.hidden) && lock?.isClosed == true }

  /// The lock on hidden pictures was opened or closed.
  func lockChanged() {
    guard isOpen else { return }
    if isLocked {
      // At once: nothing of them stays on the screen.
      stopSelecting()
      list.show(fixed: [])
      viewedListChanged?()
    } else if collection.kind == .smart(.hidden) {
      Task { await reload() }
    }
    if isShowingDeleted { showDeleted() }
  }

  /// The list of the trash was read.
  func showDeleted() {
    guard isShowingDeleted else { return }
    let ids = Set(selection.compactMap { list.assetIfRead(at: $0)?.id })
    let assets = searchText.isEmpty ? recentlyDeleted.assets : recentlyDeleted.assets.filter { isFound($0) }
    list.show(fixed: assets)
    viewedListChanged?()
    let kept = IndexSet(assets.indices.filter { ids.contains(assets[$0].id) })
    guard kept != selection else { return }
    setSelection(kept)
    if isSelecting, kept.isEmpty { stopSelecting() }
  }

  /// The accessible name of a picture of the list; in the trash, with the date of deletion.
  public func spokenName(of asset: Asset) -> String {
    let name = PictureInfo.spokenName(of: asset)
    guard isShowingDeleted, let deleted = recentlyDeleted.picture(asset.id)?.trashed.deleted else { return name }
    let when = deleted.localized(Date.FormatStyle(date: .abbreviated, time: .shortened))
    return localized("\(name), deleted \(when)", comment: "{0} is the spoken name of a picture, {1} a date")
  }

  /// Whether a picture in the trash matches the search: all words in its former name or the camera's.
  private func isFound(_ asset: Asset) -> Bool {
    let name = recentlyDeleted.picture(asset.id)?.trashed.url.lastPathComponent ?? ""
    let text = "\(name) \(asset.cameraName ?? "")"
    return searchText.split(whereSeparator: \.isWhitespace).allSatisfy {
      text.range(of: $0, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
  }
}
