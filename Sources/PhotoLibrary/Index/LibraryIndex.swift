// The index: what the files of the library say, in SQLite. A cache that can be thrown away at any time.

import Foundation
import GRDB
import Logging
import Synchronization

/// The database behind the library, shared by all processes that have the folder open.
///
/// Every difference that a transaction makes is also a row of the table `change`, so that each process reads the same
/// history and tells it on in the same order, whoever wrote it.
final class LibraryIndex: Sendable {
  /// Where the database lies; `nil` when it is held in memory.
  let url: URL?
  let folder: URL
  let disk: Disk
  private let database: Mutex<any DatabaseWriter>
  let listeners = Mutex(Listeners())

  /// Who is told of changes, and how far.
  struct Listeners {
    var continuations: [UInt64: AsyncStream<PhotoLibraryChange>.Continuation] = [:]
    var nextID: UInt64 = 0
    /// The last row of `change` that was told.
    var published: Int64 = 0
    var isClosed = false
  }

  private static let logger = Logger(label: "photome.library.index")
  /// So many changes are kept for processes that have not read them yet.
  private static let keptChangeCount = 20_000

  /// - Parameter url: `nil` holds the database in memory.
  init(url: URL?, folder: URL, disk: Disk) throws {
    self.url = url
    self.folder = folder
    self.disk = disk
    let database = try Self.open(url)
    self.database = Mutex(database)
    let last = try database.read { db in
      // Reads the first pages of what is shown first, so that damage shows here and not later.
      _ = try IndexedFile.fetchAll(
        db, sql: "SELECT * FROM asset WHERE isHidden = 0 ORDER BY \(IndexedFile.newestFirst) LIMIT 100")
      return try Self.lastSequence(db)
    }
    listeners.withLock { $0.published = last }
  }

