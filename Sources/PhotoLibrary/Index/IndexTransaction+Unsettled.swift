// Files whose ids depend on others that a transaction doesn't have.

import Foundation
import GRDB

extension IndexTransaction {
  /// The files on the disk that aren't in a transaction.
  enum Unseen {
    /// They are part of the same scan: what depends on them is left for its end.
    case toCome
    /// Those on which something depends are to be read as well.
    case wanted
    case ignored
  }

  /// Leaves out the files whose ids can't be told yet.
  ///
  /// When two pictures have exchanged their names, or one was moved and another has its name now, both have to be known:
  /// seen alone, the one would be a copy, and the other a new version of the first. So have they where a record names one
  /// of them: a new index knows nothing else.
  ///
  /// - Parameter isPart: Whether the rest of a scan follows, so that a picture that is another one than before may still
  ///   be found elsewhere.
  /// - Returns: Their paths, and unless the rest follows anyway, those of the files on which they depend.
  func setAside(_ all: inout Identities, isPart: Bool) throws -> [String] {
    var aside: Set<PathBytes> = []
    var rivals: Set<PathBytes> = []
    let rows = Dictionary(all.before.values.map { (PathBytes($0.path), $0) }) { first, _ in first }
    let left = all.found.filter { rows[PathBytes($0.file.path)]?.contentID != $0.file.contentID }
    if isPart { aside = Set(left.map { PathBytes($0.file.path) }.filter { rows[$0] != nil }) }
    var changed: [Asset.ID: [PathBytes]] = [:]
    for content in Set(left.map(\.file.contentID)) { changed[content] = try changedFiles(contentID: content) }
    let claims = try claims(of: left, all, rows: Set(rows.keys))
    if isPart { aside.formUnion(claims.names) }
    // What depends on a file that is left out is left out as well.
    var count = -1
    while count != aside.count {
      count = aside.count
      for found in left where !aside.contains(PathBytes(found.file.path)) {
        let path = PathBytes(found.file.path)
        let unseen = (changed[found.file.contentID, default: []] + claims.rivals[path, default: []]).filter {
          $0 != path && (!all.paths.contains($0) || aside.contains($0))
        }
        if unseen.isEmpty { continue }
        aside.insert(path)
        rivals.formUnion(unseen)
      }
    }
    guard !aside.isEmpty else { return [] }
    all.found.removeAll { aside.contains(PathBytes($0.file.path)) }
    all.before = all.before.filter { !aside.contains(PathBytes($0.value.path)) }
    all.paths.subtract(aside)
    return (isPart ? aside : aside.union(rivals)).map(\.path).sorted()
  }

  /// The files that had a content when they were indexed, and are others by now.
  private func changedFiles(contentID: Asset.ID) throws -> [PathBytes] {
    try files(contentID: contentID).filter { file in
      guard let status = disk.status(absolute(file.path)), status.kind == .file else { return false }
      return FileState(status) != FileState(file) && names.has(file.path)
    }.map { PathBytes($0.path) }
  }
}
