// Queries for the verification of the library, and the digests that are kept for the next one.

import Foundation
import GRDB

extension LibraryIndex {
  /// The SHA-256 of a file, and the state of the file for which it is valid.
  struct StoredDigest: Sendable, Hashable {
    /// Relative to the library's folder.
    var path: String
    var state: FileState
    var digest: String
  }

  /// The index's copy of one record.
  struct RecordCopy: Sendable, Hashable {
    var isFavorite = false
    var isHidden = false
    var isEdited = false
    var isKeyPhoto = false
    var albums: [AssetCollection.ID: Int64] = [:]
  }

  // MARK: Assets

  /// The next rows after a row number, in the order of the numbers.
  func files(after number: Int64, count: Int) throws(PhotoLibraryError) -> [IndexedFile] {
    try readingNow { db in
      try IndexedFile.fetchAll(
        db.cachedStatement(sql: "SELECT * FROM asset WHERE number > ? ORDER BY number LIMIT ?"),
        arguments: [number, count])
    }
  }

  func file(path: String) throws(PhotoLibraryError) -> IndexedFile? {
    try readingNow { db in
      try IndexedFile.fetchOne(db.cachedStatement(sql: "SELECT * FROM asset WHERE path = ?"), arguments: [path])
    }
  }

  /// All files with the same content id.
  func files(contentID: Asset.ID) throws(PhotoLibraryError) -> [IndexedFile] {
    try readingNow { db in
      try IndexedFile.fetchAll(
        db.cachedStatement(sql: "SELECT * FROM asset WHERE contentID = ? ORDER BY path"), arguments: [contentID])
    }
  }

  /// The files that are named like a picture or movie and aren't one, relative to the library's folder.
  func unusablePaths() throws(PhotoLibraryError) -> [String] {
    try readingNow { db in try String.fetchAll(db, sql: "SELECT path FROM unusable ORDER BY path") }
  }

  /// Has a file read again that isn't a picture as far as is known.
  func forget(unusable path: String) throws(PhotoLibraryError) {
    try writing { db in
      try db.cachedStatement(sql: "DELETE FROM unusable WHERE path = ?").execute(arguments: [path])
    }
  }

  /// The assets whose ids begin with these digits.
  func assets(idPrefix: String, limit: Int) throws(PhotoLibraryError) -> [Asset] {
    let folder = folder
    return try readingNow { db in
      // `g` follows the last hexadecimal digit.
      try IndexedFile.fetchAll(
        db, sql: "SELECT * FROM asset WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
        arguments: [idPrefix, idPrefix + "g", limit]
      ).map { $0.asset(in: folder) }
    }
  }

  // MARK: Records

  /// The copy of a record; `nil` when the index has none.
  func recordCopy(_ id: Asset.ID) throws(PhotoLibraryError) -> RecordCopy? {
    try readingNow { db in
      guard
        let row = try Row.fetchOne(
          db.cachedStatement(sql: "SELECT isFavorite, isHidden, isEdited, isKeyPhoto FROM record WHERE id = ?"),
          arguments: [id])
      else { return nil }
      var copy = RecordCopy(
        isFavorite: row["isFavorite"], isHidden: row["isHidden"], isEdited: row["isEdited"],
        isKeyPhoto: row["isKeyPhoto"])
      let albums = try Row.fetchAll(
        db.cachedStatement(sql: "SELECT collection, added FROM membership WHERE asset = ?"), arguments: [id])
      for album in albums { copy.albums[album["collection"]] = album["added"] }
      return copy
    }
  }

  /// The copy of a collection's record, with the keys that the index has; `nil` when it has none.
  func collectionCopy(_ id: String) throws(PhotoLibraryError) -> CollectionRecord? {
    try readingNow { db in
      try Row.fetchOne(db, sql: "SELECT * FROM collection WHERE id = ?", arguments: [id]).map { row in
        var copy = CollectionRecord(
          kind: row["isFolder"] ? .folder : .album, title: row["title"], parent: row["parent"], created: row["created"],
          search: row["rules"])
        (copy.isOrdered, copy.cover, copy.position) = (row["isOrdered"], row["cover"], row["position"])
        return copy
      }
    }
  }

  /// The ids among these that belong to no asset of the index.
  func unknown(_ ids: Set<Asset.ID>) throws(PhotoLibraryError) -> Set<Asset.ID> {
    try readingNow { db in
      let statement = try db.cachedStatement(sql: "SELECT 1 FROM asset WHERE id = ?")
      return try ids.filter { try Int.fetchOne(statement, arguments: [$0]) == nil }
    }
  }

  /// The albums of each asset that is in any.
  func albumIDs(of assets: [Asset.ID]) throws(PhotoLibraryError) -> [Asset.ID: [AssetCollection.ID]] {
    try readingNow { db in
      let statement = try db.cachedStatement(sql: "SELECT collection FROM membership WHERE asset = ?")
      var albums: [Asset.ID: [AssetCollection.ID]] = [:]
      for asset in assets {
        let ids = try String.fetchAll(statement, arguments: [asset])
        if !ids.isEmpty { albums[asset] = ids }
      }
      return albums
    }
  }

  // MARK: Digests

  func digest(path: String) throws(PhotoLibraryError) -> StoredDigest? {
    try readingNow { db in
      try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM digest WHERE path = ?"), arguments: [path]).map { row in
        StoredDigest(path: path, state: FileState(row), digest: row["digest"])
      }
    }
  }

  func store(_ digests: [StoredDigest]) throws(PhotoLibraryError) {
    guard !digests.isEmpty else { return }
    try writing { db in
      let statement = try db.cachedStatement(
        sql: "INSERT OR REPLACE INTO digest (path, fileSize, modified, changed, digest) VALUES (?, ?, ?, ?, ?)")
      for one in digests {
        try statement.execute(
          arguments: [one.path, one.state.size, one.state.modified, one.state.changed, one.digest])
      }
    }
  }

  /// Deletes the digests of files that no longer exist.
  func clearDigests(unless isThere: (String) -> Bool) throws(PhotoLibraryError) {
    let paths = try readingNow { db in
      try String.fetchAll(db, sql: "SELECT path FROM digest WHERE path NOT IN (SELECT path FROM asset)")
    }
    let gone = paths.filter { !isThere($0) }
    guard !gone.isEmpty else { return }
    try writing { db in
      let statement = try db.cachedStatement(sql: "DELETE FROM digest WHERE path = ?")
      for path in gone { try statement.execute(arguments: [path]) }
    }
  }

  // MARK: The database itself

  /// The damage that SQLite finds in its file; `nil` for none.
  func damage() throws(PhotoLibraryError) -> String? {
    let found = try readingNow { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
    return found == "ok" ? nil : found
  }

  /// Marks every row as outdated: each is rewritten when its file has been scanned, and removed if the file no longer
  /// exists.
  ///
  /// Rows stay until then, with their numbers, so that other processes keep seeing the library.
  func invalidateAll() throws(PhotoLibraryError) {
    try writing { db in
      for table in ["asset", "record", "collection"] {
        try db.execute(sql: "UPDATE \(table) SET changed = \(FileState.outdated)")
      }
      try db.execute(
        sql: """
          DELETE FROM unusable;
          DELETE FROM membership WHERE asset NOT IN (SELECT id FROM record);
          DELETE FROM binding WHERE id NOT IN (SELECT id FROM record);
          REINDEX;
          """)
    }
  }
}
