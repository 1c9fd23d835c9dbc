// The folders of a library that hold pictures, and the names in them that can't be used.

import Foundation

/// Lists the folders of a library that hold pictures.
enum FolderListing {
  /// The names of the folders right under the library's, the latest month first. Hidden ones are not looked at, and
  /// symbolic links not followed.
  static func folders(of folder: LibraryFolder, disk: Disk) -> [String] {
    (disk.names(in: folder.path) ?? [])
      .filter { !$0.hasPrefix(".") && disk.status(folder.absolute($0))?.kind == .folder }
      .sorted(by: >)
  }

  /// The names in a folder that would be looked at if they were text, escaped for people.
  ///
  /// - Parameter takesFolders: Whether folders in it are looked into as well.
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
