// The texts of the library's page: its title, and what it says when it has no pictures.

import Foundation
import Localization
import PhotoLibrary

extension LibraryModel {
  /// The page's title: the collection's, or the number of selected pictures in selection mode.
  public var title: String {
    if isSelecting {
      let count = selection.count
      return count == 0
        ? localized("Select Items")
        : localized("\(count) Selected", plural: "\(count) Selected", count: count)
    }
    return collection.kind == .smart(.all) ? localized("Library") : collection.title
  }

  /// The number of listed pictures. Empty while they are loading, and in selection mode.
  public var subtitle: String {
    guard list.isLoaded, !isSelecting else { return "" }
    return localized("\(list.count) item", plural: "\(list.count) items", count: list.count)
  }

  /// The page's contents when there are no pictures to show; `nil` while there are, and while the list is loading.
  public var emptyPage: EmptyPage? {
    if let failure = list.failure {
      return EmptyPage(
        icon: "photome-trouble", title: localized("Library Can’t Be Read"), text: failure, way: .tryAgain)
    }
    if isShowingDeleted, let failure = recentlyDeleted.failure {
      return EmptyPage(
        icon: "photome-trouble", title: localized("Trash Can’t Be Read"), text: failure, way: .tryAgain)
    }
    if isLocked {
      return EmptyPage(
        icon: "photome-hidden", title: localized("Hidden Items Are Locked"),
        text: lock?.problem ?? localized("Enter your login password to see them."), way: .unlock)
    }
    guard list.isLoaded, list.count == 0, !isShowingDeleted || recentlyDeleted.isRead else { return nil }
    if !searchText.isEmpty {
      return EmptyPage(
        icon: "photome-empty-search", title: localized("No Results Found"),
        text: localized("No name, camera, album, place, date, or kind here matches “\(searchText)”."))
    }
    switch collection.kind {
    case .smart(.all):
      return EmptyPage(
        icon: "photome-empty-library", title: localized("No Photos Yet"),
        text: localized("Photos and videos that you take will appear here."))
    case .smart(.favorites):
      return EmptyPage(
        icon: "photome-empty-favorites", title: localized("No Favorites Yet"),
        text: localized("Open a photo or video and click the star, or press F, to add it here."))
    case .album:
      return EmptyPage(
        icon: "photome-empty-album", title: localized("Empty Album"),
        text: localized("Drag photos and videos to the album, or select some and choose “Add to Album”."))
    case .recentlyDeleted:
      return EmptyPage(
        icon: "photome-empty-trash", title: localized("No Deleted Items"),
        text: localized("Photos and videos that you delete stay here until the Trash is emptied."))
    default:
      return EmptyPage(
        icon: "photome-empty", title: localized("No Items"),
        text: localized("There is nothing here at the moment."))
    }
  }

  /// A message in place of the grid.
  public struct EmptyPage: Hashable, Sendable {
    /// The name of a drawing among the program’s icons.
    public let icon: String
    public let title: String
    public let text: String
    /// The button under the text; `nil` for none.
    public var way: Way?
  }

  /// A way out of an empty page.
  public enum Way: Hashable, Sendable {
    case tryAgain, unlock
  }
}
