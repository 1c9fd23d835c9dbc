// The folders of a library that hold pictures, and the names in them that can't be used.

import Foundation

/// Listings of the library's visible folders.
enum FolderListing {
  /// The names of the folders directly below the library's, the latest month first, without hidden ones and symbolic
  /// links.
  static func folders(of folder: LibraryFolder, disk: Disk) -> [String] {
    (disk.names(in: folder.path) ?? [])
      .filter { !$0.isHiddenName && disk.status(folder.absolute($0))?.kind == .folder }
      .sorted(by: >)
  }

  /// The entries of the library's folder that may hold pictures and aren't looked into: hidden folders, symbolic links
  /// that lead to a folder or to nothing, and folders in folders. Relative to the library's folder, sorted.
  static func skipped(of folder: LibraryFolder, disk: Disk) -> [String] {
    var skipped: [String] = []
    func look(into parent: String) {
      for name in disk.names(in: folder.absolute(parent)) ?? [] {
        let path = parent.isEmpty ? name : "\(parent)/\(name)"
        if path == LibraryFolder.hiddenFolder { continue }
        switch disk.status(folder.absolute(path))?.kind {
        case .folder where name.isHiddenName || !parent.isEmpty: skipped.append(path)
        case .folder: look(into: path)
        case .other: if leadsAway(folder.absolute(path)) { skipped.append(path) }
        case .file, nil: break
        }
      }
    }
    look(into: "")
    return skipped.sorted()
  }

  /// Whether a path is a symbolic link to a folder, or to nothing.
  private static func leadsAway(_ path: String) -> Bool {
    // The library's own calls follow no link; only what it leads to is asked for, by the kernel itself.
    let kernel = KernelFileSystem()
    var (status, target) = (stat(), stat())
    guard kernel.lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
    return kernel.stat(path, &target) != 0 || target.st_mode & S_IFMT == S_IFDIR
  }

  /// The folder for new pictures of a month: another one beside it where its name is a symbolic link, which isn't
  /// followed and not shown, and where it is the mount point of a disk that isn't there: that would hide them later.
  ///
  /// - Parameters:
  ///   - month: As `2026-11`.
  ///   - isAway: Whether a folder's disk isn't there.
  static func month(
    _ month: String, of folder: LibraryFolder, disk: Disk, isAway: (String) -> Bool
  ) -> String {
    var attempt = 1
    while true {
      let name = LibraryFolder.name(stem: month, extension: "", attempt: attempt)
      if disk.status(folder.absolute(name))?.kind != .other, !isAway(name) { return name }
      attempt += 1
    }
  }

  /// The names in a folder that would be scanned if they were UTF-8, escaped for display.
  ///
  /// - Parameter takesFolders: Whether folders in it are scanned as well.
  static func unusableNames(_ listing: Disk.Listing, in path: String, takesFolders: Bool, disk: Disk) -> [String] {
    listing.unusable.filter { name in
      guard name.first != UInt8(ascii: ".") else { return false }
      return switch disk.status(name, in: path)?.kind {
      case .file: FileFacts.Kind(name: String(decoding: name, as: UTF8.self)) != nil
      case .folder: takesFolders
      case .other, nil: false
      }
    }.map(UnusableNames.escaped).sorted()
  }
}
