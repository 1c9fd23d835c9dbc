// Files and the records that name them: who follows whom.

import Foundation
import GRDB

extension IndexTransaction {
  /// Notes the assets whose records have to tell which files they are of: because a record names another one, or because
  /// a new index could not find out from the files.
  ///
  /// - Parameter contents: The contents of which an asset is gone, or another record tells: its copies may have to.
  func noteBindings(of files: [IndexedFile], andOf contents: Set<Asset.ID> = []) throws {
    for file in files { try noteBinding(of: file) }
    // A copy that comes first by its name makes it unclear which file had the picture's own id. Each picture is compared
    // with its copies once, as there may be thousands.
    for content in Set(files.filter { $0.id != $0.contentID }.map(\.contentID)).subtracting(contents) {
      if let holder = try file(id: content), holder.contentID == content { try noteBinding(of: holder) }
    }
    for content in contents {
      for file in try self.files(contentID: content) { try noteBinding(of: file) }
    }
  }

  private func noteBinding(of file: IndexedFile) throws {
    let isRight: Bool
    if let binding = try binding(id: file.id) {
      isRight = Self.names(binding, file)
    } else if try isDisputed(file) {
      isRight = false
    } else if file.id == file.contentID {
      let others = try IndexedFile.fetchCursor(
        db.cachedStatement(sql: "SELECT * FROM asset WHERE contentID = ? AND id <> ?"),
        arguments: [file.contentID, file.id])
      isRight = try !others.contains { Self.isFirst($0, file) }
    } else {
      // Without the picture itself, a new index would take the copy for it.
      isRight =
        try file.id == AssetIdentity.id(ofCopy: file.contentID, at: file.path) && self.file(id: file.contentID) != nil
    }
    let change = isRight ? "DELETE FROM unbound WHERE id = ?" : "INSERT OR IGNORE INTO unbound (id) VALUES (?)"
    try db.cachedStatement(sql: change).execute(arguments: [file.id])
    // See `adopt`.
    try db.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO unbound (id)
        SELECT id FROM binding WHERE path = :path AND id <> :id AND :content IN (content, id)
        """
    ).execute(arguments: ["path": file.path, "id": file.id, "content": file.contentID])
  }

  /// Whether the record of another asset would give it this file in a new index: see `remembered`.
  private func isDisputed(_ file: IndexedFile) throws -> Bool {
    let rivals = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT path, content, id, EXISTS (SELECT 1 FROM asset WHERE asset.id = binding.id) AS hasFile FROM binding
          WHERE (path = :path OR content = :content OR id = :content) AND id <> :id
          """), arguments: ["path": file.path, "content": file.contentID, "id": file.id])
    return try rivals.contains { rival in
      let isHere = PathBytes(rival["path"]) == PathBytes(file.path)
      if rival["hasFile"] { return isHere && [rival["content"], rival["id"]].contains(file.contentID) }
      return isHere || !isThere(rival["path"])
    }
  }

  /// Whether a record names a file and its content.
  private static func names(_ binding: Binding, _ file: IndexedFile) -> Bool {
    PathBytes(binding.path) == PathBytes(file.path)
      && (binding.content == file.contentID || binding.id == file.contentID)
  }

  // MARK: The record wins

  /// Notes an asset whose record names a file that has another id here: see `adopt`.
  ///
  /// - Returns: The file.
  func noteClaim(_ id: Asset.ID, _ named: AssetRecord.File) throws -> IndexedFile? {
    guard let row = try file(path: named.path), row.id != id else { return nil }
    if [named.content, id].contains(row.contentID) {
      try db.cachedStatement(sql: "INSERT OR IGNORE INTO unbound (id) VALUES (?)").execute(arguments: [id])
    }
    return row
  }

  /// Gives a file the id whose record names it and its content: another index of this library has followed it further.
  ///
  /// Records are common to all indexes. If each overwrote those of the others with what it knows itself, they would do so
  /// without end, and take each other's pictures for gone.
  ///
  /// - Returns: `false` when there is no such file, or another asset has the better claim.
  func adopt(_ id: Asset.ID) throws -> Bool {
    guard let named = try binding(id: id), let row = try file(path: named.path), Self.names(named, row),
      isThere(row.path)
    else { return false }
    if row.id == id { return true }
    if try !isStronger(named, thanHolderOf: row) { return false }
    var all = Identities()
    all.before[row.id] = row
    all.now[id] = row.named(id)
    if let holder = try file(id: id) {
      all.before[id] = holder
      if isThere(holder.path) {
        // Copies of one picture exchange what they have.
        let isCopy = holder.contentID == row.contentID
        let other = try isCopy && hasRecord(row.id) ? row.id : newID(holder, &all)
        all.now[other] = holder.named(other)
      }
    }
    try write(before: all.before, now: all.now, unusable: [])
    return true
  }

  /// Whether a record that names a file has a better claim to it than the asset that has it here.
  ///
  /// A record in which a person has made something comes before one that only names its file; then the picture itself
  /// before its copies. So all indexes decide in the same way when two records name one file.
  ///
  /// The picture itself needs no record for its claim, unless its own names another file: it may have inherited the
  /// copy that the other record is of.
  private func isStronger(_ named: Binding, thanHolderOf row: IndexedFile) throws -> Bool {
    let own = try binding(id: row.id)
    if let own, Self.names(own, row) {
      if named.isAll != own.isAll { return !named.isAll }
      if named.id == row.contentID || own.id == row.contentID { return named.id == row.contentID }
      return named.id < own.id
    }
    guard named.isAll, row.id == row.contentID else { return true }
    guard let own, let other = try file(path: own.path) else { return false }
    return Self.names(own, other) && isThere(other.path)
  }
}
