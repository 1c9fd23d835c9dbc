// The files in the trash that are parts of other files' assets.

import Foundation

/// Which files of a library in the desktop's trash belong together.
struct TrashedPairs {
  private let library: PhotoLibrary
  /// The number of files in the trash by the folder and base name that they had.
  private var counts: [[String]: Int] = [:]
  /// Read only where there is need.
  private lazy var contents = TrashContents(of: library.layout, in: library.desktopTrash, disk: library.disk)

  /// Reads the trash's info files.
  init(_ library: PhotoLibrary) {
    self.library = library
    for entry in library.desktopTrash.entries(below: library.layout.path) where !entry.isFolder {
      counts[TrashContents.place(of: entry.originalPath), default: 0] += 1
    }
  }

  /// The other files of an asset in the trash that are in the trash as well.
  mutating func parts(of asset: TrashedAsset) -> [TrashedAsset] {
    guard counts[TrashContents.place(of: asset.url.path), default: 0] > 1 else { return [] }
    return contents.parts(ofFile: asset.trashedURL.path)
  }
}
