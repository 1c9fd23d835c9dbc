// The ids of files: who had one keeps it.

import Foundation
import GRDB

/// The files of one transaction, before and after.
struct Identities {
  /// A file as a scan found it, which gets an id.
  struct Found {
    var file: IndexedFile
    /// Whether the id of its content is written in the file, and isn't a digest.
    var hasOwnID: Bool
  }

  /// The scanned paths.
  var paths: Set<PathBytes> = []
  /// The scanned paths of files that aren't pictures or movies now.
  var unusable: Set<PathBytes> = []
  /// The rows that may change, by id.
  var before: [Asset.ID: IndexedFile] = [:]
  /// Without ids yet.
  var found: [Found] = []
  /// The rows after the transaction, by id.
  var now: [Asset.ID: IndexedFile] = [:]
}

extension IndexTransaction {
  /// Gives every scanned file its id.
  ///
  /// An id belongs to the picture that had it. In this order, a file gets
  ///
  /// 1. the id of its path, when its content is the same as before;
  /// 2. the id of a file with the same content that is gone from its own path: it was moved. When a picture that may be
  ///    a new version of that file is there, and inode numbers last, it must be the same file, as its record tells or
  ///    else its row: otherwise it is a copy;
  /// 3. the id of a record that tells of its content (`binding`), when the file that the record names has another one
  ///    now, or is gone;
  /// 4. the id of its path, when another program has saved the same picture with other content: removed its metadata,
  ///    turned it, written a movie anew. A file with the id of another picture in it, or with another date, is another
  ///    picture, and so is a copy of one that is still there;
  /// 5. the id of a file that is gone and had its inode number and its date: it was moved and changed;
  /// 6. the id of a picture that was there earlier (`departed`) or that a record tells of, by its content, or by its
  ///    path;
  /// 7. the id of its content, unless another file has it: then it is a copy, with an id of its own.
  ///
  /// A file that is not scanned now and is still there always keeps its id. When the file with the picture's own id is
  /// gone, one of its copies inherits it, unless that copy has a record of its own.
  func assign(_ all: inout Identities) throws {
    let inOrder = Self.inOrder(all.found, by: \.file)
    all.found = inOrder
    // The other files with these contents: those that are gone have been moved.
    for contentID in Set(inOrder.map(\.file.contentID) + all.before.values.map(\.contentID)) {
      for file in try files(contentID: contentID) where !all.paths.contains(PathBytes(file.path)) {
        if isThere(file.path) { continue }
        all.before[file.id] = file
      }
    }
    let claimed = try addClaimed(to: &all)
    var left: [Identities.Found] = []
    let rows = Dictionary(all.before.values.map { (PathBytes($0.path), $0) }) { first, _ in first }
    var contents: Set<Asset.ID> = []
    for found in inOrder {
      if let row = rows[PathBytes(found.file.path)], row.contentID == found.file.contentID {
        all.now[row.id] = found.file.named(row.id)
        contents.insert(row.contentID)
      } else {
        left.append(found)
      }
    }
    // Rows whose paths are gone, or have other content now.
    var vacant = VacantRows(all.before.filter { all.now[$0.key] == nil })
    func take(_ id: Asset.ID, for found: Identities.Found) {
      all.now[id] = found.file.named(id)
      contents.insert(found.file.contentID)
      vacant.remove(id)
    }
    let present = Dictionary(left.map { (PathBytes($0.file.path), $0) }) { first, _ in first }
    func takeMoved(unless isCopy: (IndexedFile, IndexedFile) throws -> Bool) throws {
      left = try left.filter { found in
        let file = found.file
        let origin = try vacant.origin(of: file, hasLastingNumber: hasLastingNumber(file)) { try isCopy(file, $0) }
        guard let origin else { return true }
        take(origin.id, for: found)
        return false
      }
    }
    try takeMoved { file, row in
      guard let new = present[PathBytes(row.path)], file.inode != row.inode else { return false }
      if let named = try binding(id: row.id), PathBytes(named.path) == PathBytes(row.path) {
        // Another index knows that it is a new version.
        if named.content == new.file.contentID { return true }
        // A mark replaces the file, and the next new one may get the number of the replaced one.
        if let number = named.number, hasLastingNumber(file), file.inode == number || new.file.inode == number {
          return new.file.inode == number
        }
      }
      if row.inode == nil { return false }
      return try hasLastingNumber(file) && !isOther(new, than: row)
    }
    var given: Set<PathBytes> = []
    for claim in try claims(of: left, all, vacant: vacant) where all.now[claim.id] == nil {
      if given.insert(PathBytes(claim.file.file.path)).inserted { take(claim.id, for: claim.file) }
    }
    left.removeAll { given.contains(PathBytes($0.file.path)) }
    for id in claimed where all.now[id] == nil {
      vacant.remove(id)
      all.before[id] = nil
    }
    left = try left.filter { found in
      guard let row = rows[PathBytes(found.file.path)], vacant[row.id] != nil, try !isOther(found, than: row),
        try !contents.contains(found.file.contentID) && !isCopy(found.file, all) && !hasReturned(found.file)
      else { return true }
      take(row.id, for: found)
      return false
    }
    try takeMoved { _, _ in false }
    left = left.filter { found in
      let moved = vacant.moved(found.file) { present[PathBytes($0.path)] != nil }
      guard let moved, hasLastingNumber(found.file) else { return true }
      take(moved.id, for: found)
      return false
    }
    for found in left {
      let isKnown = rows[PathBytes(found.file.path)] != nil
      let id = try remembered(found, isPathKnown: isKnown, all) ?? newID(found.file, &all)
      if all.before[id] == nil, let holder = try file(id: id) { all.before[id] = holder }
      take(id, for: found)
    }
    try inherit(vacant.rows, &all)
  }

