// Updating a batch of files in the index, inside one transaction.

import Foundation
import GRDB

/// One write transaction.
///
/// Two files with the same picture (copies) can't both have the picture's own id. The choice depends on the paths
/// alone, so that a rebuilt index makes the same: first the file with the name that PhotoMe gives, then the shorter
/// path, then the first in byte order. The others get ids derived from the picture's id and their paths.
struct IndexTransaction {
  let db: Database
  let folder: URL
  let disk: Disk

  /// Updates the tables to the snapshots.
  ///
  /// - Returns: The paths of files that have changed since.
  func apply(_ looks: [FileSnapshot]) throws -> [String] {
    var stale: [String] = []
    var current: [FileSnapshot] = []
    for look in looks {
      if isCurrent(look) { current.append(look) } else { stale.append(look.path) }
    }
    // The content ids that are concerned: their files before, and after.
    var touched: Set<Asset.ID> = []
    var after: [PathBytes: IndexedFile?] = [:]
    for look in current {
      if let before = try file(path: look.path) { touched.insert(before.contentID) }
      try db.cachedStatement(sql: "DELETE FROM unusable WHERE path = ?").execute(arguments: [look.path])
      guard let status = look.status else {
        after[PathBytes(look.path)] = .some(nil)
        continue
      }
      guard let facts = look.facts else {
        after[PathBytes(look.path)] = .some(nil)
        try db.cachedStatement(
          sql: "INSERT INTO unusable (path, folder, fileSize, modified, changed) VALUES (?, ?, ?, ?, ?)"
        ).execute(
          arguments: [
            look.path, Disk.folder(of: look.path), Int64(clamping: status.size), status.modified,
            status.changed,
          ])
        continue
      }
      touched.insert(facts.contentID)
      after[PathBytes(look.path)] = IndexedFile(path: look.path, facts: facts, status: status)
    }
    var before: [Asset.ID: IndexedFile] = [:]
    for contentID in touched {
      for file in try files(contentID: contentID) { before[file.id] = file }
    }
    var now: [Asset.ID: [IndexedFile]] = [:]
    for file in before.values where after[PathBytes(file.path)] == nil {
      // A file that was moved may be found at its new path before it is missed at its old one.
      if isThere(file.path) { now[file.contentID, default: []].append(file) }
    }
    for case let file? in after.values { now[file.contentID, default: []].append(file) }
    try write(before: before, now: now)
    return stale
  }

  /// Writes the differences, and their history.
  private func write(before: [Asset.ID: IndexedFile], now: [Asset.ID: [IndexedFile]]) throws {
    var named: [Asset.ID: IndexedFile] = [:]
    for (contentID, files) in now {
      let sorted = files.sorted(by: Self.isFirst)
      for (index, file) in sorted.enumerated() {
        var file = file
        file.id = index == 0 ? contentID : AssetIdentity.id(ofCopy: contentID, at: file.path)
        file.number = before[file.id]?.number
        try addRecord(to: &file)
        named[file.id] = file
      }
    }
    for (id, file) in before where !Self.isSame(named[id], file) {
      try db.cachedStatement(sql: "DELETE FROM asset WHERE id = ?").execute(arguments: [id])
      if named[id] == nil { try note(id, file.number ?? 0, .removed) }
    }
    for (id, file) in named where !Self.isSame(before[id], file) {
      try file.insert(db)
      try note(id, file.number ?? db.lastInsertedRowID, before[id] == nil ? .inserted : .changed)
    }
  }

  /// Adds the flags from the record of an asset, which may have existed before its file.
  private func addRecord(to file: inout IndexedFile) throws {
    let statement = try db.cachedStatement(sql: "SELECT isFavorite, isHidden, isEdited FROM record WHERE id = ?")
    let row = try Row.fetchOne(statement, arguments: [file.id])
    file.isFavorite = row?["isFavorite"] ?? false
    file.isHidden = row?["isHidden"] ?? false
    file.isEdited = row?["isEdited"] ?? false
  }

  func note(_ id: String, _ number: Int64, _ kind: ChangeKind) throws {
    try db.cachedStatement(sql: "INSERT INTO change (id, number, kind) VALUES (?, ?, ?)")
      .execute(arguments: [id, number, kind.rawValue])
  }

  private func file(path: String) throws -> IndexedFile? {
    try IndexedFile.fetchOne(db.cachedStatement(sql: "SELECT * FROM asset WHERE path = ?"), arguments: [path])
  }

  private func files(contentID: Asset.ID) throws -> [IndexedFile] {
    try IndexedFile.fetchAll(
      db.cachedStatement(sql: "SELECT * FROM asset WHERE contentID = ?"), arguments: [contentID])
  }

  /// Whether the file on the disk is still in the state of the snapshot.
  private func isCurrent(_ look: FileSnapshot) -> Bool {
    let status = disk.status(absolute(look.path))
    let isFile = status?.kind == .file
    guard let looked = look.status else { return !isFile }
    guard isFile, let status else { return false }
    return FileState(status) == FileState(looked)
  }

  private func isThere(_ path: String) -> Bool { disk.status(absolute(path))?.kind == .file }

  private func absolute(_ path: String) -> String { folder.path + "/" + path }

  private static func isSame(_ left: IndexedFile?, _ right: IndexedFile) -> Bool {
    left == right && left.map { PathBytes($0.path) } == PathBytes(right.path)
  }

  private static func isFirst(_ left: IndexedFile, _ right: IndexedFile) -> Bool {
    let (leftRank, rightRank) = (rank(left), rank(right))
    if leftRank != rightRank { return leftRank < rightRank }
    let (leftCount, rightCount) = (left.path.utf8.count, right.path.utf8.count)
    if leftCount != rightCount { return leftCount < rightCount }
    return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
  }

  private static func rank(_ file: IndexedFile) -> Int {
    let time = LocalTime(milliseconds: file.created, utcOffset: file.utcOffset)
    return file.path.hasPrefix("\(time.monthFolder)/IMG_\(time.stamp)") ? 0 : 1
  }
}

/// The kind of a row of the history.
enum ChangeKind: Int, Sendable {
  case inserted
  case changed
  case removed
  /// A collection of that id was added, changed or removed.
  case collection
}
