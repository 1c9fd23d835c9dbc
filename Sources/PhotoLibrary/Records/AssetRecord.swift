// The record of an asset, `.photome/assets/<id>.json`: what the file itself can't hold.

import Foundation

/// Favorite, hidden, albums and edit of one asset. The JSON file is the truth; the index copies it.
struct AssetRecord: Sendable, Hashable {
  /// The edit that is shown.
  struct Edit: Sendable, Hashable {
    var adjustment: AdjustmentData
    /// The name of the untouched file in `.photome/originals`.
    var original: String
    /// The SHA-256 of the file as PhotoMe has written it last: a file with another one was changed by another program.
    /// `nil` in records of earlier versions.
    var rendered: String?
  }

  var isFavorite = false
  var isHidden = false
  /// The albums of the asset, with the time at which it was added, in milliseconds since 1970.
  var albums: [AssetCollection.ID: Int64] = [:]
  var edit: Edit?
  /// The rating in the file's metadata before it became 5 for a favorite; `nil` when there was none.
  var ratingBefore: Double?
  /// Keys of a newer PhotoMe, which are preserved.
  var others: [String: JSONValue] = [:]

  /// Whether it says nothing that wouldn't hold without a record.
  var isEmpty: Bool { self == AssetRecord() }

  static let version = 1
  /// In bytes; a longer file isn't one of ours.
  static let largestFile = 1 << 24
}

extension AssetRecord {
  private static let known: Set<String> = ["version", "favorite", "hidden", "albums", "edit", "ratingBefore"]

  /// Parses the file, which is untrusted: values of a wrong type count as missing; ids and names that could lead to
  /// other paths are dropped.
  ///
  /// - Throws: `unusableFile` when it isn't a JSON object, or of a newer version: it must not be overwritten.
  init(json: Data, path: String) throws(PhotoLibraryError) {
    guard let values = JSONValue(parsing: json)?.object else {
      throw .unusableFile(path: path, reason: "it isn't a record of PhotoMe")
    }
    guard let version = values["version"]?.integer, version >= 1 else {
      throw .unusableFile(path: path, reason: "it isn't a record of PhotoMe")
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
          data: edit["data"]?.text.flatMap { Data(base64Encoded: $0) } ?? Data()), original: original,
        rendered: edit["rendered"]?.text)
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
      var fields: [String: JSONValue] = [
        "formatIdentifier": .text(edit.adjustment.formatIdentifier),
        "formatVersion": .text(edit.adjustment.formatVersion),
        "data": .text(edit.adjustment.data.base64EncodedString()), "original": .text(edit.original),
      ]
      if let rendered = edit.rendered { fields["rendered"] = .text(rendered) }
      values["edit"] = .object(fields)
    }
    return JSONValue.object(values).data
  }

  /// Whether a string is a plain file name, not a path.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".") && !text.utf8.contains(UInt8(ascii: "/")) && !text.utf8.contains(0)
      && text.utf8.count <= 255
  }
}
