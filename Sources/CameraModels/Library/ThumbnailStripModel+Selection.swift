// The selection in the strip, which actions on the camera's page apply to.

import Foundation
import PhotoLibrary

extension ThumbnailStripModel {
  /// The selected pictures that are saved, newest first.
  public var selectedAssets: [Asset] { items.filter { selection.contains($0.id) }.compactMap(\.asset) }

  /// Handles a click on an item.
  ///
  /// - Parameters:
  ///   - extends: Whether the click selects the range from the item that was selected before.
  ///   - toggles: Whether it selects or deselects the item.
  /// - Returns: Whether the item is to be opened.
  public func click(at index: Int, extends: Bool, toggles: Bool) -> Bool {
    guard items.indices.contains(index) else { return false }
    if extends {
      let start = items.firstIndex { $0.id == selectedID } ?? index
      select(selection.union(items[min(start, index)...max(start, index)].map(\.id)), current: selectedID)
    } else if toggles {
      toggleSelection(at: index)
    } else {
      return true
    }
    return false
  }

  /// Adds an item to the selection, or removes it.
  public func toggleSelection(at index: Int) {
    guard items.indices.contains(index) else { return }
    let id = items[index].id
    select(selection.symmetricDifference([id]), current: id)
  }

  /// Makes an item the target of the next action, for a context menu or a drag: one of several selected items stands for all of
  /// them.
  ///
  /// - Returns: Whether it is the only one now.
  public func target(at index: Int) -> Bool {
    guard items.indices.contains(index), !selection.contains(items[index].id) else { return false }
    selectedID = items[index].id
    return true
  }

  /// The list changed the selection by itself.
  public func selectionChanged(to indexes: IndexSet) {
    let ids = Set(indexes.filter(items.indices.contains).map { items[$0].id })
    if ids != selection { select(ids, current: selectedID) }
  }

  /// - Parameter current: Is the one that is opened, if it is among them.
  func select(_ ids: Set<Asset.ID>, current: Asset.ID?) {
    selectedID = current.flatMap { ids.contains($0) ? $0 : nil } ?? items.first { ids.contains($0.id) }?.id
    selection = ids
  }
}
