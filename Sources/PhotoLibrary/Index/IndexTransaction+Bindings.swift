// Files and the records that name them: who follows whom.

import Foundation
import GRDB

extension IndexTransaction {
  /// Notes the assets whose records have to tell which files they are of: because a record names another one, or because
  /// a new index could not find out from the files.
  func noteBindings(of files: [IndexedFile]) throws {
    for file in files { try noteBinding(of: file) }
    // A copy that comes first by its name makes it unclear which file had the picture's own id. Each picture is compared
    // with its copies once, as there may be thousands.
    for content in Set(files.filter { $0.id != $0.contentID }.map(\.contentID)) {
      if let holder = try file(id: content), holder.contentID == content { try noteBinding(of: holder) }
    }
  }

  private func noteBinding(of file: IndexedFile) throws {
    let isRight: Bool
    if let binding = try binding(id: file.id) {
      isRight = Self.names(binding, file)
    } else if file.id == file.contentID {
      let others = try IndexedFile.fetchCursor(
        db.cachedStatement(sql: "SELECT * FROM asset WHERE contentID = ? AND id <> ?"),
        arguments: [file.contentID, file.id])
      isRight = try !others.contains { Self.isFirst($0, file) }
    } else {
      isRight = file.id == AssetIdentity.id(ofCopy: file.contentID, at: file.path)
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

  /// Whether a record names a file and its content.
  private static func names(_ binding: Binding, _ file: IndexedFile) -> Bool {
    PathBytes(binding.path) == PathBytes(file.path)
      && (binding.content == file.contentID || binding.id == file.contentID)
  }

  // MARK: The record wins

  /// Notes an asset whose record names a file that has another id here: see `adopt`.
  func noteClaim(_ id: Asset.ID, _ named: AssetRecord.File) throws {
    guard let row = try file(path: named.path), row.id != id, [named.content, id].contains(row.contentID) else {
      return
    }
    try db.cachedStatement(sql: "INSERT OR IGNORE INTO unbound (id) VALUES (?)").execute(arguments: [id])
  }

  /// Gives a file the id whose record names it and its content: another index of this library has followed it further.
  ///
  /// Records are common to all indexes. If each overwrote those of the others with what it knows itself, they would do so
  /// without end, and take each other's pictures for gone.
  ///
  /// - Returns: `false` when there is no such file, or another record names it, too, and has the better claim.
  func adopt(_ id: Asset.ID) throws -> Bool {
    guard let named = try binding(id: id), let row = try file(path: named.path), Self.names(named, row),
      isThere(row.path)
    else { return false }
    if row.id == id { return true }
    // Two records may name one file: all indexes decide in the same way.
    if let own = try binding(id: row.id), Self.names(own, row), !Self.isStronger(named, own) { return false }
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

  /// A record in which a person has made something comes before one that only names its file.
  private static func isStronger(_ left: Binding, _ right: Binding) -> Bool {
    left.isAll == right.isAll ? left.id < right.id : !left.isAll
  }
}
