// Where a file goes when it is moved to the desktop's trash, so that file managers show it there and can put it back.

import CameraCore
import Foundation

/// The place in the trash that one file is to get. Nothing has been written there yet.
struct TrashSlot: Hashable, Sendable {
  /// Where the file is to be renamed to, `…/files/NAME`: on the file's own file system.
  var file: String
  /// The file that says where it came from, `…/info/NAME.trashinfo`. Whoever creates it with `O_EXCL` has the name.
  var info: String
  /// What is to stand in `info`.
  var infoBytes: Data
  /// Which name for this file it is, counted from 1; ask for the next when another program was quicker.
  var attempt: Int
}

/// The trash of the freedesktop.org Trash specification, version 1.0.
///
/// To trash a file, in this order, as the specification demands:
///
///     var slot = try trash.slot(for: path, now: .now)
///     // 1. Create slot.info with O_EXCL and write slot.infoBytes; when the name is taken:
///     slot = try trash.slot(for: path, now: .now, attempt: slot.attempt + 1)
///     // 2. Rename the file to slot.file.
///
/// A kill in between leaves an info file without a file, which every program ignores; to finish or to undo is the
/// caller's, who wrote down the slot before the first step.
///
/// Source: https://specifications.freedesktop.org/trash-spec/trashspec-1.0.html
struct DesktopTrash: Sendable {
  let disk: Disk
  /// The home trash, `$XDG_DATA_HOME/Trash`.
  let home: String
  /// The number of the user whose trash it is.
  let user: UInt32
  let volumes: Volumes
  /// Of the dates in info files, which don't name it.
  let timeZone: TimeZone

  /// - Parameters:
  ///   - home: The home trash; made when it is first needed.
  ///   - volumes: Where file systems begin.
  init(
    disk: Disk = Disk(), home: String = UserFolders().data.path + "/Trash", user: UInt32 = geteuid(),
    volumes: Volumes = .system, timeZone: TimeZone = .current
  ) {
    (self.disk, self.home, self.user, self.volumes, self.timeZone) = (disk, home, user, volumes, timeZone)
  }

  /// Finds a free place in the trash of the file system on which a file lies, and makes the trash's folders where they
  /// are missing. Does nothing to the file, and reserves nothing.
  ///
  /// - Parameters:
  ///   - path: Absolute. Of a file or folder; of a symbolic link itself, not of what it leads to.
  ///   - now: The deletion date.
  ///   - attempt: From 1: the names before that are passed over.
  /// - Throws: `fileMissing` when nothing is at the path, `trashUnavailable` when the file system can have no trash.
  func slot(for path: String, now: Date, attempt: Int = 1) throws(PhotoLibraryError) -> TrashSlot {
    let name = Disk.name(of: path)
    guard path.hasPrefix("/"), !name.isEmpty, disk.status(path) != nil,
      let folder = Disk.resolved(Disk.parent(of: path))
    else { throw .fileMissing(path: path) }
    let top = volumes.top(of: folder)
    let place = try place(for: path, top: top)
    let original = folder == "/" ? "/" + name : "\(folder)/\(name)"
    let below = Substring(original.utf8.dropFirst(top == "/" ? 1 : top.utf8.count + 1))
    let written = place.isHome ? original : String(below)
    var attempt = max(1, attempt)
    while true {
      let free = Self.name(name, attempt: attempt)
      let file = "\(place.folder)/files/\(free)"
      let info = "\(place.folder)/info/\(free)\(Self.infoEnding)"
      if disk.status(file) == nil, disk.status(info) == nil {
        let bytes = TrashInfo(path: written, deleted: now).bytes(timeZone: timeZone)
        return TrashSlot(file: file, info: info, infoBytes: bytes, attempt: attempt)
      }
      attempt += 1
    }
  }

  // MARK: Names

  static let infoEnding = ".trashinfo"
  /// In bytes, on all usual file systems.
  private static let longestName = 255

