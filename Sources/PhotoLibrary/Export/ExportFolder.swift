// The folder that an export goes to.

import CameraCore
import Foundation
import Localization

/// A folder outside of the library, on the disk that it was on when the export began: once that is unmounted, its mount
/// point is a folder of another disk, in which nobody would look for the copies.
struct ExportFolder: Sendable {
  let path: String
  private let disk: Disk
  private let device: UInt64

  /// How the names of unfinished copies begin. File systems of other computers don't take each name that a picture can have.
  private static let unfinished = "photome-export-"
  /// In seconds. No export takes longer for a file.
  private static let longestExport: Int64 = 24 * 3600

  /// Creates the folder, if it doesn't exist, and removes what killed exports have left in it.
  ///
  /// - Throws: `folderUnavailable`, or another error of the disk.
  init(_ path: String, disk: Disk) throws(PhotoLibraryError) {
    (self.path, self.disk) = (path, disk)
    try disk.makeFolder(path)
    guard let device = Self.device(path, disk) else { throw .folderUnavailable(path: path, reason: .missing) }
    self.device = device
    sweep()
  }

  /// - Throws: `folderUnavailable` when another disk's folder, or none, is in its place.
  func check() throws(PhotoLibraryError) {
    guard let now = Self.device(path, disk) else { throw .folderUnavailable(path: path, reason: .missing) }
    guard now == device else {
      throw .folderUnavailable(path: path, reason: .system(localized("its disk is no longer there")))
    }
  }

  /// The paths of new unfinished files.
  func temporaryPaths(count: Int) -> [String] {
    let token = LibraryFolder.makeToken()
    // A file's own date is soon that of the picture.
    let name = Self.unfinished + "\(Int64(Date().timeIntervalSince1970))"
    return (0..<count).map { "\(path)/" + LibraryFolder.temporaryName(for: name, token: token, number: $0) }
  }

  private static func device(_ path: String, _ disk: Disk) -> UInt64? {
    var status = stat()
    // Within the folder: one that a disk is mounted on as soon as it is used is itself on no disk. Source: stat(2),
    // AT_NO_AUTOMOUNT.
    guard disk.system.stat("\(path)/.", &status) == 0, Disk.Status(status).kind == .folder else { return nil }
    return Disk.Status(status).device
  }

  /// Removes the files of exports that were killed: those that were begun so long ago that none still writes them.
  private func sweep() {
    let now = Int64(Date().timeIntervalSince1970)
    for name in disk.names(in: path) ?? [] where LibraryFolder.token(temporaryName: name) != nil {
      let stem = LibraryFolder.name(temporaryName: name)
      guard stem.hasPrefix(Self.unfinished), let began = Int64(stem.dropFirst(Self.unfinished.count)), began > 0,
        (now &- began).magnitude > Self.longestExport,
        disk.status("\(path)/\(name)")?.kind == .file
      else { continue }
      disk.discard("\(path)/\(name)")
    }
  }
}
