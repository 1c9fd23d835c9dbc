// Folders of the library that are disks of their own, which may be unmounted alone.

import Foundation
import GRDB

extension LibraryIndex {
  private static let diskPrefix = "disk:"

  private func device(_ name: String) -> UInt64? { disk.status(LibraryFolder(folder).absolute(name))?.device }

  /// Remembers that a folder is on another disk than the library, if it is.
  ///
  /// - Parameter name: Relative to the library's folder.
  func noteDisk(at name: String) throws(PhotoLibraryError) {
    guard !name.isEmpty, let there = device(name), there != device(""), try !isDisk(name) else { return }
    try writing { db in
      try db.execute(
        sql: "INSERT OR IGNORE INTO property (name, value) VALUES (?, '')", arguments: [Self.diskPrefix + name])
    }
  }

  /// Whether a folder was on another disk than the library, and isn't now: its own isn't mounted.
  func isDiskAway(at name: String) throws(PhotoLibraryError) -> Bool {
    guard !name.isEmpty, try isDisk(name) else { return false }
    return device(name).map { $0 == device("") } ?? true
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
    for name in names where try isDiskAway(at: name) {
      try writing { db in
        try db.execute(sql: "DELETE FROM property WHERE name = ?", arguments: [Self.diskPrefix + name])
      }
    }
  }
}
