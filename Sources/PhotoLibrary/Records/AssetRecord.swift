// The record of an asset, `.photome/assets/<id>.json`: what the file itself can't hold.

import Foundation
import Localization
import MediaFormats

/// Favorite, hidden, key photo, albums and edit of one asset. The JSON file is the truth; the index copies it.
struct AssetRecord: Sendable, Hashable {
  /// The edit that is shown.
  struct Edit: Sendable, Hashable {
    var adjustment: AdjustmentData
    /// The name of the untouched file in `.photome/originals`.
    var original: String
    /// What PhotoMe had added to the untouched file; `nil` in records of versions that didn't note it.
    var added: AddedMetadata?
    /// The placement of the untouched picture's pixels in the edited one, both as stored; `nil` when it isn't known or
    /// there is none.
    var placement: PicturePlacement?
    /// The ending that the file had as a live photo, `.MP.jpg`, while it is a still under another name.
    var liveEnding: String?
    /// The ending that the untouched file had, `.gif`, where edits are saved in another format.
    var originalEnding: String?
    /// The SHA-256 of the file as PhotoMe has written it last: a file with another one was changed by another program.
    /// `nil` in records of earlier versions.
    var rendered: String?
  }

  /// The file of an asset when the record was written.
  struct File: Sendable, Hashable {
    /// Relative to the library's folder.
    var path: String
    /// The id of its content; of the untouched original's for an edited picture.
    var content: Asset.ID
    /// The inode number of the file as PhotoMe has left it; `nil` in records of earlier versions. Where numbers last, it
    /// tells the file from a copy of it.
    var number: UInt64?
  }

  var isFavorite = false
  var isHidden = false
  /// Whether it stands for its burst.
  var isKeyPhoto = false
  /// The albums of the asset, with the time at which it was added, in milliseconds since 1970.
  var albums: [AssetCollection.ID: Int64] = [:]
  var edit: Edit?
  /// The file that the record is of, as far as its content doesn't tell.
  var file: File?
  /// What PhotoMe added to the file's metadata.
  var added = AddedMetadata()
  /// Keys of a newer PhotoMe, which are preserved.
  var others: [String: JSONValue] = [:]

