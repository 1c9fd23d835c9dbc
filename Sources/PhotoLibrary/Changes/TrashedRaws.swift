// The raw pictures in the trash.

import Foundation

/// The DNGs of a library in the desktop's trash, by the names that they had, and the pictures of the same base names.
struct TrashedRaws {
  private let library: PhotoLibrary
  /// By the original path, relative to the library's folder.
  private var raws: [PathBytes: [TrashEntry]] = [:]
  /// The pictures in the trash, by the original path that their DNG would have.
  private var pictures: [PathBytes: [TrashEntry]] = [:]

  /// Reads the trash's info files.
  init(_ library: PhotoLibrary) {
    self.library = library
    let entries = library.desktopTrash.entries(below: library.layout.path).filter { !$0.isFolder }
    for entry in entries where entry.originalPath.ends(with: RawCompanion.ending) {
      guard let path = library.layout.relative(entry.originalPath) else { continue }
      raws[PathBytes(path), default: []].append(entry)
    }
    guard !raws.isEmpty else { return }
    for entry in entries {
      guard let path = library.layout.relative(entry.originalPath),
        RawCompanion.mayHaveOne(path)
      else { continue }
      let name = PathBytes(RawCompanion.path(beside: path))
      if raws[name] != nil { pictures[name, default: []].append(entry) }
    }
  }

  /// The DNG of an asset in the trash.
  ///
  /// - Parameter leaving: The trash's files that are deleted together with it: they have no claim to its DNG.
  /// - Returns: `nil` where there is none, it may be that of another picture, or another program has taken it away.
  func raw(of asset: TrashedAsset, besides leaving: Set<PathBytes> = []) -> TrashEntry? {
    guard let path = library.layout.relative(asset.url.path) else { return nil }
    let name = PathBytes(RawCompanion.path(beside: path))
    return raws[name]?.first { entry in
      guard let content = try? RawCompanion.uniqueID(of: entry.file, disk: library.disk) else { return false }
      if content == asset.id { return true }
      guard
        AssetIdentity.possibleIDs(content, at: path).contains(asset.id) || holds(content, asset.trashedURL.path)
          || (try? library.index.hadContent(content, asset.id)) == true
      else { return false }
      return !(pictures[name] ?? []).contains { other in
        let file = PathBytes(other.file)
        return file != PathBytes(asset.trashedURL.path) && !leaving.contains(file) && holds(content, other.file)
      }
    }
  }

  /// The same; it is nobody else's from then on.
  mutating func take(of asset: TrashedAsset, besides leaving: Set<PathBytes> = []) -> TrashEntry? {
    guard let entry = raw(of: asset, besides: leaving), let path = library.layout.relative(asset.url.path) else {
      return nil
    }
    raws[PathBytes(RawCompanion.path(beside: path))]?.removeAll { $0 == entry }
    return entry
  }

  /// Whether a file is certainly this picture.
  private func holds(_ content: Asset.ID, _ file: String) -> Bool {
    guard let file = try? ReadableFile(file, disk: library.disk) else { return false }
    return (try? FileFacts(file))?.contentID == content
  }
}
