// The index of the library, in SQLite: a cache of the files' metadata and records that can be deleted at any time.

import Foundation
import GRDB
import Localization
import Logging
import Synchronization

/// The database of a library, shared by all processes that have the folder open.
///
/// Every change that a transaction makes is also a row of the table `change`, so that all processes read the same
/// history and publish it in the same order, whichever wrote it.
final class LibraryIndex: Sendable {
  /// The database's file; `nil` when it is in memory.
  let url: URL?
  let folder: URL
  let disk: Disk
  private let database: Mutex<any DatabaseWriter>
  let listeners = Mutex(Listeners())

  /// The streams of changes, and the last row that they got.
  struct Listeners {
    var continuations: [UInt64: AsyncStream<PhotoLibraryChange>.Continuation] = [:]
    var nextID: UInt64 = 0
    /// The last row of `change` that was published.
    var published: Int64 = 0
    var isClosed = false
  }

  private static let logger = Logger(label: "photome.library.index")
  /// The number of changes that are kept for processes that have not read them yet.
  private static let keptChangeCount = 20_000

  /// The error for an index that a newer PhotoMe has written, which must stay as it is.
  struct Newer: Error {}

  /// - Parameter url: `nil` keeps the database in memory.
  /// - Throws: `DatabaseError` when the file can't be opened, read or migrated, or `Newer`.
  init(url: URL?, folder: URL, disk: Disk) throws {
    self.url = url
    self.folder = folder
    self.disk = disk
    let database = try Self.open(url)
    self.database = Mutex(database)
    let last = try database.read { db in
      // Reads the pages that are needed first, so that damage shows here and not later.
      _ = try IndexedFile.fetchAll(
        db,
        sql:
          "SELECT * FROM asset WHERE isHidden = 0 AND \(AssetQuery.isWhole) ORDER BY \(IndexedFile.newestFirst) LIMIT 100"
      )
      return try Self.lastSequence(db)
    }
    listeners.withLock { $0.published = last }
  }

