// The baseline of the library's figures: the same queries on the same file through SQLite's own functions.

import Foundation
import GRDBSQLite

/// A look at an index without PhotoMe.
struct SQLiteLook {
  let index: String
  let search: String

  /// Only what SQLite can be asked for is filled in.
  func result() throws -> LibraryLook {
    var look = LibraryLook()
    var database: OpaquePointer?
    let began = ContinuousClock.now
    defer { sqlite3_close(database) }
    guard sqlite3_open_v2(index, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw BenchError("SQLite can't open \(index).")
    }
    func ask(_ question: String, _ value: String? = nil) throws -> (milliseconds: Double, count: Int) {
      let began = ContinuousClock.now
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(database, question, -1, &statement, nil) == SQLITE_OK else {
        throw BenchError("SQLite does not understand “\(question)”.")
      }
      if let value {
        // SQLITE_TRANSIENT, which Swift does not see: SQLite makes a copy.
        sqlite3_bind_text(statement, 1, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
      var count = 0
      while sqlite3_step(statement) == SQLITE_ROW {
        for column in 0..<sqlite3_column_count(statement) { _ = sqlite3_column_text(statement, column) }
        count += 1
      }
      return (began.milliseconds, count)
    }
    _ = try ask("PRAGMA schema_version")
    look.open = began.milliseconds
    let order = "ORDER BY created DESC, path DESC"
    look.rows = try ask("SELECT * FROM asset WHERE isHidden = 0 \(order) LIMIT 100").milliseconds
    let numbers = "SELECT number FROM asset WHERE isHidden = 0 \(order)"
    _ = try ask(numbers)
    (look.ids, look.count) = try ask(numbers)
    (look.search, look.found) = try ask(
      "SELECT number FROM asset WHERE isHidden = 0 AND search LIKE ? \(order)", "%\(search)%")
    (look.album, look.albumCount) = try ask(
      """
      SELECT number FROM asset JOIN membership ON membership.asset = asset.id
      WHERE membership.collection = ? AND isHidden = 0 ORDER BY +created DESC, path DESC
      """, LargeLibrary.albumID)
    return look
  }
}
