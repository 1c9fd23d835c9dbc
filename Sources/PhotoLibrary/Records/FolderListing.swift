// The folders of a library that hold pictures, and the names in them that can't be used.

import Foundation

/// Listings of the library's visible folders.
enum FolderListing {
  /// The names of the folders directly below the library's, the latest month first, without hidden ones and symbolic
  /// links.
  static func folders(of folder: LibraryFolder, disk: Disk) -> [String] {
    (disk.names(in: folder.path) ?? [])
      .filter { !$0.hasPrefix(".") && disk.status(folder.absolute($0))?.kind == .folder }
      .sorted(by: >)
  }

  /// The folder for new pictures of a month: another one beside it where its name is a symbolic link, which isn't
  /// followed and not shown.
  ///
  /// - Parameter month: As `2026-11`.
  static func month(_ month: String, of folder: LibraryFolder, disk: Disk) -> String {
    var attempt = 1
    while true {
      let name = LibraryFolder.name(stem: month, extension: "", attempt: attempt)
      if disk.status(folder.absolute(name))?.kind != .other { return name }
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
