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
