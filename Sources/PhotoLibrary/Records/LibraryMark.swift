// The file that tells one library from another, `.photome/library.json`.

import Foundation

/// The id of a library, in a file of its own: a folder without it may be the empty mount point of a disk that isn't there.
enum LibraryMark {
  private static let version: Int64 = 1

  static func path(_ folder: LibraryFolder) -> String { folder.hidden + "/library.json" }

  /// The id of the library in a folder; `nil` where there is none, or one that an earlier version has written, or a file
  /// that can't be understood.
  static func read(_ folder: LibraryFolder, disk: Disk) -> String? {
    guard let data = try? disk.read(path(folder), range: 0..<UInt64(AssetRecord.largestFile)),
      let id = JSONValue(parsing: data)?.object?["id"]?.text, AssetIdentity.isID(id)
    else { return nil }
    return id
  }

  /// Whether there is a mark that can't be understood: not an empty one, which the next write replaces.
  static func isUnreadable(_ folder: LibraryFolder, disk: Disk) -> Bool {
    guard let status = disk.status(path(folder)), !status.isEmptyFile else { return false }
    return read(folder, disk: disk) == nil
  }

  /// Marks a library durably, unless it has a mark.
  ///
  /// - Parameter id: That it had; `nil` makes a new one.
  /// - Returns: The id, which may be one that another process has just written.
  /// - Throws: The error of the disk.
  static func write(_ id: String?, to folder: LibraryFolder, session: LibrarySession, disk: Disk)
    throws(PhotoLibraryError) -> String
  {
    if let known = read(folder, disk: disk) { return known }
    let id = id ?? AssetIdentity.makeID()
    let json = JSONValue.object(["version": .integer(version), "id": .text(id)]).data
    let temporary = "\(session.path)/" + session.temporaryName(for: "library")
    // The session's folder was there a moment ago: where it is gone, so is the disk.
    try FileWriter(disk: disk).write([.bytes(json)], to: temporary, makesFolder: false)
    do throws(PhotoLibraryError) {
      guard try disk.renameNew(temporary, to: path(folder)) else {
        if disk.status(path(folder))?.isEmptyFile == true {
          // What a power failure has left of it.
          try disk.replace(path(folder), with: temporary)
          try disk.synchronizeFolder(folder.hidden)
          // Another process may have done the same.
          return read(folder, disk: disk) ?? id
        }
        disk.discard(temporary)
        return read(folder, disk: disk) ?? id
      }
      try disk.synchronizeFolder(folder.hidden)
      return id
    } catch {
      disk.discard(temporary)
      throw error
    }
  }
}
