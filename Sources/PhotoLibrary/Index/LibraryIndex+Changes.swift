// Change notifications in the order of the changes, whichever process made them.

import Foundation
import GRDB

extension LibraryIndex {
  func changes() -> AsyncStream<PhotoLibraryChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: PhotoLibraryChange.self)
    let id = listeners.withLock { listeners -> UInt64? in
      if listeners.isClosed { return nil }
      listeners.nextID += 1
      listeners.continuations[listeners.nextID] = continuation
      return listeners.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { listeners in _ = listeners.continuations.removeValue(forKey: id) }
    }
    return stream
  }

  /// The last row of the history.
  static func lastSequence(_ db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(sequence) FROM change")) ?? 0
  }

  /// Publishes the rows of the history after the last published one. Runs on the database's writer queue only, which
  /// keeps the notifications in order.
  func publishChanges(_ db: Database) throws {
    let published = listeners.withLock { $0.published }
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT sequence, id, kind FROM change WHERE sequence > ? ORDER BY sequence"),
      arguments: [published])
    guard let last = rows.last else { return }
    var change = PhotoLibraryChange()
    // This process was suspended for longer than the history is kept.
    change.isWholeLibrary = rows[0]["sequence"] as Int64 > published + 1
    for row in rows { change.add(row["id"], ChangeKind(rawValue: row["kind"])) }
    let continuations = listeners.withLock { listeners in
      listeners.published = last["sequence"]
      return Array(listeners.continuations.values)
    }
    for continuation in continuations { continuation.yield(change) }
  }
}

// MARK: Hidden pictures

extension LibraryIndex {
  /// The part of the history that matters for thumbnails.
  struct ConcealmentNews: Sendable {
    /// The last row of the history that it covers, and the one before the first.
    var sequence: Int64
    var start: Int64
    /// The pictures that are hidden.
    var hidden: [Asset]
    /// Whether any of these was changed, or a picture is gone or has another name.
    var isAny: Bool
  }

  /// The pictures that were hidden, or changed while they are hidden, after a row of the history.
  ///
  /// - Parameter takesAll: Whether those are added that were hidden before.
  func concealmentNews(after sequence: Int64, takesAll: Bool) throws(PhotoLibraryError) -> ConcealmentNews {
    let folder = folder
    return try readingNow { db in
      let last = try Self.lastSequence(db)
      let first = try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(sequence) FROM change")) ?? last + 1
      // The history is kept for a while only.
      let isCut = first > sequence + 1
      let news = try IndexedFile.fetchAll(
        db.cachedStatement(
          sql: "SELECT * FROM asset WHERE isHidden = 1 AND id IN (SELECT id FROM change WHERE sequence > ?)"),
        arguments: [sequence])
      let isGone = try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM change WHERE sequence > ? AND kind = 2)"),
        arguments: [sequence])
      let hidden =
        takesAll || isCut
        ? try IndexedFile.fetchAll(db.cachedStatement(sql: "SELECT * FROM asset WHERE isHidden = 1")) : news
      return ConcealmentNews(
        sequence: last, start: sequence, hidden: hidden.map { $0.asset(in: folder) },
        isAny: isCut || isGone == true || !news.isEmpty)
    }
  }

  /// The paths of the pictures that were changed in this part of the history and aren't hidden.
  func revealed(by news: ConcealmentNews) throws(PhotoLibraryError) -> [String] {
    let folder = folder
    return try readingNow { db in
      try String.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT path FROM asset
            WHERE isHidden = 0 AND id IN (SELECT id FROM change WHERE sequence > ? AND sequence <= ?)
            """), arguments: [news.start, news.sequence]
      ).map { folder.appendingPathComponent($0, isDirectory: false).path }
    }
  }
}

extension PhotoLibraryChange {
  /// Merges a row of the history.
  fileprivate mutating func add(_ id: String, _ kind: ChangeKind?) {
    switch kind {
    case .inserted:
      // Removed and added again is a change.
      if removed.remove(id) != nil { changed.insert(id) } else { inserted.insert(id) }
    case .changed:
      if !inserted.contains(id) { changed.insert(id) }
    case .removed:
      changed.remove(id)
      if inserted.remove(id) == nil { removed.insert(id) }
    case .collection:
      collections.insert(id)
    case nil:
      break
    }
  }
}
