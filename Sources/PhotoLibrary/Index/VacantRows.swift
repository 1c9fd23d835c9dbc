// The rows of a transaction whose ids are free, found by content and by inode number.

import Foundation

/// Rows of files that are gone from their paths, or have other content there now.
///
/// Thousands of files may change at once, so nothing looks through all of them for each file.
struct VacantRows {
  private(set) var rows: [Asset.ID: IndexedFile]
  /// Each in the order of `IndexTransaction.isFirst`.
  private let byContent: [Asset.ID: [IndexedFile]]
  private let byNumber: [UInt64: [IndexedFile]]
  private let byName: [String: [IndexedFile]]
  /// The number of rows at the beginning of those of a content that are taken.
  private var taken: [Asset.ID: Int] = [:]
  /// The number of rows that were compared with a file.
  private(set) var lookCount = 0

  init(_ rows: [Asset.ID: IndexedFile]) {
    self.rows = rows
    byContent = Dictionary(grouping: rows.values, by: \.contentID).mapValues { IndexTransaction.inOrder($0) }
    byNumber = Dictionary(grouping: rows.values.filter { $0.inode != nil }) { $0.inode ?? 0 }
      .mapValues { IndexTransaction.inOrder($0) }
    byName = Dictionary(grouping: rows.values) { Disk.name(of: $0.path) }
      .mapValues { IndexTransaction.inOrder($0) }
  }

  subscript(id: Asset.ID) -> IndexedFile? { rows[id] }

  mutating func remove(_ id: Asset.ID) { rows[id] = nil }

  /// The row that a file of the same content most likely was: that with its inode number, then with its name, then the
  /// first.
  ///
  /// - Parameters:
  ///   - hasLastingNumber: Whether the inode number says anything.
  ///   - isCopy: Whether the file is a copy of a row's.
  mutating func origin(
    of file: IndexedFile, hasLastingNumber: Bool, unless isCopy: (IndexedFile) throws -> Bool
  ) rethrows -> IndexedFile? {
    guard let same = byContent[file.contentID] else { return nil }
    var likely: [IndexedFile] = []
    if hasLastingNumber, let inode = file.inode { likely = byNumber[inode] ?? [] }
    // Where all have one content there is no other to look for.
    likely += byName[Disk.name(of: file.path)] ?? []
    for row in likely where row.contentID == file.contentID && rows[row.id] != nil {
      lookCount += 1
      if try !isCopy(row) { return row }
    }
    var start = taken[file.contentID] ?? 0
    while start < same.count, rows[same[start].id] == nil { start += 1 }
    taken[file.contentID] = start
    for row in same[start...] where rows[row.id] != nil {
      lookCount += 1
      if try !isCopy(row) { return row }
    }
    return nil
  }

  /// The row of a file that was moved and changed: with its inode number and its date.
  ///
  /// - Parameter isPresent: Whether there is a file at a row's path.
  mutating func moved(_ file: IndexedFile, unless isPresent: (IndexedFile) -> Bool) -> IndexedFile? {
    guard let inode = file.inode, file.isDated else { return nil }
    let rows = rows
    let found = (byNumber[inode] ?? []).filter { rows[$0.id] != nil }
    lookCount += found.count
    return found.first {
      $0.isDated && $0.created == file.created && $0.mediaType == file.mediaType && !isPresent($0)
    }
  }
}
