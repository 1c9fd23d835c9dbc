// Updating a batch of files in the index, inside one transaction.

import Foundation
import GRDB

/// One write transaction.
///
/// `IndexTransaction+Identity` decides which file has which id.
struct IndexTransaction {
  let db: Database
  let folder: URL
  let disk: Disk
  /// Whether the index has not seen the whole folder yet: see `provisionalHolder`.
  var isFirstScan = false
  /// Listings of folders, for file systems that find a name in any case.
  let names: ExactNames
  /// The links of parts before this transaction, in which files and records are looked at one after the other.
  let formerLinks = FormerLinks()

  init(db: Database, folder: URL, disk: Disk, isFirstScan: Bool = false) {
    self.db = db
    self.folder = folder
    self.disk = disk
    self.isFirstScan = isFirstScan
    names = ExactNames(root: folder.path, disk: disk)
  }

  /// Updates the tables to the snapshots.
  ///
  /// - Parameter unseen: What is done with files whose ids depend on others.
  /// - Returns: The paths of files that have changed since, and of those that must be seen as well; and of those that
  ///   are left for later.
  func apply(_ looks: [FileSnapshot], unseen: Unseen) throws -> (stale: [String], unsettled: [String]) {
    var stale: [String] = []
    var identities = Identities()
    for look in looks {
      guard isCurrent(look) else {
        stale.append(look.path)
        continue
      }
      if look.isUnread {
        try noteUnread(look)
        continue
      }
      let key = PathBytes(look.path)
      identities.paths.insert(key)
      if let before = try file(path: look.path) { identities.before[before.id] = before }
      try db.cachedStatement(sql: "DELETE FROM unusable WHERE path = ?").execute(arguments: [look.path])
      guard let status = look.status else { continue }
      guard let facts = look.facts else {
        identities.unusable.insert(key)
        try noteUnusable(look, changed: status.changed)
        continue
      }
      var found = IndexedFile(path: look.path, facts: facts, status: status)
      if let known = try formerContent(of: found, facts) { (found.id, found.contentID) = (known, known) }
      (found.isElsewhere, found.diskID) = (look.isElsewhere, look.diskID)
      identities.found.append(Identities.Found(file: found, hasOwnID: facts.hasOwnID))
    }
    var unsettled: [String] = []
    switch unseen {
    case .ignored: break
    case .wanted: stale += try setAside(&identities, isPart: false)
    case .toCome: unsettled = try setAside(&identities, isPart: true)
    }
    try assign(&identities)
    try write(before: identities.before, now: identities.now, unusable: identities.unusable)
    return (stale, unsettled)
  }

  /// A file that can't be read at the moment stays what it was, and is read again by the next scan.
  private func noteUnread(_ look: FileSnapshot) throws {
    try db.cachedStatement(sql: "UPDATE asset SET changed = ? WHERE path = ?")
      .execute(arguments: [FileState.outdated, look.path])
    if db.changesCount == 0 { try noteUnusable(look, changed: FileState.outdated) }
  }