  private static func open(_ url: URL?) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.label = "photome.index"
    // Other processes write for a few milliseconds at a time.
    configuration.busyMode = .timeout(10)
    // GRDB creates a write-ahead log by an empty change. Flushing it, 10 to 40 ms, would be most of the time that
    // opening takes, and nothing is lost without it.
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
    let database: any DatabaseWriter
    if let url {
      database = try DatabasePool(path: url.path, configuration: configuration)
    } else {
      database = try DatabaseQueue(configuration: configuration)
    }
    // The index is a cache: a power failure may lose its last rows, which the next scan of the folder restores.
    try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = NORMAL") }
    // Its tables may mean something else now. On the connection that migrates: another one would remember the columns
    // from before.
    guard try !database.writeWithoutTransaction(IndexSchema.migrator.hasBeenSuperseded) else {
      try database.close()
      throw Newer()
    }
    try IndexSchema.migrator.migrate(database)
    return database
  }

  func close() {
    let continuations = listeners.withLock { listeners in
      listeners.isClosed = true
      defer { listeners.continuations = [:] }
      return Array(listeners.continuations.values)
    }
    // Outside of the lock, because finishing a stream takes it again.
    for continuation in continuations { continuation.finish() }
  }

  /// Frees the cached pages that SQLite doesn't need at the moment.
  func releaseMemory() {
    // A database in memory has no other place for them.
    (database.withLock { $0 } as? DatabasePool)?.releaseMemory()
  }

  // MARK: Reading

  /// The states in which the files with these paths were indexed.
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

  /// The folders that have files in the index, relative to the library's.
  func knownFolders() throws(PhotoLibraryError) -> [String] {
    try readingNow { db in
      // From folder to folder in the database index, and not through all of its rows.
      func folders(_ table: String) throws -> [String] {
        try String.fetchAll(
          db,
          sql: """
            WITH RECURSIVE next (folder) AS (
              SELECT min(folder) FROM \(table)
              UNION ALL SELECT (SELECT min(folder) FROM \(table) WHERE folder > next.folder) FROM next
              WHERE next.folder IS NOT NULL)
            SELECT folder FROM next WHERE folder IS NOT NULL
            """)
      }
      return try folders("asset") + folders("unusable")
    }
  }

  /// The states in which the records of a table were indexed, by id.
  func knownStates(records table: RecordTable) throws(PhotoLibraryError) -> [String: FileState] {
    try readingNow { db in
      let rows = try Row.fetchCursor(db, sql: "SELECT id, fileSize, modified, changed FROM \(table.rawValue)")
      var states: [String: FileState] = [:]
      while let row = try rows.next() { states[row["id"]] = FileState(row) }
      return states
    }
  }

  /// The tables of copies of record files.
  enum RecordTable: String {
    case record
    case collection
  }

  // MARK: Writing

  /// Those of some snapshots whose files have changed since, to be scanned again.
  struct Stale: Sendable {
    /// The ids of records.
    var records: [String] = []
    /// Also of files that were not among the snapshots, and have to be.
    var paths: [String] = []
    /// The paths of files that wait for the rest of a scan.
    var unsettled: [String] = []

    var isEmpty: Bool { paths.isEmpty && records.isEmpty }
  }

  /// Updates the index to the snapshots in one step, and publishes the changes.
  ///
  /// SQLite serializes write transactions over all processes, and each file's state is compared with the disk inside of
  /// the transaction: an outdated snapshot never overwrites a newer one.
  ///
  /// - Parameters:
  ///   - unseen: What is done with files whose ids depend on others.
  ///   - takesPart: Whether the others are taken in when some are stale.
  ///   - isValid: Called at the end of the transaction; nothing is changed when it returns `false`.
  /// - Returns: What is stale; `nil` when the snapshots aren't valid.
  func apply(
    _ files: [FileSnapshot], _ records: [RecordSnapshot], unseen: IndexTransaction.Unseen = .ignored,
    takesPart: Bool = true, if isValid: (() -> Bool)? = nil
  ) throws(PhotoLibraryError) -> Stale? {
    try apply { transaction in
      var stale = try Stale(records: transaction.apply(records))
      (stale.paths, stale.unsettled) = try transaction.apply(files, unseen: unseen)
      guard isValid?() ?? true else { return (nil, isWanted: false) }
      return (stale, isWanted: takesPart || stale.isEmpty)
    }
  }

  /// Gives files the ids whose records name them.
  ///
  /// - Returns: The ids whose files aren't there, or belong to others.
  func adopt(_ ids: [Asset.ID]) throws(PhotoLibraryError) -> [Asset.ID] {
    try apply { transaction in (try ids.filter { try !transaction.adopt($0) }, isWanted: true) }
  }

  private func apply<R>(
    _ body: (IndexTransaction) throws -> (R, isWanted: Bool)
  ) throws(PhotoLibraryError) -> R {
    try retrying { () throws -> R in
      var result: R?
      try self.writer.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          let isScanned = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM property WHERE name = 'scanned')"))
          let (outcome, isWanted) = try body(
            IndexTransaction(db: db, folder: self.folder, disk: self.disk, isFirstScan: isScanned != true))
          result = outcome
          guard isWanted else { return .rollback }
          let last = try Self.lastSequence(db)
          try db.cachedStatement(sql: "DELETE FROM change WHERE sequence < ?")
            .execute(arguments: [last - Int64(Self.keptChangeCount)])
          return .commit
        }
        try self.publishChanges(db)
      }
      guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      return result
    }
  }

  /// Writes data that no list depends on; nothing is published.
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

  /// Sets a damaged database aside and creates a new one.
  func replace() throws(PhotoLibraryError) {
    try recreate(DatabaseError(resultCode: .SQLITE_CORRUPT, message: localized("it’s damaged")))
  }

  /// Publishes the history that other processes may have written.
  func publishChanges() throws(PhotoLibraryError) {
    try retrying { try self.writer.writeWithoutTransaction { db in try self.publishChanges(db) } }
  }

  // MARK: Errors

  private var writer: any DatabaseWriter { database.withLock { $0 } }

  /// Reads from one snapshot of the database; any thread.
  func readingNow<R>(_ body: (Database) throws -> R) throws(PhotoLibraryError) -> R {
    try retrying { try self.writer.read(body) }
  }

  /// Runs `body`, a second time with a new database when the current one turns out to be damaged.
  private func retrying<R>(_ body: () throws -> R) throws(PhotoLibraryError) -> R {
    do { return try body() } catch  where Self.isDamage(error) {
      try recreate(error)
      do { return try body() } catch { throw failure(error) }
    } catch {
      throw failure(error)
    }
  }

  /// Called when the database was replaced while the library is open, and everything has to be scanned again.
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

  /// Whether the error means that the file is damaged or not a database.
  static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }

  /// Renames a database and its companion files, for later inspection.
  ///
  /// - Returns: The new name.
  /// - Throws: The error of renaming.
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

  /// The file for another index of the same folder: `name.infix.sqlite`.
  static func url(_ url: URL, infix: String) -> URL {
    url.deletingPathExtension().appendingPathExtension(infix).appendingPathExtension(url.pathExtension)
  }

  static func reason(_ error: any Error) -> String {
    if let error = error as? DatabaseError { return error.message ?? "\(error.resultCode)" }
    return error.localizedDescription
  }

  private func failure(_ error: any Error) -> PhotoLibraryError {
    if let error = error as? PhotoLibraryError { return error }
    return .index(path: url?.path ?? localized("in memory"), reason: Self.reason(error))
  }
}
