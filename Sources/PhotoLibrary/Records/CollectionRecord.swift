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
  /// Keys of a newer PhotoMe, which are preserved.
  var others: [String: JSONValue] = [:]

  init(kind: Kind, title: String, parent: CollectionList.ID?, created: Int64) {
    self.kind = kind
    self.title = title
    self.parent = parent
    self.created = created
  }

  private static let known: Set<String> = ["version", "kind", "title", "parent", "created"]

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
    others = values.filter { !Self.known.contains($0.key) }
  }

  var json: Data {
    var values = others
    values["version"] = .integer(Int64(AssetRecord.version))
    values["kind"] = .text(kind.rawValue)
    values["title"] = .text(title)
    if let parent { values["parent"] = .text(parent) }
    values["created"] = .integer(created)
    return JSONValue.object(values).data
  }
}
