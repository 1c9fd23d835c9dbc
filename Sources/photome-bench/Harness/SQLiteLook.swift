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

  /// Puts rows into the table of the albums' members, and takes them out again.
  ///
  /// - Returns: The time of the transaction, in milliseconds.
  func fillAlbum(with count: Int) throws -> Double {
    try withDatabase { database in
      let began = ContinuousClock.now
      try run("BEGIN", in: database)
      try run(
        "INSERT INTO membership SELECT 'bench', id, 0 FROM asset ORDER BY created DESC LIMIT \(count)", in: database)
      try run("COMMIT", in: database)
      let time = began.milliseconds
      try run("DELETE FROM membership WHERE collection = 'bench'", in: database)
      return time
    }
  }

  /// Copies the files of a folder as carefully as a library must, and notes each in a table of its own.
  func copy(_ folder: URL, to copies: URL) throws {
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copies) }
    try withDatabase { database in
      try run("CREATE TABLE bench (name TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL)", in: database)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        try data.writeDurably(to: copies.appendingPathComponent(name).path)
        try run("INSERT INTO bench VALUES ('\(name)', \(data.count))", in: database)
      }
      try run("DROP TABLE bench", in: database)
    }
  }

  /// The number of assets whose file has a size in bytes.
  func count(ofSize size: Int) throws -> Int {
    try withDatabase { database in
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      let question = "SELECT count(*) FROM asset WHERE fileSize = \(size)"
      guard sqlite3_prepare_v2(database, question, -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW
      else { throw BenchError("SQLite does not understand “\(question)”.") }
      return Int(sqlite3_column_int64(statement, 0))
    }
  }

  private func withDatabase<R>(_ body: (OpaquePointer?) throws -> R) throws -> R {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open_v2(index, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw BenchError("SQLite can't open \(index).")
    }
    return try body(database)
  }

  private func run(_ statement: String, in database: OpaquePointer?) throws {
    guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else {
      throw BenchError("SQLite: \(String(cString: sqlite3_errmsg(database))), at “\(statement)”.")
    }
  }
}

extension Data {
  /// A new file, durable under its name when this returns.
  fileprivate func writeDurably(to path: String) throws {
    let temporary = path + ".tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    let count = withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == self.count, fsync(descriptor) == 0, rename(temporary, path) == 0 else {
      throw BenchError("\(path): \(String(cString: strerror(errno)))")
    }
  }
}
