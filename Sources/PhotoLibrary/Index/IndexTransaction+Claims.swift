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
          SELECT id, path, content, isAll FROM binding WHERE content = :content
          UNION SELECT id, path, content, isAll FROM binding WHERE id = :content
          ORDER BY 1
          """), arguments: ["content": contentID]
    ).map { Binding(id: $0["id"], path: $0["path"], content: $0["content"], isAll: $0["isAll"]) }
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
    for file in left.map(\.file) {
      let key = PathBytes(file.path)
      let bindings = try bindings(of: file.contentID)
      if bindings.contains(where: { PathBytes($0.path) == key }) { continue }
      for binding in bindings {
        for path in try [binding.path, self.file(id: binding.id)?.path].compactMap(\.self) {
          let rival = PathBytes(path)
          if rival == key { continue }
          if all.paths.contains(rival) {
            rivals[key, default: []].append(rival)
          } else if case .unread = try content(at: path, all, found) {
            rivals[key, default: []].append(rival)
          }
        }
      }
      if rows.contains(key) { continue }
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
    for found in left {
      let file = found.file
      let bindings = try bindings(of: file.contentID)
      let isRemembered = try Bool.fetchOne(
        db.cachedStatement(
          sql: "SELECT EXISTS (SELECT 1 FROM departed WHERE path = :path AND :content IN (contentID, id))"),
        arguments: ["path": file.path, "content": file.contentID])
      // What is certain: see `remembered`.
      if isRemembered == true || bindings.contains(where: { PathBytes($0.path) == PathBytes(file.path) }) { continue }
      for binding in bindings {
        if all.now[binding.id] != nil { continue }
        // A picture that the index knew with this content has been looked for already.
        if let row = vacant[binding.id] {
          if row.contentID == file.contentID { continue }
        } else if try self.file(id: binding.id) != nil || hasDeparted(binding.id) {
          continue
        }
        switch try content(at: binding.path, all, contents) {
        case .unread: continue
        case .picture(let content) where content == binding.content || content == binding.id: continue
        case .picture, .nothing: break
        }
        if binding.id == file.contentID { own.append((binding.id, found)) } else { others.append((binding.id, found)) }
      }
    }
    return own + others
  }

  private func hasDeparted(_ id: Asset.ID) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM departed WHERE id = ?)"), arguments: [id]) ?? false
  }
}
