// The history as tokens that outlive the process, and the net changes since one of them.

import Foundation
import GRDB

extension LibraryIndex {
  /// The present position in the history.
  func changeToken() throws(PhotoLibraryError) -> PersistentChangeToken {
    try readingNow { db in try Self.changeToken(db) }
  }

  private static func changeToken(_ db: Database) throws -> PersistentChangeToken {
    guard let history = try String.fetchOne(db.cachedStatement(sql: "SELECT id FROM history")) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    guard
      let last = try Row.fetchOne(
        db.cachedStatement(sql: "SELECT sequence, mark FROM change ORDER BY sequence DESC LIMIT 1"))
    else { return PersistentChangeToken(history: history, sequence: 0, mark: 0) }
    guard let mark = last["mark"] as Int64? else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return PersistentChangeToken(history: history, sequence: last["sequence"], mark: mark)
  }

  /// The net changes since a token, all of one moment.
  ///
  /// - Throws: `changesUnknown` when the history doesn't have them, or the error of the index.
  func changes(since token: PersistentChangeToken) throws(PhotoLibraryError) -> PersistentChanges {
    try readingNow { db in
      var changes = PersistentChanges(token: try Self.changeToken(db))
      // An index of before, as from a backup, has less than the token covers.
      guard token.history == changes.token.history, token.sequence <= changes.token.sequence else {
        throw PhotoLibraryError.changesUnknown(.otherHistory)
      }
      try Self.checkContinuity(from: token, db)
      guard token.sequence < changes.token.sequence else { return changes }
      // The first row of each says whether it was there at the token's time. SQLite takes the other columns of the row with
      // the minimum.
      let rows = try Row.fetchCursor(
        db.cachedStatement(
          sql: """
            SELECT c.id, c.kind = :collection AS isCollection, c.kind, c.wasThere, min(c.sequence),
              CASE WHEN c.kind = :collection THEN EXISTS (SELECT 1 FROM collection AS n WHERE n.id = c.id)
                ELSE EXISTS (SELECT 1 FROM asset AS a WHERE a.id = c.id AND a.partOf IS NULL) END AS isThere
            FROM change AS c WHERE c.sequence > :since GROUP BY c.id, isCollection
            """), arguments: ["collection": ChangeKind.collection.rawValue, "since": token.sequence])
      while let row = try rows.next() {
        let kind = ChangeKind(rawValue: row["kind"])
        // An earlier version that has had the library open since then doesn't tell.
        let wasThere: Bool = row["wasThere"] ?? (kind != .inserted)
        let path = kind == .collection ? \PersistentChanges.collections : \PersistentChanges.assets
        switch (wasThere, row["isThere"] as Bool) {
        case (false, true): changes[keyPath: path].inserted.insert(row["id"])
        case (true, true): changes[keyPath: path].updated.insert(row["id"])
        case (true, false): changes[keyPath: path].deleted.insert(row["id"])
        case (false, false): break
        }
      }
      return changes
    }
  }

  /// Checks that the history goes on from the very row that a token ends with, and not from another one of its number.
  ///
  /// - Throws: `changesUnknown`.
  private static func checkContinuity(from token: PersistentChangeToken, _ db: Database) throws {
    guard let mark = token.mark else { throw PhotoLibraryError.changesUnknown(.earlierVersion) }
    let first = try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(sequence) FROM change"))
    if token.sequence == 0 {
      // Of an index without history. Whatever came after that begins with the first row.
      guard first ?? 1 == 1 else { throw PhotoLibraryError.changesUnknown(.expired) }
      return
    }
    guard first ?? 0 <= token.sequence else { throw PhotoLibraryError.changesUnknown(.expired) }
    let now = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT mark FROM change WHERE sequence = ?"), arguments: [token.sequence])
    guard now == mark else { throw PhotoLibraryError.changesUnknown(.otherHistory) }
  }
}
