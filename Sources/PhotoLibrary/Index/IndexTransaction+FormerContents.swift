// Pictures that an earlier version knew by another digest.

import Foundation
import GRDB

extension IndexTransaction {
  /// The content id by which the index or a record knows a picture since an earlier version; `nil` when that is the present
  /// one.
  ///
  /// It stays with the picture, so that marks, albums and edits do. As the earlier digests are the same for some different
  /// pictures, only a file that is certainly the same counts: at its path, or moved from one that is gone.
  ///
  /// - Parameter file: With the present content id.
  func formerContent(of file: IndexedFile, _ facts: FileFacts) throws -> Asset.ID? {
    guard let former = facts.formerContentID else { return nil }
    let isKnown = try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT NOT EXISTS (SELECT 1 FROM asset WHERE path = :path AND contentID = :content) AND (
            EXISTS (SELECT 1 FROM asset WHERE path = :path AND contentID = :former)
            OR EXISTS (SELECT 1 FROM binding WHERE path = :path AND :former IN (content, id))
            OR EXISTS (SELECT 1 FROM departed WHERE path = :path AND :former IN (contentID, id)))
          """), arguments: ["path": file.path, "content": file.contentID, "former": former])
    if isKnown == true { return former }
    let isMoved = try files(contentID: former).contains { row in
      row.fileSize == file.fileSize && row.inode == file.inode && row.inode != nil && !isThere(row.path)
    }
    if isMoved { return former }
    // A new index knows nothing but what the records tell.
    guard isFirstScan else { return nil }
    let named = try String.fetchAll(
      db.cachedStatement(sql: "SELECT path FROM binding WHERE :former IN (content, id)"), arguments: ["former": former])
    return named.contains { !isThere($0) } ? former : nil
  }
}
