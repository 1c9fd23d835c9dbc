// The texts of changes, for menus and messages.

import Localization

extension ChangeName {
  /// In header capitalization: “Deleting 3 Items”, “Renaming “Sea””. It stands behind “Undo”, and in quotation marks.
  public var text: String {
    switch kind {
    case .favorite:
      count == 1
        ? localized("Favorite", context: "change")
        : localized(
          "Adding \(count) Item to Favorites", plural: "Adding \(count) Items to Favorites", count: count)
    case .unfavorite:
      count == 1
        ? localized("Remove From Favorites", context: "change")
        : localized(
          "Removing \(count) Item From Favorites", plural: "Removing \(count) Items From Favorites", count: count)
    case .hide:
      count == 1
        ? localized("Hide", context: "change")
        : localized("Hiding \(count) Item", plural: "Hiding \(count) Items", count: count)
    case .unhide:
      count == 1
        ? localized("Unhide", context: "change")
        : localized("Unhiding \(count) Item", plural: "Unhiding \(count) Items", count: count)
    case .delete:
      count == 1
        ? localized("Delete", context: "change")
        : localized("Deleting \(count) Item", plural: "Deleting \(count) Items", count: count)
    case .restore:
      count == 1
        ? localized("Restore", context: "change")
        : localized("Restoring \(count) Item", plural: "Restoring \(count) Items", count: count)
    case .edit:
      count == 1
        ? localized("Edit", context: "change")
        : localized("Editing \(count) Item", plural: "Editing \(count) Items", count: count)
    case .revert:
      count == 1
        ? localized("Revert to Original", context: "change")
        : localized("Reverting \(count) Item", plural: "Reverting \(count) Items", count: count)
    case .importing:
      count == 1
        ? localized("Import", context: "change")
        : localized("Importing \(count) Item", plural: "Importing \(count) Items", count: count)
    case .addToAlbum: addition
    case .removeFromAlbum: removal
    case .newAlbum: title.map { localized("New Album “\($0)”") } ?? localized("New Album", context: "change")
    case .newFolder: title.map { localized("New Folder “\($0)”") } ?? localized("New Folder", context: "change")
    case .rename: title.map { localized("Renaming “\($0)”") } ?? localized("Rename", context: "change")
    case .move: title.map { localized("Moving “\($0)”") } ?? localized("Move", context: "change")
    case .deleteAlbum: title.map { localized("Deleting Album “\($0)”") } ?? localized("Deleting Album")
    case .deleteFolder: title.map { localized("Deleting Folder “\($0)”") } ?? localized("Deleting Folder")
    case .keyPhoto: localized("Changing Key Photo")
    case .order: title.map { localized("Changing Order of “\($0)”") } ?? localized("Changing Order")
    case .cover: title.map { localized("Changing Cover of “\($0)”") } ?? localized("Changing Cover")
    case .sortAlbums: localized("Sorting Albums by Name")
    case .editSearch: title.map { localized("Changing Search of “\($0)”") } ?? localized("Changing Search")
    case .date:
      count == 1
        ? localized("Adjusting Date")
        : localized("Adjusting Date of \(count) Item", plural: "Adjusting Date of \(count) Items", count: count)
    case .place:
      count == 1
        ? localized("Adjusting Place")
        : localized("Adjusting Place of \(count) Item", plural: "Adjusting Place of \(count) Items", count: count)
    case .removePlace:
      count == 1
        ? localized("Removing Place")
        : localized("Removing Place of \(count) Item", plural: "Removing Place of \(count) Items", count: count)
    }
  }

  private var addition: String {
    switch (title, count) {
    case (let title?, 1): localized("Add to “\(title)”")
    case (let title?, _):
      localized(
        "Adding \(count) Item to “\(title)”", plural: "Adding \(count) Items to “\(title)”", count: count)
    case (nil, 1): localized("Add to Album", context: "change")
    case (nil, _):
      localized("Adding \(count) Item to Album", plural: "Adding \(count) Items to Album", count: count)
    }
  }

  private var removal: String {
    switch (title, count) {
    case (let title?, 1): localized("Remove From “\(title)”")
    case (let title?, _):
      localized(
        "Removing \(count) Item From “\(title)”", plural: "Removing \(count) Items From “\(title)”", count: count)
    case (nil, 1): localized("Remove From Album", context: "change")
    case (nil, _):
      localized("Removing \(count) Item From Album", plural: "Removing \(count) Items From Album", count: count)
    }
  }
}