  // MARK: The same picture

  /// Whether a file is another picture than the one that had its path.
  private func isOther(_ found: Identities.Found, than row: IndexedFile) throws -> Bool {
    let file = found.file
    if file.mediaType != row.mediaType { return true }
    // It is on another disk, in the place of which this one is mounted, or not now. Without a mark, any disk may be it.
    if file.diskID != row.diskID, !row.isElsewhere || !row.diskID.isEmpty { return true }
    if file.contentID == row.id { return false }
    // The untouched original of an edited copy.
    if try binding(id: row.id)?.content == file.contentID { return false }
    if found.hasOwnID { return true }
    return file.isDated && row.isDated && file.created != row.created
  }

  /// Whether a file that isn't in the transaction has the same content.
  private func isCopy(_ file: IndexedFile, _ all: Identities) throws -> Bool {
    try files(contentID: file.contentID).contains {
      all.before[$0.id] == nil && PathBytes($0.path) != PathBytes(file.path)
    }
  }

  /// Whether the inode number of a file says anything about which one it is.
  private func hasLastingNumber(_ file: IndexedFile) -> Bool { disk.system.keepsNumbers(absolute(file.path)) }

  // MARK: New pictures and copies

  /// An id for a file that is new.
  func newID(_ file: IndexedFile, _ all: inout Identities) throws -> Asset.ID {
    let own = file.contentID
    guard let holder = try all.now[own] ?? self.file(id: own), all.now[own] != nil || all.before[own] == nil else {
      return own
    }
    if try isProvisional(holder, before: file) {
      // Both are new to this index: the order in which a scan finds them must not matter.
      if all.before[own] == nil, let row = try self.file(id: own) { all.before[own] = row }
      var second = holder
      second.number = nil
      all.now[own] = nil
      let id = try copyID(second, all)
      all.now[id] = second.named(id)
      return own
    }
    return try copyID(file, all)
  }