  private static func open(_ url: URL?) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.label = "photome.index"
    // Another process writes for a few milliseconds at a time.
    configuration.busyMode = .timeout(10)
    // GRDB makes a new write-ahead log by a change that changes nothing. Waiting until the disk has that, some 10 to 40 ms,
    // is most of the time that opening takes, and nothing is lost without it.
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
    let database: any DatabaseWriter
    if let url {
      database = try DatabasePool(path: url.path, configuration: configuration)
    } else {
      database = try DatabaseQueue(configuration: configuration)
    }
    // The index is a cache: a power cut may cost its last rows, which the next look at the folder brings back.
    try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = NORMAL") }
    try IndexSchema.migrator.migrate(database)
    return database
  }

  func close() {
    let continuations = listeners.withLock { listeners in
      listeners.isClosed = true
      defer { listeners.continuations = [:] }
      return Array(listeners.continuations.values)
    }
    // Outside of the lock, because the end of a stream takes it again.
    for continuation in continuations { continuation.finish() }
  }

  /// Lets go of the pages that SQLite keeps and nobody needs at the moment.
  func releaseMemory() {
    // One that is held in memory has no other place for them.
    (database.withLock { $0 } as? DatabasePool)?.releaseMemory()
  }

  // MARK: Reading

  /// What is known of the files with these paths, or of all files of one folder: the state in which each was read.
  func knownStates(paths: [String]) throws(PhotoLibraryError) -> [PathBytes: FileState] {
    try readingNow { db in
      var states: [PathBytes: FileState] = [:]
      let select = """
        SELECT path, fileSize, modified, changed FROM asset WHERE path = :path
        UNION ALL SELECT path, fileSize, modified, changed FROM unusable WHERE path = :path
        """
      let statement = try db.cachedStatement(sql: select)
      for path in paths {
        if let row = try Row.fetchOne(statement, arguments: ["path": path]) { states[PathBytes(path)] = FileState(row) }
      }
      return states
    }
  }

  func knownStates(folder: String) throws(PhotoLibraryError) -> [PathBytes: FileState] {
    try readingNow { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT path, fileSize, modified, changed FROM asset WHERE folder = :folder
          UNION ALL SELECT path, fileSize, modified, changed FROM unusable WHERE folder = :folder
          """, arguments: ["folder": folder])
      var states: [PathBytes: FileState] = [:]
      while let row = try rows.next() { states[PathBytes(row["path"])] = FileState(row) }
      return states
    }
  }

  /// Every folder that has files in the index, relative to the library's.
  func knownFolders() throws(PhotoLibraryError) -> [String] {
    try readingNow { db in
      try String.fetchAll(db, sql: "SELECT DISTINCT folder FROM asset UNION SELECT DISTINCT folder FROM unusable")
    }
  }

  /// What is known of the records or of the albums, by their ids.
  func knownStates(records table: RecordTable) throws(PhotoLibraryError) -> [String: FileState] {
    try readingNow { db in
      let rows = try Row.fetchCursor(db, sql: "SELECT id, fileSize, modified, changed FROM \(table.rawValue)")
      var states: [String: FileState] = [:]
      while let row = try rows.next() { states[row["id"]] = FileState(row) }
      return states
    }
  }

  /// The tables that copy files of PhotoMe's own.
  enum RecordTable: String {
    case record
    case collection
  }

  // MARK: Writing

  /// Brings the index to what was found, and tells everyone.
  ///
  /// SQLite lets one transaction at a time write, over all processes, and each file's state is compared with the disk
  /// inside of it: so a look that is out of date never overwrites a newer one.
  ///
  /// - Returns: The paths whose files have changed since they were looked at, to be looked at again.
  func apply(_ looks: [FileSnapshot]) throws(PhotoLibraryError) -> [String] { try apply { try $0.apply(looks) } }

  /// The same for records and albums.
  ///
  /// - Returns: The ids of those that have changed since.
  func apply(_ looks: [RecordSnapshot]) throws(PhotoLibraryError) -> [String] { try apply { try $0.apply(looks) } }

  private func apply(
    _ body: (IndexTransaction) throws -> [String]
  ) throws(PhotoLibraryError) -> [String] {
    try retrying { () throws -> [String] in
      var stale: [String] = []
      try self.writer.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          stale = try body(IndexTransaction(db: db, folder: self.folder, disk: self.disk))
          let last = try Self.lastSequence(db)
          try db.cachedStatement(sql: "DELETE FROM change WHERE sequence < ?")
            .execute(arguments: [last - Int64(Self.keptChangeCount)])
          return .commit
        }
        try self.publishChanges(db)
      }
      return stale
    }
  }

  /// Writes what no list depends on, or what nobody is to be told of.
  func writing(_ body: (Database) throws -> Void) throws(PhotoLibraryError) {
    try retrying {
      try self.writer.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          try body(db)
          return .commit
        }
      }
    }
  }

  /// Throws a damaged database away and begins a new one.
  func replace() throws(PhotoLibraryError) {
    try recreate(DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it was found damaged"))
  }

  /// Reads on in the history that other processes may have written, and tells it.
  func publishChanges() throws(PhotoLibraryError) {
    try retrying { try self.writer.writeWithoutTransaction { db in try self.publishChanges(db) } }
  }

  // MARK: Errors

  private var writer: any DatabaseWriter { database.withLock { $0 } }

  /// Reads one state of the index; any thread.
  func readingNow<R>(_ body: (Database) throws -> R) throws(PhotoLibraryError) -> R {
    try retrying { try self.writer.read(body) }
  }

  /// Runs `body`, once more with a new database when the present one turns out to be damaged.
  private func retrying<R>(_ body: () throws -> R) throws(PhotoLibraryError) -> R {
    do { return try body() } catch  where Self.isDamage(error) {
      try recreate(error)
      do { return try body() } catch { throw failure(error) }
    } catch {
      throw failure(error)
    }
  }

  /// Called when the database was replaced while the library was open, and everything must be looked at again.
  let wasReplaced = Mutex<(@Sendable () -> Void)?>(nil)

  private func recreate(_ error: any Error) throws(PhotoLibraryError) {
    guard let url else { throw failure(error) }
    Self.logger.error("The index is damaged and is made again.", metadata: ["reason": "\(error)"])
    let path = url.path
    do {
      try database.withLock { database in
        try Self.setAside(url)
        database = try Self.open(url)
      }
    } catch {
      throw .index(path: path, reason: Self.reason(error))
    }
    listeners.withLock { $0.published = 0 }
    wasReplaced.withLock { $0 }?()
  }

  /// Whether the error says that the file is no database, or a broken one.
  static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }

  /// Moves a database and its companions out of the way; they may hold something that someone wants to look at.
  @discardableResult
  static func setAside(_ url: URL) throws -> URL {
    let manager = FileManager.default
    var number = 1
    var target = url.appendingPathExtension("damaged")
    while manager.fileExists(atPath: target.path) {
      number += 1
      target = url.appendingPathExtension("damaged-\(number)")
    }
    try manager.moveItem(at: url, to: target)
    for suffix in ["-wal", "-shm"] where manager.fileExists(atPath: url.path + suffix) {
      try manager.moveItem(atPath: url.path + suffix, toPath: target.path + suffix)
    }
    return target
  }

  static func reason(_ error: any Error) -> String {
    if let error = error as? DatabaseError { return error.message ?? "\(error.resultCode)" }
    return error.localizedDescription
  }

  private func failure(_ error: any Error) -> PhotoLibraryError {
    if let error = error as? PhotoLibraryError { return error }
    return .index(path: url?.path ?? "in memory", reason: Self.reason(error))
  }
}
