// The texts of the library's page: its title, and what it says when it has no pictures.

import Foundation
import PhotoLibrary

extension LibraryModel {
  /// The page's title: the collection's, or the number of selected pictures in selection mode.
  public var title: String {
    if isSelecting { return selection.isEmpty ? "Select Pictures" : "\(selection.count) Selected" }
    return collection.kind == .smart(.all) ? "Library" : collection.title
  }

  /// The number of listed pictures. Empty while they are loading, and in selection mode while none are selected.
  public var subtitle: String {
    let count = list.count
    if isSelecting { return selection.isEmpty ? "" : "of \(count.formatted())" }
    guard list.isLoaded else { return "" }
    return count == 1 ? "1 item" : "\(count.formatted()) items"
  }

  /// The page's contents when there are no pictures to show; `nil` while there are, and while the list is loading.
  public var emptyPage: EmptyPage? {
    if let failure = list.failure {
      return EmptyPage(icon: "dialog-warning-symbolic", title: "Library Can’t Be Read", text: failure, way: .tryAgain)
    }
    if isShowingDeleted, let failure = recentlyDeleted.failure {
      return EmptyPage(icon: "dialog-warning-symbolic", title: "Trash Can’t Be Read", text: failure, way: .tryAgain)
    }
    if isLocked {
      return EmptyPage(
        icon: "system-lock-screen-symbolic", title: "Hidden Pictures Are Locked",
        text: lock?.problem ?? "Enter the password that you log in with to see them.", way: .unlock)
    }
    guard list.isLoaded, list.count == 0, !isShowingDeleted || recentlyDeleted.isRead else { return nil }
    if !searchText.isEmpty {
      return EmptyPage(
        icon: "edit-find-symbolic", title: "No Results Found",
        text: "No file name, camera or album here matches “\(searchText)”.")
    }
    switch collection.kind {
    case .smart(.all):
      return EmptyPage(
        icon: "camera-photo-symbolic", title: "No Pictures Yet", text: "Photos that you take will appear here.")
    case .smart(.favorites):
      return EmptyPage(
        icon: "starred-symbolic", title: "No Favorites Yet", text: "Press F on a picture to add it here.")
    case .album:
      return EmptyPage(
        icon: "folder-pictures-symbolic", title: "Empty Album",
        text: "Drag pictures onto the album, or select some and choose “Add to Album”.")
    case .recentlyDeleted:
      return EmptyPage(
        icon: "user-trash-symbolic", title: "Nothing Deleted",
        text: "Pictures that you delete are listed here until the desktop’s Trash is emptied.")
    default:
      return EmptyPage(
        icon: "view-app-grid-symbolic", title: "No Pictures", text: "There is nothing here at the moment.")
    }
  }

  /// A message in place of the grid.
  public struct EmptyPage: Hashable, Sendable {
    /// The name of a symbolic icon.
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
