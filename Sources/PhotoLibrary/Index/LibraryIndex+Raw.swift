// The raw pictures beside assets: which DNG belongs to which file.

import Foundation
import GRDB

extension LibraryIndex {
  /// The path of the DNG that belongs to an asset's file.
  ///
  /// The DNG tells the id of its picture. It belongs to the file of its base name that has this id as an asset, or else to
  /// the only one with this picture in it: a copied pair is a pair as well, wherever both are moved. Where there are
  /// several copies of that name, it belongs to none of them, so that deleting one never deletes another one's DNG.
  ///
  /// - Parameters:
  ///   - id: The asset's.
  ///   - path: Of the asset's file, relative to the library's folder.
  /// - Returns: `nil` where there is none.
  /// - Throws: When a file of that name, or the index, can't be read.
  func raw(
    of id: Asset.ID, at path: String, in folder: LibraryFolder, disk: Disk
  ) throws(PhotoLibraryError) -> String? {
    guard let raw = try RawCompanion.find(beside: folder.absolute(path), disk: disk) else { return nil }
    if raw.picture == id { return raw.path }
    let holders = try holders(of: raw.picture)
    guard AssetIdentity.possibleIDs(raw.picture, at: path).contains(id) || holders.contains(where: { $0.id == id })
    else { return nil }
    let name = PathBytes(RawCompanion.path(beside: path))
    let hasRival = holders.contains { $0.id != id && PathBytes(RawCompanion.path(beside: $0.path)) == name }
    return hasRival ? nil : raw.path
  }

  /// Whether a picture that is gone had this content, or its untouched original, as far as is remembered.
  func hadContent(_ content: Asset.ID, _ id: Asset.ID) throws(PhotoLibraryError) -> Bool {
    try readingNow { db in
      try Bool.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT EXISTS (SELECT 1 FROM departed WHERE id = :id AND contentID = :content)
              OR EXISTS (SELECT 1 FROM binding WHERE id = :id AND content = :content)
            """), arguments: ["id": id, "content": content]) ?? false
    }
  }

  /// The files with a picture in them, edited ones included: their records tell the content of their originals.
  private func holders(of content: Asset.ID) throws(PhotoLibraryError) -> [(id: Asset.ID, path: String)] {
    try readingNow { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT id, path FROM asset WHERE id = :content
            UNION SELECT id, path FROM asset WHERE contentID = :content
            UNION SELECT asset.id, asset.path FROM binding JOIN asset ON asset.id = binding.id
              WHERE binding.content = :content
            """), arguments: ["content": content]
      ).map { ($0["id"], $0["path"]) }
    }
  }
}
