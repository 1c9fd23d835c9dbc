// Whether the library that an index knows is in its folder.

import Foundation
import Localization

/// Keeps a library that isn't there, as when its disk is not mounted, from looking like an empty one: nothing is written
/// beneath its mount point, and nothing that the index knows is taken for removed.
struct LibraryPresence: Sendable {
  let folder: LibraryFolder
  let disk: Disk
  let index: LibraryIndex

  /// Checks before anything is scanned or written.
  ///
  /// - Parameter isOpening: Whether nothing has been seen of the library yet. Later a folder that is gone was removed,
  ///   unless its disk is another one now.
  /// - Throws: `libraryAbsent` when the library isn't there, or the error of the index.
  func check(isOpening: Bool) throws(PhotoLibraryError) {
    if let code = diskFault() {
      throw absent(localized("its disk doesn’t respond (\(String(cString: strerror(code))))"))
    }
    let known = try index.property(.library)
    let seenTop = known == nil ? top : nil
    if let mark = LibraryMark.read(folder, disk: disk) {
      guard known == nil || known == mark else { throw absent(localized("another library is in its place")) }
      if known == nil { try remember(mark, on: deeper(seenTop)) }
      return
    }
    let before = try index.property(.mountPoint)
    let isKnown = if known == nil { try hasOnlyOtherFiles() } else { true }
    let top = top
    if isKnown, let before, before != top {
      // Without a mark, what was seen may have been what is beneath the disk, before that was mounted.
      guard known == nil, let top, top.utf8.count > before.utf8.count else {
        throw absent(localized("its disk, which was at “\(before)”, isn’t mounted"))
      }
      return try index.set(.mountPoint, top)
    }
    // Before it has a mark, and where none can be written, the disk is remembered by what is on it.
    if known == nil, before == nil, disk.names(in: folder.path)?.isEmpty == false, let top = deeper(seenTop) {
      try index.set(.mountPoint, top)
    }
    // The library of an earlier version, one that has lost its mark, or a new one, gets a mark with the next write.
    if hasHiddenFolder { return }
    // A folder in which nothing was ever written has no mark either, and one may lose its hidden folder.
    guard isOpening, try hasOnlyOtherFiles() else { return }
    throw absent(
      localized(
        """
        its items and its folder “\(LibraryFolder.hiddenFolder)” are gone (to start a new library \
        there, create that folder)
        """))
  }

  /// Errors of a disk that was unplugged, or of a share whose server is gone. A folder in their place is not an empty one.
  private static let faults: Set<Int32> = [
    EIO, ENXIO, ENODEV, ENOTCONN, ESTALE, ETIMEDOUT, ECONNABORTED, ECONNRESET, EHOSTDOWN, EHOSTUNREACH, EREMOTEIO,
    ESHUTDOWN, ENOMEDIUM,
  ]

  /// The error with which the file system refuses to show the folder; `nil` when it shows it, or says that there is none.
  private func diskFault() -> Int32? {
    func fault() -> Int32? { Self.faults.contains(errno) ? errno : nil }
    var status = stat()
    guard disk.system.lstat(folder.path, &status) == 0 else { return fault() }
    // The status may be one that the kernel remembers.
    guard let listing = disk.system.opendir(folder.path) else { return fault() }
    defer { closedir(listing) }
    errno = 0
    return readdir(listing) == nil ? fault() : nil
  }

  private var hasHiddenFolder: Bool { disk.status(folder.hidden)?.kind == .folder }

  /// Whether the index has pictures, and none of them is there.
  private func hasOnlyOtherFiles() throws(PhotoLibraryError) -> Bool {
    let files = try index.files(after: 0, count: Self.sample)
    return !files.isEmpty && !files.contains { isThere($0.path) }
  }

  /// Whether somebody has made a hidden folder for a new library in the place of the one that the index knows.
  func isAnother() throws(PhotoLibraryError) -> Bool {
    guard try index.property(.library) != nil, hasHiddenFolder, LibraryMark.read(folder, disk: disk) == nil else {
      return false
    }
    if let before = try index.property(.mountPoint), before != top { return false }
    return try hasOnlyOtherFiles()
  }

  /// Marks the library, once its hidden folder has been created.
  ///
  /// - Throws: The error of the disk or of the index.
  func mark(_ session: LibrarySession) throws(PhotoLibraryError) {
    let isNew = LibraryMark.read(folder, disk: disk) == nil
    // The id stays with the pictures.
    let known = try hasOnlyOtherFiles() ? nil : index.property(.library)
    let top = top
    do throws(PhotoLibraryError) {
      try remember(LibraryMark.write(known, to: folder, session: session, disk: disk), on: deeper(top))
    } catch {
      try check(isOpening: false)
      throw error
    }
    // The disks in it get their marks with it; nothing is written for whoever only looks.
    for name in isNew ? FolderListing.folders(of: folder, disk: disk) : [] {
      guard let id = try index.noteDisk(at: name) else { continue }
      let paths = (disk.names(in: folder.absolute(name)) ?? []).map { PathBytes("\(name)/\($0)") }
      try index.note(Set(paths), on: id, in: name)
    }
  }

  /// - Parameter top: The topmost folder of the disk that had the mark.
  private func remember(_ mark: String, on top: String?) throws(PhotoLibraryError) {
    try index.set(.library, mark)
    if let top { try index.set(.mountPoint, top) }
  }

  /// The number of files that are looked for.
  private static let sample = 64

  private func isThere(_ path: String) -> Bool { disk.status(folder.absolute(path))?.kind == .file }

  /// The topmost folder of the file system that the library is on, or would be created on.
  private var top: String? { Disk.nearestFolder(to: folder.path).map { Volumes.of(disk).top(of: $0) } }

  /// The topmost folder of the disk on which something was seen: a disk that came or went meanwhile must not be taken for the
  /// one under it.
  ///
  /// - Parameter before: The topmost folder before it was seen.
  private func deeper(_ before: String?) -> String? {
    [before, top].compactMap(\.self).max { $0.utf8.count < $1.utf8.count }
  }

  private func absent(_ reason: String) -> PhotoLibraryError {
    .libraryAbsent(path: folder.path, reason: reason)
  }
}
