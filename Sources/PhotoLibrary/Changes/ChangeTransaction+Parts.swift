// The steps of files that are parts of other files' assets, and go with them.

import CameraCore
import Foundation

extension ChangeTransaction {
  /// A file that is a part of an asset, in the library.
  struct PartFile {
    var id: Asset.ID
    /// Absolute.
    var path: String
    /// The file extension, with the dot.
    var ending: String { FileName.ending(of: path) }
  }

  /// The files of an asset besides its own that the index knows, as far as they are there.
  func parts(of id: Asset.ID) throws(PhotoLibraryError) -> [PartFile] {
    try library.index.parts(of: id).map { PartFile(id: $0.id, path: folder.absolute($0.path)) }
      .filter { disk.status($0.path)?.kind == .file }
  }

  /// Moves the parts of an asset to the trash, each with an info file of its own, as other programs expect it.
  mutating func trashParts(of id: Asset.ID) throws(PhotoLibraryError) {
    for part in try parts(of: id) where removals[part.id] == nil {
      let mark = try mark(asset(part.id))
      let slot = try trash(part.path, mark)
      touched.insert(PathBytes(relative(part.path)))
      removals[part.id] = slot.file
    }
  }

  /// Deletes the parts of an asset for good.
  mutating func deleteParts(of id: Asset.ID) throws(PhotoLibraryError) {
    for part in try parts(of: id) where removals[part.id] == nil { try delete(part.id) }
  }

  /// Hides the parts of an asset, or shows them: another program may take the files apart.
  mutating func hideParts(of id: Asset.ID, _ isHidden: Bool) throws(PhotoLibraryError) {
    for part in try parts(of: id) {
      var record = try record(part.id)
      record.isHidden = isHidden
      set(record, of: part.id)
    }
  }

  /// Renames the parts of an asset whose file gets another base name.
  ///
  /// - Parameter name: The new name of the asset's file.
  mutating func renameParts(of asset: Asset, to name: String) throws(PhotoLibraryError) {
    for (part, new) in try partNames(of: asset, named: name) {
      try move(part.path, to: new, FileMark(of: part.path, disk: disk))
      touched.formUnion([PathBytes(relative(part.path)), PathBytes(relative(new))])
    }
  }

  /// The new paths of the parts of an asset whose file gets another name; none where the base name stays.
  func partNames(of asset: Asset, named name: String) throws(PhotoLibraryError) -> [(part: PartFile, path: String)] {
    guard FilePairs.stem(of: name) != FilePairs.stem(of: asset.url.path) else { return [] }
    let parent = Disk.parent(of: asset.url.path)
    return try parts(of: asset.id).map { ($0, "\(parent)/\(FilePairs.name(beside: name, $0.ending))") }
  }

  // MARK: The trash

  /// The parts of an asset in the trash that are there as well.
  mutating func trashedParts(of asset: TrashedAsset) -> [TrashedAsset] {
    if trashedPairs == nil { trashedPairs = TrashedPairs(library) }
    return trashedPairs?.parts(of: asset) ?? []
  }

  /// Assets in the trash with their parts, each once.
  mutating func withParts(_ assets: [TrashedAsset]) -> [TrashedAsset] {
    var paths = Set(assets.map { PathBytes($0.trashedURL.path) })
    return assets.flatMap { asset in
      [asset] + trashedParts(of: asset).filter { paths.insert(PathBytes($0.trashedURL.path)).inserted }
    }
  }
}
