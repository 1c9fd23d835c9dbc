// The messages about pictures that were deleted, hidden, reverted, or put into albums.

import Localization

/// What was done to one or more pictures. One is called by its file name, several are counted.
enum ActionNotice {
  case hidden
  case unhidden
  case trashed
  case restored
  case deletedPermanently
  /// Back to the original.
  case reverted
  /// - album: Its title.
  case added(album: String)
  case removed(album: String)
  /// Another date.
  case dated
  /// Another place.
  case placed
  case unplaced

  /// The message.
  ///
  /// - Parameter names: The pictures' file names.
  func text(about names: [String]) -> String {
    guard names.count == 1, let name = names.first else { return text(aboutSeveral: names.count) }
    return switch self {
    case .hidden: localized("“\(name)” moved to the Hidden album")
    case .unhidden: localized("“\(name)” moved out of the Hidden album")
    case .trashed: localized("“\(name)” moved to the Trash")
    case .restored: localized("“\(name)” restored")
    case .deletedPermanently: localized("“\(name)” permanently deleted")
    case .reverted: localized("“\(name)” reverted to the original")
    case .added(let album): localized("“\(name)” added to “\(album)”")
    case .removed(let album): localized("“\(name)” removed from “\(album)”")
    case .dated: localized("Date of “\(name)” changed")
    case .placed: localized("Place of “\(name)” changed")
    case .unplaced: localized("Place of “\(name)” removed")
    }
  }

  private func text(aboutSeveral count: Int) -> String {
    switch self {
    case .hidden:
      localized(
        "\(count) item moved to the Hidden album", plural: "\(count) items moved to the Hidden album", count: count)
    case .unhidden:
      localized(
        "\(count) item moved out of the Hidden album", plural: "\(count) items moved out of the Hidden album",
        count: count)
    case .trashed:
      localized("\(count) item moved to the Trash", plural: "\(count) items moved to the Trash", count: count)
    case .restored:
      localized("\(count) item restored", plural: "\(count) items restored", count: count)
    case .deletedPermanently:
      localized("\(count) item permanently deleted", plural: "\(count) items permanently deleted", count: count)
    case .reverted:
      localized(
        "\(count) item reverted to the original", plural: "\(count) items reverted to the original", count: count)
    case .added(let album):
      localized("\(count) item added to “\(album)”", plural: "\(count) items added to “\(album)”", count: count)
    case .removed(let album):
      localized("\(count) item removed from “\(album)”", plural: "\(count) items removed from “\(album)”", count: count)
    case .dated:
      localized("Date of \(count) item changed", plural: "Dates of \(count) items changed", count: count)
    case .placed:
      localized("Place of \(count) item changed", plural: "Places of \(count) items changed", count: count)
    case .unplaced:
      localized("Place of \(count) item removed", plural: "Places of \(count) items removed", count: count)
    }
  }

  /// The title of the confirmation before pictures are deleted for good.
  static func deletionQuestion(about names: [String]) -> String {
    guard names.count == 1, let name = names.first else {
      return localized(
        "Permanently Delete \(names.count) Item?", plural: "Permanently Delete \(names.count) Items?",
        count: names.count)
    }
    return localized("Permanently Delete “\(name)”?")
  }
}
