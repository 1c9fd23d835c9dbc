// Pictures that were in the library and aren't now, and what the index remembers of them.

import Foundation
import GRDB

extension LibraryIndex {
  /// A picture that was in the library and is not in it now.
  struct Departure: Sendable, Hashable {
    var id: Asset.ID
    /// Relative to the library's folder; empty when an earlier version noted it.
    var path: String
    /// Whether it was on another file system than the library's folder.
    var isElsewhere: Bool
    /// The mark of that one; empty when it had none.
    var diskID: String
    /// Whether something that isn't a picture, or isn't whole, is at its path.
    var isUnusable: Bool
    /// The time from which the time of grace counts, in milliseconds since 1970; 0 before that.
    var since: Int64
    /// Where it was seen in the trash.
    var trashed: String?

    init(_ row: Row) {
      id = row["id"]
      path = row["path"]
      isElsewhere = row["isElsewhere"]
      diskID = row["disk"]
      isUnusable = row["isUnusable"]
      since = row["since"]
      trashed = row["trashed"]
    }
  }

  /// All of them, by id.
  func departures() throws(PhotoLibraryError) -> [Departure] {
    try readingNow { db in try Row.fetchAll(db, sql: "SELECT * FROM departed ORDER BY id").map(Departure.init) }
  }

  /// Whether there is any.
  func hasDepartures() throws(PhotoLibraryError) -> Bool {
    try readingNow { db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM departed)") ?? false }
  }

  /// Starts the time of grace of those that are new, and notes where they are in the trash.
  ///
  /// - Parameters:
  ///   - now: In milliseconds since 1970.
  ///   - trashed: Paths in the trash, by id.
  func noteDepartures(now: Int64, trashed: [Asset.ID: String]) throws(PhotoLibraryError) {
    try writing { db in
      try db.execute(sql: "UPDATE departed SET since = ? WHERE since = 0", arguments: [now])
      let statement = try db.cachedStatement(sql: "UPDATE departed SET trashed = ? WHERE id = ?")
      for (id, path) in trashed { try statement.execute(arguments: [path, id]) }
    }
  }

  func forget(departed ids: some Collection<Asset.ID> & Sendable) throws(PhotoLibraryError) {
    try writing { db in
      let statement = try db.cachedStatement(sql: "DELETE FROM departed WHERE id = ?")
      for id in ids { try statement.execute(arguments: [id]) }
    }
  }

  /// Forgets that pictures were seen whose names were taken back: their departure is deliberate, whether it has been
  /// noticed already or not.
  ///
  /// - Parameter paths: Relative to the library's folder; nothing is there.
  func forget(takenBack paths: [String]) throws(PhotoLibraryError) {
    guard !paths.isEmpty else { return }
    try writing { db in
      for path in paths {
        // What was missed before has its time of grace.
        try db.cachedStatement(sql: "DELETE FROM departed WHERE path = ? AND since = 0").execute(arguments: [path])
        try db.cachedStatement(
          sql: "INSERT OR REPLACE INTO deliberate (id, trashed) SELECT id, NULL FROM asset WHERE path = ?"
        ).execute(arguments: [path])
      }
    }
  }

  /// Notes what PhotoMe is about to remove itself: to the trash, or for good. A picture deleted for good is not
  /// remembered, also when the process is killed before the index is up to date.
  ///
  /// - Parameter removals: The paths in the trash, by id; `nil` for pictures that are deleted for good.
  func expect(_ removals: [Asset.ID: String?]) throws(PhotoLibraryError) {
    guard !removals.isEmpty else { return }
    try writing { db in
      let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO deliberate (id, trashed) VALUES (?, ?)")
      for (id, trashed) in removals { try statement.execute(arguments: [id, trashed]) }
    }
  }