  /// `IMG_1.jpg`, then `IMG_1.2.jpg`: the ending stays, by which programs know what it is. Names that are too long for
  /// the number or the info file's ending lose the end of their stem; the info file has the whole one.
  static func name(_ name: String, attempt: Int) -> String {
    let number = attempt == 1 ? "" : ".\(attempt)"
    var (stem, ending) = (Substring(name), Substring())
    if let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 16 {
      (stem, ending) = (name[..<dot], name[dot...])
    }
    let room = longestName - infoEnding.utf8.count - number.utf8.count - ending.utf8.count
    while stem.utf8.count > room { stem.removeLast() }
    return stem + number + ending
  }

  // MARK: Folders

  /// A trash folder that can be used.
  private struct Place {
    var folder: String
    var isHome: Bool
  }

  /// Why a folder can't be a trash.
  private struct Refusal: Error {
    var place: String
    var reason: String
  }

  private func place(for path: String, top: String) throws(PhotoLibraryError) -> Place {
    do throws(Refusal) {
      if isOnVolume(home, top: top) {
        try prepare(home, top: top, isHome: true)
        return Place(folder: home, isHome: true)
      }
      let base = top == "/" ? "" : top
      // The one that an administrator made for all, when it is safe; else our own.
      if isShared("\(base)/.Trash") {
        do throws(Refusal) {
          try prepare("\(base)/.Trash/\(user)", top: top, isHome: false)
          return Place(folder: "\(base)/.Trash/\(user)", isHome: false)
        } catch {
          // Other programs fall back to our own as well.
        }
      }
      try prepare("\(base)/.Trash-\(user)", top: top, isHome: false)
      return Place(folder: "\(base)/.Trash-\(user)", isHome: false)
    } catch {
      throw .trashUnavailable(path: path, place: error.place, reason: error.reason)
    }
  }

  /// Whether a path lies on the file system that begins at `top`, or would when it were made.
  private func isOnVolume(_ path: String, top: String) -> Bool {
    Self.nearestFolder(to: path).map { volumes.top(of: $0) == top } ?? false
  }

  /// A folder for the trash of all users, as the specification wants it: no symbolic link, and sticky, so that nobody
  /// can take away another's.
  private func isShared(_ folder: String) -> Bool {
    var status = stat()
    return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
  }

  /// Makes a trash folder and what belongs in it, and checks that it is safe to use.
  private func prepare(_ folder: String, top: String, isHome: Bool) throws(Refusal) {
    for path in [folder, folder + "/files", folder + "/info"] { try makeFolder(path, withParents: isHome) }
    var status = stat()
    // Someone may have put a folder of theirs, or a way to one, where ours should be.
    if !isHome, lstat(folder, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR || status.st_uid != user {
      throw Refusal(place: folder, reason: "it belongs to someone else")
    }
    for path in [folder + "/files", folder + "/info"] where Disk.resolved(path).map({ volumes.top(of: $0) }) != top {
      throw Refusal(place: path, reason: "it lies on another disk")
    }
  }

  /// Makes a folder for this user alone, and those above it when wanted, durable in its parent.
  private func makeFolder(_ path: String, withParents: Bool) throws(Refusal) {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw Refusal(place: path, reason: "it is not a folder") }
      return
    }
    let parent = Disk.parent(of: path)
    if withParents, parent != path, stat(parent, &status) != 0 { try makeFolder(parent, withParents: true) }
    if let fault = disk.fault?(.makeFolder, path) {
      throw Refusal(place: path, reason: String(cString: strerror(fault)))
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Refusal(place: path, reason: String(cString: strerror(errno)))
    }
    do throws(PhotoLibraryError) { try disk.synchronizeFolder(parent) } catch {
      throw Refusal(place: path, reason: error.description)
    }
  }

  // MARK: Paths

  /// The first folder on the way up from a path that is there, without symbolic links.
  static func nearestFolder(to path: String) -> String? {
    var path = path
    while true {
      if let found = Disk.resolved(path) { return found }
      let parent = Disk.parent(of: path)
      guard parent != path, parent != "." else { return nil }
      path = parent
    }
  }

  /// The trash folders in which files of a file system can lie, whether they are there or not.
  func folders(top: String) -> [(folder: String, isHome: Bool)] {
    let base = top == "/" ? "" : top
    var folders = [(home, true)]
    if isShared("\(base)/.Trash") { folders.append(("\(base)/.Trash/\(user)", false)) }
    folders.append(("\(base)/.Trash-\(user)", false))
    return folders
  }
}
