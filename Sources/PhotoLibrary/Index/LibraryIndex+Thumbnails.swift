// The pictures whose thumbnails have yet to be searched for.

import Foundation
import GRDB

/// Pictures that were hidden or deleted, until all of the desktop's thumbnails have been searched for theirs: nobody else
/// would know at the next start what was deleted.
extension LibraryIndex {
  private static let unsweptPrefix = "unswept:"

  /// - Parameter paths: Absolute.
  func noteUnswept(_ paths: [String]) throws(PhotoLibraryError) {
    try writing { db in
      let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO property (name, value) VALUES (?, '')")
      for path in paths { try statement.execute(arguments: [Self.unsweptPrefix + path]) }
    }
  }

  func clearUnswept(_ paths: [String]) throws(PhotoLibraryError) {
    // Mostly there are none.
    let left = Set(try unswept().map(PathBytes.init)).intersection(paths.map(PathBytes.init))
    guard !left.isEmpty else { return }
    try writing { db in
      let statement = try db.cachedStatement(sql: "DELETE FROM property WHERE name = ?")
      for path in left { try statement.execute(arguments: [Self.unsweptPrefix + path.path]) }
    }
  }

  func unswept() throws(PhotoLibraryError) -> [String] {
    let names = try readingNow { db in
      try String.fetchAll(
        db.cachedStatement(sql: "SELECT name FROM property WHERE name >= 'unswept:' AND name < 'unswept;'"))
    }
    return names.map { String(decoding: $0.utf8.dropFirst(Self.unsweptPrefix.utf8.count), as: UTF8.self) }
  }
}