  /// Whether the file with the picture's own id gives it to another one: while an index is made anew, the id goes to the
  /// file that the record names, then to the one with the name that PhotoMe gives, then the shorter path, then the first
  /// in byte order.
  private func isProvisional(_ holder: IndexedFile, before file: IndexedFile) throws -> Bool {
    guard isFirstScan, holder.contentID == file.contentID else { return false }
    if let path = try binding(id: holder.id)?.path {
      if PathBytes(path) == PathBytes(holder.path) { return false }
      if PathBytes(path) == PathBytes(file.path) { return true }
    }
    return Self.isFirst(file, holder)
  }

  private func copyID(_ file: IndexedFile, _ all: Identities) throws -> Asset.ID {
    var number = 1
    while true {
      // A copy that was moved keeps the id of its first path.
      let path = number == 1 ? file.path : "\(file.path)\n\(number)"
      let id = AssetIdentity.id(ofCopy: file.contentID, at: path)
      if all.now[id] == nil, try self.file(id: id) == nil || all.before[id] != nil { return id }
      number += 1
    }
  }

  /// Passes on the ids of pictures that live on in a copy.
  private func inherit(_ vacant: [Asset.ID: IndexedFile], _ all: inout Identities) throws {
    // In the middle of a change a file may have no name for an instant.
    let layout = LibraryFolder(folder)
    guard !vacant.isEmpty,
      [layout.journals, layout.waiting].allSatisfy({ disk.names(in: $0)?.isEmpty ?? true })
    else { return }
    let now = Dictionary(grouping: all.now.values, by: \.contentID)
    for (id, row) in vacant where row.contentID == id {
      // What is in the trash comes back.
      let isDeliberate = try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM deliberate WHERE id = ?)"), arguments: [id])
      // So does a disk that isn't there.
      if isDeliberate == true || row.isElsewhere, try hasRecord(id) { continue }
      var copies = now[id] ?? []
      for file in try files(contentID: id) where all.before[file.id] == nil { copies.append(file) }
      copies = try copies.filter { try row.isCopied(by: $0) && !self.hasRecord($0.id) }
      guard let heir = copies.min(by: Self.isFirst), all.now[id] == nil else { continue }
      if all.now[heir.id] == nil { all.before[heir.id] = heir }
      all.now[heir.id] = nil
      all.now[id] = heir.named(id)
    }
  }

  /// Whether there is a record with something that a person has made, or one that can't be read.
  func hasRecord(_ id: Asset.ID) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM record WHERE id = :id)
            AND NOT EXISTS (SELECT 1 FROM binding WHERE id = :id AND isAll)
          """), arguments: ["id": id]) ?? false
  }

  static func isFirst(_ left: IndexedFile, _ right: IndexedFile) -> Bool {
    isFirst(left, rank: rank(left), right, rank: rank(right))
  }

  /// Sorts by `isFirst`.
  static func inOrder<E>(_ elements: [E], by file: (E) -> IndexedFile) -> [E] {
    if elements.count < 2 { return elements }
    return elements.map { ($0, file($0), rank(file($0))) }
      .sorted { isFirst($0.1, rank: $0.2, $1.1, rank: $1.2) }.map(\.0)
  }

  static func inOrder(_ files: [IndexedFile]) -> [IndexedFile] { inOrder(files) { $0 } }

  private static func isFirst(
    _ left: IndexedFile, rank leftRank: Int, _ right: IndexedFile, rank rightRank: Int
  ) -> Bool {
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

extension IndexedFile {
  /// Whether nothing is lost with this file as long as another one with the same content id is there. Without an id in
  /// the file that id stands for the beginning of its picture: only a file of the same length counts as a copy then.
  fileprivate func isCopied(by copy: IndexedFile) -> Bool { isOwn || fileSize == copy.fileSize }

  func named(_ id: Asset.ID) -> IndexedFile {
    var file = self
    file.id = id
    return file
  }
}
