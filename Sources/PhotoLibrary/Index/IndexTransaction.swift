// Brings a batch of looked-at files into the index, inside one transaction.

import Foundation
import GRDB

/// The work of one writing transaction.
///
/// Two files with the same picture (a copy) can't both have the picture's own id. Which one has it depends on the names
/// only, so that an index made anew decides the same: first the file that is called as PhotoMe calls it, then the shorter
/// path, then the first in order of bytes. The others get an id that is made of the picture's and their path.
struct IndexTransaction {
  let db: Database
  let folder: URL
  let disk: Disk

  /// - Returns: The paths whose files have changed since they were looked at.
  func apply(_ looks: [FileSnapshot]) throws -> [String] {
    var stale: [String] = []
    var current: [FileSnapshot] = []
    for look in looks {
      if isCurrent(look) { current.append(look) } else { stale.append(look.path) }
    }
    // The pictures that are touched: their files before, and after.
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
      // A file that was moved may be found in its new place before it is missed in its old one.
      if isThere(file.path) { now[file.contentID, default: []].append(file) }
    }
    for case let file? in after.values { now[file.contentID, default: []].append(file) }
    try write(before: before, now: now)
    return stale
  }

  /// Writes the differences and their history.
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

  /// What the record of an asset says, which may have been there before its file.
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

  /// Whether the disk still agrees with the look.
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

/// What a row of the history says.
enum ChangeKind: Int, Sendable {
  case inserted
  case changed
  case removed
  /// A collection of that id came, changed or went.
  case collection
}
