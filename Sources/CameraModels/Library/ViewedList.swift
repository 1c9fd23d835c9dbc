// The list through which the viewer moves: the one that it was opened from.

import PhotoLibrary

/// The strip, or the grid.
@MainActor public protocol ViewedList: AnyObject {
  /// The asset so many places after another one, before it for negative steps; `nil` where there is none.
  func neighbour(of id: Asset.ID, by step: Int) -> Asset?

  /// Called when assets have come, gone or moved.
  var viewedListChanged: (() -> Void)? { get set }

  /// The viewer shows this asset now: the list's own mark moves along.
  func viewerShows(_ id: Asset.ID)
}
