// The texts of changes, for menus and messages.

import Localization

extension ChangeName {
  /// In header capitalization: “Delete of 3 Items”, “Rename of “Sea””. It stands behind “Undo”, and in quotation marks.
  public var text: String {
    switch kind {
    case .favorite:
      count == 1
        ? localized("Favorite", context: "change")
        : localized(
          "Addition of \(count) Item to Favorites", plural: "Addition of \(count) Items to Favorites", count: count)
    case .unfavorite:
      count == 1
        ? localized("Remove From Favorites", context: "change")
        : localized(
          "Removal of \(count) Item From Favorites", plural: "Removal of \(count) Items From Favorites", count: count)
    case .hide:
      count == 1
        ? localized("Hide", context: "change")
        : localized("Hide of \(count) Item", plural: "Hide of \(count) Items", count: count)
    case .unhide:
      count == 1
        ? localized("Unhide", context: "change")
        : localized("Unhide of \(count) Item", plural: "Unhide of \(count) Items", count: count)
    case .delete:
      count == 1
        ? localized("Delete", context: "change")
        : localized("Delete of \(count) Item", plural: "Delete of \(count) Items", count: count)
    case .restore:
      count == 1
        ? localized("Restore", context: "change")
        : localized("Restore of \(count) Item", plural: "Restore of \(count) Items", count: count)
    case .edit:
      count == 1
        ? localized("Edit", context: "change")
        : localized("Edit of \(count) Item", plural: "Edit of \(count) Items", count: count)
    case .revert:
      count == 1
        ? localized("Revert to Original", context: "change")
        : localized("Revert of \(count) Item", plural: "Revert of \(count) Items", count: count)
    case .importing:
      count == 1
        ? localized("Import", context: "change")
        : localized("Import of \(count) Item", plural: "Import of \(count) Items", count: count)
    case .addToAlbum: addition
    case .removeFromAlbum: removal
    case .newAlbum: title.map { localized("New Album “\($0)”") } ?? localized("New Album", context: "change")
    case .newFolder: title.map { localized("New Folder “\($0)”") } ?? localized("New Folder", context: "change")
    case .rename: title.map { localized("Rename of “\($0)”") } ?? localized("Rename", context: "change")
    case .move: title.map { localized("Move of “\($0)”") } ?? localized("Move", context: "change")
    case .deleteAlbum: title.map { localized("Delete of Album “\($0)”") } ?? localized("Delete of Album")
    case .deleteFolder: title.map { localized("Delete of Folder “\($0)”") } ?? localized("Delete of Folder")
    case .keyPhoto: localized("Change of Key Photo")
    }
  }

  private var addition: String {
    switch (title, count) {
    case (let title?, 1): localized("Add to “\(title)”")
    case (let title?, _):
      localized(
        "Addition of \(count) Item to “\(title)”", plural: "Addition of \(count) Items to “\(title)”", count: count)
    case (nil, 1): localized("Add to Album", context: "change")
    case (nil, _):
      localized("Addition of \(count) Item to Album", plural: "Addition of \(count) Items to Album", count: count)
    }
  }

  private var removal: String {
    switch (title, count) {
    case (let title?, 1): localized("Remove From “\(title)”")
    case (let title?, _):
      localized(
        "Removal of \(count) Item From “\(title)”", plural: "Removal of \(count) Items From “\(title)”", count: count)
    case (nil, 1): localized("Remove From Album", context: "change")
    case (nil, _):
      localized("Removal of \(count) Item From Album", plural: "Removal of \(count) Items From Album", count: count)
    }
  }
}