  /// Discards the notes about removals that didn't happen.
  func clearExpectations(_ ids: some Collection<Asset.ID> & Sendable) throws(PhotoLibraryError) {
    guard !ids.isEmpty else { return }
    try writing { db in
      let statement = try db.cachedStatement(sql: "DELETE FROM deliberate WHERE id = ?")
      for id in ids { try statement.execute(arguments: [id]) }
    }
  }

  /// Whether the whole folder was ever scanned.
  var wasScanned: Bool {
    do throws(PhotoLibraryError) {
      return try readingNow { db in
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM property WHERE name = 'scanned')") ?? false
      }
    } catch {
      return false
    }
  }

  /// The whole folder has been scanned: ids are final, and removals that were announced have happened or will not.
  ///
  /// - Parameter isQuiet: Whether nobody is making a change. Who makes one has announced it in a transaction of its own
  ///   and then carries it out; so this is asked within one, and only of files that are there.
  func noteScanned(isQuiet: @Sendable () -> Bool) throws(PhotoLibraryError) {
    let isKnown = try readingNow { db in
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM property WHERE name = 'scanned')
            AND NOT EXISTS (SELECT 1 FROM deliberate CROSS JOIN asset ON asset.id = deliberate.id)
          """) ?? false
    }
    if isKnown { return }
    let (folder, disk) = (LibraryFolder(folder), disk)
    try writing { db in
      try db.execute(
        sql: "INSERT INTO property (name, value) VALUES ('scanned', '1') ON CONFLICT (name) DO NOTHING")
      let left = try Row.fetchAll(
        db, sql: "SELECT asset.id, path FROM deliberate CROSS JOIN asset ON asset.id = deliberate.id")
      guard !left.isEmpty, isQuiet() else { return }
      for row in left where disk.status(folder.absolute(row["path"]))?.kind == .file {
        try db.execute(sql: "DELETE FROM deliberate WHERE id = ?", arguments: [row["id"] as String])
      }
    }
  }

  // MARK: Bindings

  /// Those of these records that hold nothing but the names of their files.
  func emptyRecords(among ids: Set<Asset.ID>) throws(PhotoLibraryError) -> [Asset.ID] {
    try readingNow { db in
      let statement = try db.cachedStatement(sql: "SELECT 1 FROM binding WHERE id = ? AND isAll")
      return try ids.sorted().filter { try Int.fetchOne(statement, arguments: [$0]) != nil }
    }
  }

  /// Assets whose records don't tell which file they are of, and have to: see `IndexTransaction.noteBinding`.
  func unbound(limit: Int) throws(PhotoLibraryError) -> [Asset.ID] {
    try readingNow { db in
      try String.fetchAll(
        db.cachedStatement(sql: "SELECT id FROM unbound ORDER BY id LIMIT ?"), arguments: [limit])
    }
  }

  func clearUnbound(_ ids: [Asset.ID]) throws(PhotoLibraryError) {
    try writing { db in
      let statement = try db.cachedStatement(sql: "DELETE FROM unbound WHERE id = ?")
      for id in ids { try statement.execute(arguments: [id]) }
    }
  }

  /// The row of an asset.
  func file(id: Asset.ID) throws(PhotoLibraryError) -> IndexedFile? {
    try readingNow { db in
      try IndexedFile.fetchOne(db.cachedStatement(sql: "SELECT * FROM asset WHERE id = ?"), arguments: [id])
    }
  }

  // MARK: Properties

  /// What the index knows about its library as a whole.
  enum Property: String {
    /// The id in the library's own file: see `LibraryMark`.
    case library
    /// The topmost folder of the file system that the library was on.
    case mountPoint
  }

  func property(_ property: Property) throws(PhotoLibraryError) -> String? {
    try readingNow { db in
      try String.fetchOne(
        db.cachedStatement(sql: "SELECT value FROM property WHERE name = ?"), arguments: [property.rawValue])
    }
  }

  func set(_ property: Property, _ value: String) throws(PhotoLibraryError) {
    guard try self.property(property) != value else { return }
    try writing { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)", arguments: [property.rawValue, value])
    }
  }
}
