// The names of changes, for menus and messages.

import Foundation

/// The name of a change that can be undone, as in “Undo Deleting 3 Items”.
///
/// It is stored with its parts rather than as a text, so that a later start shows it in the words of its own version.
public struct ChangeName: Codable, Hashable, Sendable {
  /// The kinds of changes. The raw values are in files, and permanent.
  public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
    case favorite, unfavorite, hide, unhide, delete, restore, addToAlbum, removeFromAlbum, newAlbum, newFolder, rename
    case move, deleteAlbum, deleteFolder, edit, revert, importing, keyPhoto, date, place, removePlace
    case editSearch, order, cover, sortAlbums
  }

  public var kind: Kind
  /// The number of pictures that it is about.
  public var count: Int
  /// The title of the album or the folder; `nil` for changes of pictures.
  public var title: String?

  public init(_ kind: Kind, count: Int = 1, title: String? = nil) {
    (self.kind, self.count, self.title) = (kind, count, title)
  }
}
