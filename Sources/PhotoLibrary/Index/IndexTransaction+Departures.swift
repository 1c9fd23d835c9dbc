// Pictures that were there: found again by what records and departures tell, and remembered when they go.

import Foundation
import GRDB

extension IndexTransaction {
  struct Binding {
    var id: Asset.ID
    var path: String
    var content: Asset.ID
    /// Whether the record holds nothing else.
    var isAll: Bool
    /// The inode number of the file; see `AssetRecord.File`.
    var number: UInt64?

    init(_ row: Row) {
      (id, path, content, isAll) = (row["id"], row["path"], row["content"], row["isAll"])
      number = (row["number"] as Int64?).map { UInt64(bitPattern: $0) }
    }
  }

  func binding(id: Asset.ID) throws -> Binding? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM binding WHERE id = ?"), arguments: [id]
    ).map { Binding($0) }
  }

  /// The id of an earlier picture, which no file has now.
  ///
  /// - Parameter isPathKnown: Whether another picture had the path until now.
  func remembered(
    _ found: Identities.Found, isPathKnown: Bool, _ all: Identities
  ) throws -> Asset.ID? {
    let file = found.file
    guard try Bool.fetchOne(db.cachedStatement(sql: Self.remembersAny)) == true else { return nil }
    func isFree(_ id: Asset.ID) throws -> Bool {
      if all.now[id] != nil { return false }
      guard let holder = try self.file(id: id) else { return true }
      return all.before[holder.id] != nil
    }
    // First what is certain: the same content, best at the same path, then the picture itself before its copies.
    let same = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, path, path = :path AS isHere, id = :content FROM departed WHERE contentID = :content
          UNION SELECT id, path, path = :path, TRUE FROM departed WHERE id = :content
          UNION SELECT id, path, path = :path, id = :content FROM binding WHERE content = :content
          UNION SELECT id, path, path = :path, TRUE FROM binding WHERE id = :content
          ORDER BY 3 DESC, 4 DESC, 1
          """), arguments: ["content": file.contentID, "path": file.path])
    /// Files that have vanished are scanned last: an id that a record gives to this file needn't wait for that.
    func hasVanished(_ id: Asset.ID) throws -> Bool {
      guard all.now[id] == nil, let holder = try self.file(id: id) else { return false }
      return !isThere(holder.path)
    }
    for row in same where try isFree(row["id"]) || row["isHere"] && hasVanished(row["id"]) {
      // The file that a record names may not have been scanned yet.
      if row["isHere"] || !isThere(row["path"]) { return row["id"] }
    }
    // A file that was being written when it was scanned, or was removed and written anew.
    let here = try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT id, isUnusable, isVideo, created FROM departed WHERE path = ? AND trashed IS NULL"),
      arguments: [file.path])
    for row in here where row["isVideo"] == (file.mediaType == .video) && !found.hasOwnID {
      let isDated = file.isDated && row["created"] as Int64? == file.created
      if row["isUnusable"] || isDated, try isFree(row["id"]) { return row["id"] }
    }
    // An index that was made anew knows nothing but what the records tell.
    guard !isPathKnown, here.isEmpty, !found.hasOwnID else { return nil }
    let bound = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, content, id IN (SELECT id FROM departed) AS hasDeparted FROM binding WHERE path = ?
          """), arguments: [file.path])
    // Of several, one picture has had the name after the other, and this is perhaps none of them; nor is it where several
    // disks have been.
    if bound.count == 1, let row = bound.first, !row["hasDeparted"], isOnOnlyDisk(file) {
      let isElsewhere = try !files(contentID: row["content"]).isEmpty
      if try !isElsewhere && isFree(row["id"]) { return row["id"] }
    }
    return nil
  }

  /// Whether no other disk than that of a file has been seen in the place of its folder.
  private func isOnOnlyDisk(_ file: IndexedFile) -> Bool {
    let known = LibraryDisks(of: LibraryFolder(folder), disk: disk).known(at: Disk.folder(of: file.path))
    return known.isSubset(of: [file.diskID])
  }

  /// Whether a picture was at the path of a file earlier, and had its content.
  func hasReturned(_ file: IndexedFile) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM departed WHERE path = :path AND :content IN (contentID, id))"),
      arguments: ["path": file.path, "content": file.contentID]) ?? false
  }

  private static let remembersAny = "SELECT EXISTS (SELECT 1 FROM departed) OR EXISTS (SELECT 1 FROM binding)"

  // MARK: What is remembered

  /// Remembers a picture that is gone, unless it was deleted for good, or lives on in a copy.
  func noteDeparture(_ file: IndexedFile, isUnusable: Bool) throws {
    let marks = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT trashed FROM deliberate WHERE id = ?"), arguments: [file.id])
    try db.cachedStatement(sql: "DELETE FROM deliberate WHERE id = ?").execute(arguments: [file.id])
    let trashed: String? = marks?["trashed"]
    if marks != nil, trashed == nil { return }
    // As `isCopied` says, among any number of copies.
    let hasCopy = try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM asset WHERE contentID = ? AND (? OR fileSize = ?))"),
      arguments: [file.contentID, file.isOwn, file.fileSize])
    if try !hasRecord(file.id), hasCopy == true {
      // A record that only names this file would give its id to another copy.
      try db.cachedStatement(sql: "INSERT OR IGNORE INTO unbound (id) SELECT id FROM binding WHERE id = ?")
        .execute(arguments: [file.id])
      return
    }
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO departed
          (id, path, contentID, isVideo, created, isElsewhere, disk, isUnusable, since, trashed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
        """
    ).execute(
      arguments: [
        file.id, file.path, file.contentID, file.mediaType == .video, file.isDated ? file.created : nil,
        file.isElsewhere, file.diskID, isUnusable, trashed,
      ])
  }
}
