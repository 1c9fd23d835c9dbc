// The pictures of which records tell, when other files have their names now.

import Foundation
import GRDB

extension IndexTransaction {
  /// What is at a path, as far as it has been read.
  private enum Content {
    /// No picture.
    case nothing
    case picture(Asset.ID)
    /// A file that is not in the transaction, in a state that the index doesn't know.
    case unread
  }

  /// The records that tell of a content.
  private func bindings(of contentID: Asset.ID) throws -> [Binding] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT * FROM binding WHERE content = :content
          UNION SELECT * FROM binding WHERE id = :content
          ORDER BY 1
          """), arguments: ["content": contentID]
    ).map { Binding($0) }
  }

  private var hasBindings: Bool {
    get throws { try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM binding)")) ?? false }
  }

  private func content(
    at path: String, _ all: Identities, _ found: [PathBytes: Asset.ID]
  ) throws -> Content {
    let key = PathBytes(path)
    if all.paths.contains(key) { return found[key].map { .picture($0) } ?? .nothing }
    guard isThere(path), let status = disk.status(absolute(path)) else { return .nothing }
    if let row = try file(path: path) { return FileState(row) == FileState(status) ? .picture(row.contentID) : .unread }
    let unusable = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT fileSize, modified, changed FROM unusable WHERE path = ?"), arguments: [path])
    return unusable.map { FileState($0) == FileState(status) } == true ? .nothing : .unread
  }

  private func contents(_ all: Identities) -> [PathBytes: Asset.ID] {
    Dictionary(all.found.map { (PathBytes($0.file.path), $0.file.contentID) }) { first, _ in first }
  }

  /// The files on which it depends who gets the ids that records tell of, by the files that may get them.
  ///
  /// - Parameters:
  ///   - left: The files that may be other pictures than before.
  ///   - rows: The paths of those that the index knows.
  /// - Returns: And the new files of which nothing is known but that a record of another picture has their name. That one
  ///   may have been moved.
  func claims(
    of left: [Identities.Found], _ all: Identities, rows: Set<PathBytes>
  ) throws -> (rivals: [PathBytes: [PathBytes]], names: [PathBytes]) {
    guard try hasBindings else { return ([:], []) }
    let found = contents(all)
    var (rivals, names): ([PathBytes: [PathBytes]], [PathBytes]) = ([:], [])
    // Hundreds of copies may have one content, and a record each.
    var certain: Set<PathBytes> = []
    for (contentID, files) in Dictionary(grouping: left.map(\.file), by: \.contentID) {
      let bindings = try bindings(of: contentID)
      let paths = Set(bindings.map { PathBytes($0.path) })
      let keys = files.map { PathBytes($0.path) }
      certain.formUnion(keys.filter(paths.contains))
      let unnamed = keys.filter { !paths.contains($0) }
      if unnamed.isEmpty { continue }
      let places = try paths.union(bindings.compactMap { try file(id: $0.id).map { PathBytes($0.path) } })
      let unsettled = try places.filter { place in
        if all.paths.contains(place) { return true }
        if case .unread = try content(at: place.path, all, found) { return true }
        return false
      }
      for key in unnamed { rivals[key] = unsettled.filter { $0 != key } }
    }
    for file in left.map(\.file) {
      let key = PathBytes(file.path)
      if certain.contains(key) || rows.contains(key) { continue }
      let isNamed = try Bool.fetchOne(
        db.cachedStatement(
          sql: "SELECT EXISTS (SELECT 1 FROM binding WHERE path = :path AND :content NOT IN (content, id))"),
        arguments: ["path": file.path, "content": file.contentID])
      if isNamed == true { names.append(key) }
    }
    return (rivals, names)
  }

  /// Adds the rows of pictures that are gone from their paths, and of whose present content only records tell: another
  /// index has followed them further.
  ///
  /// - Returns: Their ids.
  func addClaimed(to all: inout Identities) throws -> [Asset.ID] {
    guard try hasBindings else { return [] }
    var added: [Asset.ID] = []
    for contentID in Set(all.found.map(\.file.contentID)) {
      for binding in try bindings(of: contentID) where all.before[binding.id] == nil {
        guard let row = try file(id: binding.id), !all.paths.contains(PathBytes(row.path)), !isThere(row.path) else {
          continue
        }
        all.before[row.id] = row
        added.append(row.id)
      }
    }
    return added
  }

  /// The files that have the contents of which records tell, while other pictures have the names that these tell, or
  /// nothing has: content comes before the name.
  ///
  /// - Returns: The ids in the order in which they are to be given away.
  func claims(
    of left: [Identities.Found], _ all: Identities, vacant: VacantRows
  ) throws -> [(id: Asset.ID, file: Identities.Found)] {
    guard try hasBindings else { return [] }
    let contents = contents(all)
    var (own, others): ([(id: Asset.ID, file: Identities.Found)], [(id: Asset.ID, file: Identities.Found)]) = ([], [])
    for (contentID, files) in Dictionary(grouping: left, by: \.file.contentID) {
      let bindings = try bindings(of: contentID)
      let named = Set(bindings.map { PathBytes($0.path) })
      // What is certain: see `remembered`.
      let files = try files.filter { try !named.contains(PathBytes($0.file.path)) && !hasReturned($0.file) }
      if files.isEmpty { continue }
      let free = try bindings.filter { binding in
        if all.now[binding.id] != nil { return false }
        // A picture that the index knew with this content has been looked for already.
        if let row = vacant[binding.id] {
          if row.contentID == contentID { return false }
        } else if try file(id: binding.id) != nil || hasDeparted(binding.id) {
          return false
        }
        switch try content(at: binding.path, all, contents) {
        case .unread: return false
        case .picture(let content): return content != binding.content && content != binding.id
        case .nothing: return true
        }
      }
      for found in files {
        for id in free.map(\.id) {
          if id == contentID { own.append((id, found)) } else { others.append((id, found)) }
        }
      }
    }
    return own + others
  }

  private func hasDeparted(_ id: Asset.ID) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM departed WHERE id = ?)"), arguments: [id]) ?? false
  }
}
