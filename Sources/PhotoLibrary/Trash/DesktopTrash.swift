// The desktop's trash: places for trashed files, where file managers show them and can restore them.

import CameraCore
import Foundation
import Localization

/// A free place in the trash for one file. Nothing has been written there yet.
struct TrashSlot: Hashable, Sendable {
  /// The path to rename the file to, `…/files/NAME`, on the file's own file system.
  var file: String
  /// The info file, `…/info/NAME.trashinfo`. Creating it with `O_EXCL` reserves the name.
  var info: String
  /// The contents of `info`.
  var infoBytes: Data
  /// The number of the name among those tried, from 1; ask for the next when another program was quicker.
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
/// A kill in between leaves an info file without a file, which every program ignores; finishing or undoing is up to the
/// caller, who has journaled the slot before the first step.
///
/// Source: https://specifications.freedesktop.org/trash-spec/trashspec-1.0.html
struct DesktopTrash: Sendable {
  let disk: Disk
  /// The home trash, `$XDG_DATA_HOME/Trash`.
  let home: String
  /// The user id of the trash's owner.
  let user: UInt32
  let volumes: Volumes
  /// The time zone of the dates in info files, which don't name it.
  let timeZone: TimeZone

  /// - Parameters:
  ///   - home: The home trash; created when it is first needed.
  ///   - volumes: The file systems' boundaries; `nil` takes those of the disk.
  init(
    disk: Disk = Disk(), home: String = UserFolders().trash.path, user: UInt32 = geteuid(),
    volumes: Volumes? = nil, timeZone: TimeZone = .current
  ) {
    (self.disk, self.home, self.user, self.timeZone) = (disk, home, user, timeZone)
    self.volumes = volumes ?? .of(disk)
  }

  /// Finds a free place in the trash of a file's file system, and creates the trash folders where they are missing.
  /// Does nothing to the file, and reserves nothing.
  ///
  /// - Parameters:
  ///   - path: Absolute. A symbolic link is trashed itself, not its target.
  ///   - now: The deletion date.
  ///   - attempt: From 1: earlier names are skipped.
  /// - Throws: `fileMissing` when nothing is at the path, `trashUnavailable` when the file system has no usable trash.
  func slot(for path: String, now: Date, attempt: Int = 1) throws(PhotoLibraryError) -> TrashSlot {
    let name = Disk.name(of: path)
    guard path.isAbsolutePath, !name.isEmpty, disk.status(path) != nil,
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

  /// `IMG_1.jpg`, then `IMG_1.2.jpg`: the extension, by which programs recognize the file, stays. A name that is too
  /// long for the number or the info file's extension loses the end of its stem; the info file has the whole name.
  static func name(_ name: String, attempt: Int) -> String {
    let number = attempt == 1 ? "" : ".\(attempt)"
    var (stem, ending) = (Substring(name), Substring())
    if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex, name[dot...].utf8.count <= 16 {
      (stem, ending) = (name[..<dot], name[dot...])
    }
    let room = FileName.longest - infoEnding.utf8.count - number.utf8.count - ending.utf8.count
    while stem.utf8.count > room { stem.removeLast() }
    return stem + number + ending
  }

  // MARK: Folders

  /// A usable trash folder.
  private struct Place {
    var folder: String
    var isHome: Bool
  }

  /// The reason why a folder can't be used as trash.
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
      // The shared one that an administrator created, if it is safe; otherwise our own.
      if isShared("\(base)/.Trash") {
        do throws(Refusal) {
          try prepare("\(base)/.Trash/\(user)", top: top, isHome: false)
          return Place(folder: "\(base)/.Trash/\(user)", isHome: false)
        } catch {
          // Fall back to our own, as other programs do.
        }
      }
      try prepare("\(base)/.Trash-\(user)", top: top, isHome: false)
      return Place(folder: "\(base)/.Trash-\(user)", isHome: false)
    } catch {
      throw .trashUnavailable(path: path, place: error.place, reason: error.reason)
    }
  }

