// The record of an album or a folder of albums, `.photome/albums/<id>.json`.

import Foundation
import Localization

/// The properties of an album or folder. Its members aren't listed here: the records of assets name their albums.
struct CollectionRecord: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable {
    case album
    case folder
  }

  var kind: Kind
  var title: String
  /// The enclosing folder; `nil` at the top.
  var parent: CollectionList.ID?
  /// Milliseconds since 1970.
  var created: Int64
  /// The search whose results an album has; `nil` for one to which pictures are added. Versions that don't know it show an
  /// album without pictures.
  var search: String?
  /// Whether an album is shown in the order in which its pictures were added or put, by the times in their records, instead
  /// of newest first. Versions that don't know it show the newest first.
  var isOrdered = false
  /// The picture that stands for an album; `nil` for the first.
  var cover: Asset.ID?
  /// The position among the albums and folders of the same parent, once a person has arranged them; any number. Versions
  /// that don't know it list them by title. See `CollectionOrder`.
  var position: Int64?
  /// Keys of a newer PhotoMe, which are preserved.
  var others: [String: JSONValue] = [:]

  init(kind: Kind, title: String, parent: CollectionList.ID?, created: Int64, search: String? = nil) {
    self.search = search
    self.kind = kind
    self.title = title
    self.parent = parent
    self.created = created
  }

  private static let known: Set<String> = [
    "version", "kind", "title", "parent", "created", "search", "order", "cover", "position",
  ]

  /// The value of `order` for an order of its own.
  private static let ownOrder = "own"

  /// - Throws: As `AssetRecord`'s.
  init(json: Data, path: String) throws(PhotoLibraryError) {
    guard let values = JSONValue(parsing: json)?.object else {
      throw .unusableFile(path: path, reason: localized("it isn’t a PhotoMe album"))
    }
    guard let version = values["version"]?.integer, version >= 1,
      let kind = values["kind"]?.text.flatMap(Kind.init(rawValue:)), let title = values["title"]?.text
    else {
      throw .unusableFile(path: path, reason: localized("it isn’t a PhotoMe album"))
    }
    guard version <= AssetRecord.version else {
      throw .unusableFile(path: path, reason: localized("a newer version of PhotoMe created it; update PhotoMe"))
    }
    self.kind = kind
    self.title = title
    parent = values["parent"]?.text.flatMap { AssetIdentity.isID($0) ? $0 : nil }
    created = values["created"]?.integer ?? 0
    search = kind == .album ? values["search"]?.text : nil
    isOrdered = kind == .album && values["order"]?.text == Self.ownOrder
    cover = kind == .album ? values["cover"]?.text.flatMap { AssetIdentity.isID($0) ? $0 : nil } : nil
    position = values["position"]?.integer
    others = values.filter { !Self.known.contains($0.key) }
  }

  var json: Data {
    var values = others
    values["version"] = .integer(Int64(AssetRecord.version))
    values["kind"] = .text(kind.rawValue)
    values["title"] = .text(title)
    if let parent { values["parent"] = .text(parent) }
    values["created"] = .integer(created)
    if let search { values["search"] = .text(search) }
    if isOrdered { values["order"] = .text(Self.ownOrder) }
    if let cover { values["cover"] = .text(cover) }
    if let position { values["position"] = .integer(position) }
    return JSONValue.object(values).data
  }
}
