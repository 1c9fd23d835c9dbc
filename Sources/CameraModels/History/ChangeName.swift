// The names of changes, for menus and messages.

import Foundation

/// The name of a change that can be undone, as in “Undo Delete of 3 Pictures”.
///
/// It is stored with its parts rather than as a text, so that a later start shows it in the words of its own version.
public struct ChangeName: Codable, Hashable, Sendable {
  /// The kinds of changes. The raw values are in files, and permanent.
  public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
    case favorite, unfavorite, hide, unhide, delete, restore, addToAlbum, removeFromAlbum, newAlbum, newFolder, rename
    case move, deleteAlbum, deleteFolder, edit, revert, importing, keyPhoto
  }

  public var kind: Kind
  /// The number of pictures that it is about.
  public var count: Int
  /// The title of the album or the folder; `nil` for changes of pictures.
  public var title: String?

  public init(_ kind: Kind, count: Int = 1, title: String? = nil) {
    (self.kind, self.count, self.title) = (kind, count, title)
  }

  /// In header capitalization: “Delete of 3 Pictures”, “Rename of “Sea””.
  public var text: String {
    let ofSeveral = count == 1 ? "" : " of \(count.formatted()) Pictures"
    let named = title.map { "“\($0)”" } ?? "Album"
    return switch kind {
    case .favorite: "Favorite" + ofSeveral
    case .unfavorite: "Unfavorite" + ofSeveral
    case .hide: "Hide" + ofSeveral
    case .unhide: "Unhide" + ofSeveral
    case .delete: "Delete" + ofSeveral
    case .restore: "Restore" + ofSeveral
    case .addToAlbum: "Add\(ofSeveral) to \(named)"
    case .removeFromAlbum: "Remove\(ofSeveral) from \(named)"
    case .newAlbum: "New Album \(named)"
    case .newFolder: "New Folder \(named)"
    case .rename: "Rename of \(named)"
    case .move: "Move of \(named)"
    case .deleteAlbum: "Delete of Album \(named)"
    case .deleteFolder: "Delete of Folder \(named)"
    case .edit: "Edit" + ofSeveral
    case .revert: "Revert" + ofSeveral
    case .importing: "Import" + ofSeveral
    case .keyPhoto: "Change of Key Photo"
    }
  }
}