  /// Whether a path is, or would be, on the file system whose topmost folder is `top`.
  private func isOnVolume(_ path: String, top: String) -> Bool {
    Self.nearestFolder(to: path).map { volumes.top(of: $0) == top } ?? false
  }

  /// Whether it is a valid shared trash by the specification: not a symbolic link, and sticky, so that users can't
  /// remove each other's files.
  private func isShared(_ folder: String) -> Bool {
    var status = stat()
    return disk.system.lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_mode & S_ISVTX != 0
  }

  private func isOwn(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user }

  /// Creates a trash folder with its subfolders, and checks that it is safe to use.
  private func prepare(_ folder: String, top: String, isHome: Bool) throws(Refusal) {
    for path in [folder, folder + "/files", folder + "/info"] { try makeFolder(path, withParents: isHome) }
    var status = stat()
    // Another user may have put a folder, or a link to one, where ours should be.
    if !isHome, disk.system.lstat(folder, &status) != 0 || !isOwn(status) {
      throw Refusal(place: folder, reason: localized("it belongs to someone else"))
    }
    for path in [folder + "/files", folder + "/info"] where Disk.resolved(path).map({ volumes.top(of: $0) }) != top {
      throw Refusal(place: path, reason: localized("it’s on another disk"))
    }
  }

  /// Creates a folder that only this user can access, and its parents if wanted, durable in its parent.
  private func makeFolder(_ path: String, withParents: Bool) throws(Refusal) {
    var status = stat()
    if disk.system.stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw Refusal(place: path, reason: localized("it isn’t a folder"))
      }
      return
    }
    let parent = Disk.parent(of: path)
    if withParents, parent != path, disk.system.stat(parent, &status) != 0 { try makeFolder(parent, withParents: true) }
    if let fault = disk.fault?(.makeFolder, path) {
      throw Refusal(place: path, reason: String(cString: strerror(fault)))
    }
    guard disk.system.mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Refusal(place: path, reason: String(cString: strerror(errno)))
    }
    do throws(PhotoLibraryError) { try disk.synchronizeFolder(parent) } catch {
      throw Refusal(place: path, reason: error.description)
    }
  }

  // MARK: Paths

  /// The closest existing folder at or above a path, without symbolic links.
  static func nearestFolder(to path: String) -> String? { Disk.nearestFolder(to: path) }

  /// The possible trash folders for the files of a folder: those of its disk, of the disks mounted below it, and of the
  /// folders directly in it that count as disks without being mounted, as subvolumes of Btrfs do.
  func folders(for folder: String) -> [(folder: String, isHome: Bool)] {
    guard let above = Self.nearestFolder(to: folder) else { return [] }
    var below = volumes.mountPoints().filter { $0.utf8.starts(with: (above + "/").utf8) }
    let device = volumes.device(above)
    for name in disk.names(in: above) ?? [] where disk.status("\(above)/\(name)")?.kind == .folder {
      if volumes.device("\(above)/\(name)") != device { below.insert("\(above)/\(name)") }
    }
    return folders(top: volumes.top(of: above))
      + below.sorted().flatMap { folders(top: $0).filter { !$0.isHome } }
  }

  /// The possible trash folders of a file system, whether they exist or not, without those that another user's folder or
  /// a link is in the place of: a disk from elsewhere could lead to any folder of this user's.
  func folders(top: String) -> [(folder: String, isHome: Bool)] {
    let base = top == "/" ? "" : top
    var folders = [(home, true)]
    if isShared("\(base)/.Trash") { folders.append(("\(base)/.Trash/\(user)", false)) }
    folders.append(("\(base)/.Trash-\(user)", false))
    return folders.filter { folder, isHome in
      var status = stat()
      return isHome || disk.system.lstat(folder, &status) != 0 || isOwn(status)
    }
  }
}
