// Folders of the library that are disks of their own, which may be unmounted alone.

import Foundation
import GRDB

extension LibraryIndex {
  private static let diskPrefix = "disk:"

  private var disks: LibraryDisks { LibraryDisks(of: LibraryFolder(folder), disk: disk) }

  /// Remembers that a folder is on another disk than the library, if it is, in the library as well.
  ///
  /// - Parameter name: Relative to the library's folder.
  /// - Returns: The id of that disk, if it has one.
  @discardableResult
  func noteDisk(at name: String) throws(PhotoLibraryError) -> String? {
    let disks = disks
    guard disks.isDisk(name) else { return nil }
    if try !isDisk(name) {
      try writing { db in
        try db.execute(
          sql: "INSERT OR IGNORE INTO property (name, value) VALUES (?, '')", arguments: [Self.diskPrefix + name])
      }
    }
    return disks.mark(name)
  }

  /// Remembers that files are on a disk: those that were seen before it had its mark.
  ///
  /// - Parameter paths: Of files that are as the index knows them.
  func note(_ paths: Set<PathBytes>, on id: String, in name: String) throws(PhotoLibraryError) {
    let others = try readingNow { db in
      try String.fetchAll(
        db.cachedStatement(sql: "SELECT path FROM asset WHERE folder = ? AND (disk <> ? OR NOT isElsewhere)"),
        arguments: [name, id]
      ).filter { paths.contains(PathBytes($0)) }
    }
    guard !others.isEmpty else { return }
    try writing { db in
      let statement = try db.cachedStatement(sql: "UPDATE asset SET disk = ?, isElsewhere = 1 WHERE path = ?")
      for path in others { try statement.execute(arguments: [id, path]) }
    }
  }

  /// Whether a folder was on another disk than the library, and none that was seen there is there now.
  func isDiskAway(at name: String) throws(PhotoLibraryError) -> Bool { try isDiskAway(at: name, disks) }

  func isDiskAway(at name: String, _ disks: LibraryDisks) throws(PhotoLibraryError) -> Bool {
    guard !name.isEmpty else { return false }
    let known = disks.known(at: name)
    if !known.isEmpty { return disks.id(at: name).map { !known.contains($0) } ?? true }
    return try isDisk(name) && !disks.isDisk(name)
  }

  /// The same, for choosing a folder: where it can't be found out, any will do.
  func isAway(_ name: String) -> Bool { (try? isDiskAway(at: name)) ?? false }

  private func isDisk(_ name: String) throws(PhotoLibraryError) -> Bool {
    try readingNow { db in
      try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM property WHERE name = ?)"),
        arguments: [Self.diskPrefix + name]) ?? false
    }
  }

  /// Forgets disks that are out of use: the folder is on the library's own, and all pictures are there that were known on
  /// the other. The whole library has been scanned.
  func forgetFormerDisks() throws(PhotoLibraryError) {
    let names = try readingNow { db in
      // `;` follows `:`, as `0` follows `/`.
      try String.fetchAll(db, sql: "SELECT name FROM property WHERE name >= 'disk:' AND name < 'disk;'")
        .map { String($0.dropFirst(Self.diskPrefix.count)) }
        .filter { name in
          try Bool.fetchOne(
            db,
            sql: """
              SELECT EXISTS (SELECT 1 FROM asset WHERE folder = :name) AND NOT EXISTS (
                SELECT 1 FROM departed WHERE path > :name || '/' AND path < :name || '0' AND isElsewhere)
              """, arguments: ["name": name]) ?? false
        }
    }
    guard !names.isEmpty else { return }
    let disks = disks
    for name in names where !disks.isDisk(name) {
      guard try isDiskAway(at: name, disks) else { continue }
      try writing { db in
        try db.execute(sql: "DELETE FROM property WHERE name = ?", arguments: [Self.diskPrefix + name])
      }
      disks.forget(name)
    }
  }
}