  /// The albums in which it is shown, the earliest first. All of them stay in the record.
  var shownAlbums: [AssetCollection.ID: Int64] {
    guard albums.count > Self.mostAlbums else { return albums }
    let sorted = albums.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    return Dictionary(sorted.prefix(Self.mostAlbums).map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// Whether it holds nothing but the name of its file.
  var isEmpty: Bool {
    var rest = self
    rest.file = nil
    return rest == AssetRecord()
  }

  static let version = 1
  /// In bytes; a longer file isn't one of ours.
  static let largestFile = 1 << 24
  /// The number of albums of an asset that are shown. Nobody makes so many; a record that names more costs seconds.
  static let mostAlbums = 4096
}

extension AssetRecord {
  private static let known: Set<String> = [
    "version", "favorite", "hidden", "keyPhoto", "albums", "edit", "ratingBefore", "added", "file",
  ]

  /// Parses the file, which is untrusted: values of a wrong type count as missing; ids and names that could lead to
  /// other paths are dropped.
  ///
  /// - Throws: `unusableFile` when it isn't a JSON object, or of a newer version: it must not be overwritten.
  init(json: Data, path: String) throws(PhotoLibraryError) {
    guard let values = JSONValue(parsing: json)?.object else {
      throw .unusableFile(path: path, reason: localized("it isn’t a PhotoMe record"))
    }
    guard let version = values["version"]?.integer, version >= 1 else {
      throw .unusableFile(path: path, reason: localized("it isn’t a PhotoMe record"))
    }
    guard version <= Self.version else {
      throw .unusableFile(path: path, reason: localized("a newer version of PhotoMe created it; update PhotoMe"))
    }
    isFavorite = values["favorite"]?.bool ?? false
    isHidden = values["hidden"]?.bool ?? false
    isKeyPhoto = values["keyPhoto"]?.bool ?? false
    for (id, added) in values["albums"]?.object ?? [:] {
      if AssetIdentity.isID(id) { albums[id] = added.integer ?? 0 }
    }
    added = AddedMetadata(values["added"]?.object ?? [:])
    added.ratingBefore = values["ratingBefore"]?.number
    if let edit = values["edit"]?.object, let original = edit["original"]?.text, Self.isName(original) {
      self.edit = Edit(
        adjustment: AdjustmentData(
          formatIdentifier: edit["formatIdentifier"]?.text ?? "", formatVersion: edit["formatVersion"]?.text ?? "",
          data: edit["data"]?.text.flatMap { Data(base64Encoded: $0) } ?? Data()), original: original,
        added: edit["added"]?.object.map { AddedMetadata($0) },
        placement: edit["placement"]?.array.flatMap { PicturePlacement($0.compactMap(\.number)) },
        liveEnding: edit["liveEnding"]?.text.flatMap { Self.isEnding($0) ? $0 : nil },
        originalEnding: edit["originalEnding"]?.text.flatMap { Self.isEnding($0) ? $0 : nil },
        rendered: edit["rendered"]?.text)
    }
    if let file = values["file"]?.object, let path = file["path"]?.text, Self.isPath(path),
      let content = file["content"]?.text, AssetIdentity.isID(content)
    {
      self.file = File(
        path: path, content: content, number: file["number"]?.integer.map { UInt64(bitPattern: $0) })
    }
    others = values.filter { !Self.known.contains($0.key) }
  }

  /// The file's bytes; the same record gives the same bytes.
  var json: Data {
    var values = others
    values["version"] = .integer(Int64(Self.version))
    if isFavorite { values["favorite"] = .bool(true) }
    if isHidden { values["hidden"] = .bool(true) }
    if isKeyPhoto { values["keyPhoto"] = .bool(true) }
    if !albums.isEmpty { values["albums"] = .object(albums.mapValues { .integer($0) }) }
    if let ratingBefore = added.ratingBefore, ratingBefore.isFinite { values["ratingBefore"] = .number(ratingBefore) }
    let noted = added.values
    if !noted.isEmpty { values["added"] = .object(noted) }
    if let file {
      var named: [String: JSONValue] = ["path": .text(file.path), "content": .text(file.content)]
      if let number = file.number { named["number"] = .integer(Int64(bitPattern: number)) }
      values["file"] = .object(named)
    }
    if let edit { values["edit"] = .object(edit.values) }
    return JSONValue.object(values).data
  }

  /// Whether a string can be the ending of a file name, like `.MP.jpg`.
  private static func isEnding(_ text: String) -> Bool { text.isHiddenName && isName("a" + text) }

  /// Whether a string is the path of a visible file in the library.
  static func isPath(_ text: String) -> Bool {
    let parts = text.parts(between: "/")
    return parts.count <= 2 && parts.allSatisfy(isName)
  }

  /// Whether a string is a plain file name, not a path.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.isHiddenName && !text.utf8.contains(UInt8(ascii: "/")) && !text.utf8.contains(0)
      && text.utf8.count <= 255
  }
}

extension AssetRecord.Edit {
  fileprivate var values: [String: JSONValue] {
    var values: [String: JSONValue] = [
      "formatIdentifier": .text(adjustment.formatIdentifier), "formatVersion": .text(adjustment.formatVersion),
      "data": .text(adjustment.data.base64EncodedString()), "original": .text(original),
    ]
    if let added {
      var noted = added.values
      if let rating = added.ratingBefore, rating.isFinite { noted["ratingBefore"] = .number(rating) }
      values["added"] = .object(noted)
    }
    if let placement { values["placement"] = .array(placement.numbers.map { .number($0) }) }
    if let rendered { values["rendered"] = .text(rendered) }
    if let liveEnding { values["liveEnding"] = .text(liveEnding) }
    if let originalEnding { values["originalEnding"] = .text(originalEnding) }
    return values
  }
}
