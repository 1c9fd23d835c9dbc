// What PhotoMe knows of an asset that its file cannot say: `.photome/assets/<id>.json`.

import Foundation

/// Favourite, hidden, albums and edit of one asset. The file is the truth; the index copies it.
struct AssetRecord: Sendable, Hashable {
  /// Of the edit that is shown.
  struct Edit: Sendable, Hashable {
    var adjustment: AdjustmentData
    /// The untouched file's name in `.photome/originals`.
    var original: String
  }

  var isFavorite = false
  var isHidden = false
  /// The albums that the asset is in, with the milliseconds since 1970 at which it was put there.
  var albums: [AssetCollection.ID: Int64] = [:]
  var edit: Edit?
  /// The stars in the file's metadata before a favourite's five were put there; `nil` when there were none.
  var ratingBefore: Double?
  /// What a newer PhotoMe has written beside that; kept as it is.
  var others: [String: JSONValue] = [:]

  /// Says nothing that wouldn't hold without it.
  var isEmpty: Bool { self == AssetRecord() }

  static let version = 1
  /// A record that is longer is none of ours.
  static let largestFile = 1 << 24
}

extension AssetRecord {
  private static let known: Set<String> = ["version", "favorite", "hidden", "albums", "edit", "ratingBefore"]

  /// Reads the file. Values of a wrong kind count as missing; ids and names that could lead elsewhere are refused.
  ///
  /// - Throws: `unusableFile` when it is no JSON object, or of a version that this program doesn't know: it must not be
  ///   written over.
  init(json: Data, path: String) throws(PhotoLibraryError) {
    guard let values = JSONValue(parsing: json)?.object else {
      throw .unusableFile(path: path, reason: "it is no record of PhotoMe")
    }
    guard let version = values["version"]?.integer, version >= 1 else {
      throw .unusableFile(path: path, reason: "it is no record of PhotoMe")
    }
    guard version <= Self.version else {
      throw .unusableFile(path: path, reason: "a newer PhotoMe has written it; update this one")
    }
    isFavorite = values["favorite"]?.bool ?? false
    isHidden = values["hidden"]?.bool ?? false
    for (id, added) in values["albums"]?.object ?? [:] {
      if AssetIdentity.isID(id) { albums[id] = added.integer ?? 0 }
    }
    ratingBefore = values["ratingBefore"]?.number
    if let edit = values["edit"]?.object, let original = edit["original"]?.text, Self.isName(original) {
      self.edit = Edit(
        adjustment: AdjustmentData(
          formatIdentifier: edit["formatIdentifier"]?.text ?? "", formatVersion: edit["formatVersion"]?.text ?? "",
          data: edit["data"]?.text.flatMap { Data(base64Encoded: $0) } ?? Data()), original: original)
    }
    others = values.filter { !Self.known.contains($0.key) }
  }

  /// The file's bytes; the same record gives the same bytes.
  var json: Data {
    var values = others
    values["version"] = .integer(Int64(Self.version))
    if isFavorite { values["favorite"] = .bool(true) }
    if isHidden { values["hidden"] = .bool(true) }
    if !albums.isEmpty { values["albums"] = .object(albums.mapValues { .integer($0) }) }
    if let ratingBefore, ratingBefore.isFinite { values["ratingBefore"] = .number(ratingBefore) }
    if let edit {
      values["edit"] = .object([
        "formatIdentifier": .text(edit.adjustment.formatIdentifier),
        "formatVersion": .text(edit.adjustment.formatVersion),
        "data": .text(edit.adjustment.data.base64EncodedString()), "original": .text(edit.original),
      ])
    }
    return JSONValue.object(values).data
  }

  /// Whether a text is a file's name and no path.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".") && !text.utf8.contains(UInt8(ascii: "/")) && !text.utf8.contains(0)
      && text.utf8.count <= 255
  }
}