  private func noteUnusable(_ look: FileSnapshot, changed: Int64) throws {
    guard let status = look.status else { return }
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO unusable (path, folder, fileSize, modified, changed) VALUES (?, ?, ?, ?, ?)"
    ).execute(
      arguments: [
        look.path, Disk.folder(of: look.path), Int64(clamping: status.size), status.modified, changed,
      ])
  }

  /// Writes the differences, and their history.
  func write(
    before: [Asset.ID: IndexedFile], now: [Asset.ID: IndexedFile], unusable: Set<PathBytes>
  ) throws {
    var now = now
    for (id, var file) in now {
      file.number = before[id]?.number
      try addRecord(to: &file)
      now[id] = file
    }
    for (id, file) in before where !Self.isSame(now[id], file) {
      try db.cachedStatement(sql: "DELETE FROM asset WHERE id = ?").execute(arguments: [id])
    }
    func isThere(_ file: IndexedFile?) -> Bool { file.map { $0.link == nil } ?? false }
    try noteAlbums(of: Set(before.keys).union(now.keys).filter { isThere(before[$0]) != isThere(now[$0]) })
    for (id, file) in before where now[id] == nil {
      try note(id, file.number ?? 0, .removed, burst: file.burstID, wasThere: file.link == nil)
    }
    for (id, file) in now where !Self.isSame(before[id], file) {
      try file.insert(db)
      let number = file.number ?? db.lastInsertedRowID
      let wasThere = before[id].map { $0.link == nil } ?? false
      try note(id, number, before[id] == nil ? .inserted : .changed, burst: file.burstID, wasThere: wasThere)
      if let burst = before[id]?.burstID, burst != file.burstID { try note(id, number, .changed, burst: burst) }
      try db.cachedStatement(sql: "DELETE FROM departed WHERE id = ?").execute(arguments: [id])
    }
    formerLinks.note(before.values)
    try pairUp(near: Array(before.values) + now.values)
    // Both need all rows to be written.
    for (id, file) in before where now[id] == nil {
      try noteDeparture(file, isUnusable: unusable.contains(PathBytes(file.path)))
    }
    var contents: Set<Asset.ID> = []
    for (id, file) in before where now[id] == nil {
      if try id == file.contentID || binding(id: id) != nil { contents.formUnion([id, file.contentID]) }
    }
    try noteBindings(of: now.values.filter { !Self.isSame(before[$0.id], $0) }, andOf: contents)
  }

  /// Adds the flags from the record of an asset, which may have existed before its file.
  private func addRecord(to file: inout IndexedFile) throws {
    let statement = try db.cachedStatement(
      sql: "SELECT isFavorite, isHidden, isEdited, isKeyPhoto FROM record WHERE id = ?")
    let row = try Row.fetchOne(statement, arguments: [file.id])
    file.isFavorite = row?["isFavorite"] ?? false
    file.isHidden = row?["isHidden"] ?? false
    file.isEdited = row?["isEdited"] ?? false
    file.isKeyPhoto = row?["isKeyPhoto"] ?? false
  }

  /// Adds a row to the history.
  ///
  /// - Parameters:
  ///   - burst: The burst whose pictures may be listed differently; `nil` for the one that the asset is in now.
  ///   - wasThere: Whether the asset was in lists before, or the collection was there; `nil` if it was when it is now.
  func note(
    _ id: String, _ number: Int64, _ kind: ChangeKind, burst: String? = nil, wasThere: Bool? = nil
  ) throws {
    let isThere =
      kind == .collection
      ? "EXISTS (SELECT 1 FROM collection WHERE id = ?1)" : "(SELECT partOf IS NULL FROM asset WHERE number = ?2)"
    try db.cachedStatement(
      sql: """
        INSERT INTO change (id, number, kind, burst, wasThere)
        VALUES (?1, ?2, ?3, coalesce(?4, (SELECT burst FROM asset WHERE number = ?2)), coalesce(?5, \(isThere)))
        """
    ).execute(arguments: [id, number, kind.rawValue, burst, wasThere])
  }

  func file(path: String) throws -> IndexedFile? {
    try IndexedFile.fetchOne(db.cachedStatement(sql: "SELECT * FROM asset WHERE path = ?"), arguments: [path])
  }

  func file(id: Asset.ID) throws -> IndexedFile? {
    try IndexedFile.fetchOne(db.cachedStatement(sql: "SELECT * FROM asset WHERE id = ?"), arguments: [id])
  }

  func files(contentID: Asset.ID) throws -> [IndexedFile] {
    try IndexedFile.fetchAll(
      db.cachedStatement(sql: "SELECT * FROM asset WHERE contentID = ?"), arguments: [contentID])
  }

  /// Whether the file on the disk is still in the state of the snapshot.
  private func isCurrent(_ look: FileSnapshot) -> Bool {
    let status = names.has(look.path) ? disk.status(absolute(look.path)) : nil
    let isFile = status?.kind == .file
    guard let looked = look.status else { return !isFile }
    guard isFile, let status else { return false }
    return FileState(status) == FileState(looked)
  }

  func isThere(_ path: String) -> Bool { disk.status(absolute(path))?.kind == .file && names.has(path) }

  func absolute(_ path: String) -> String { folder.path + "/" + path }

  private static func isSame(_ left: IndexedFile?, _ right: IndexedFile) -> Bool {
    left?.alone == right.alone && left.map { PathBytes($0.path) } == PathBytes(right.path)
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
