// File operations with errors for the user, each of which can be made to fail in tests.

import Foundation
import Localization

/// File operations. Every error is a `PhotoLibraryError` that names the path.
struct Disk: Sendable {
  /// A step that can fail.
  enum Step: Sendable, CaseIterable {
    case makeFolder
    case create
    case write
    case synchronize
    case rename
    case remove
    /// Owner, mode, extended attributes and times of a new version of a file.
    case attributes
    case read
    /// Watching a folder for changes by other programs.
    case watch
  }

  /// Called before each step; a returned `errno` value makes the step fail with it. `nil` outside tests.
  var fault: (@Sendable (Step, String) -> Int32?)?
  /// The calls that everything here is made of; the kernel's outside of tests.
  let system: any FileSystem

  init(system: any FileSystem = KernelFileSystem(), fault: (@Sendable (Step, String) -> Int32?)? = nil) {
    (self.system, self.fault) = (system, fault)
  }

  /// The computer that writes; tests write as another one.
  var machine = MachineIdentity.this

  /// The same, except that no symbolic link below these folders is followed when a file is opened, listed, created,
  /// renamed or removed: what is said in a record or a journal must not reach files outside.
  ///
  /// - Parameter folders: Absolute, without a trailing slash.
  func confined(to folders: [String]) -> Disk {
    var disk = Disk(system: system.confined(to: folders), fault: fault)
    disk.machine = machine
    return disk
  }

  /// The part of `stat` that matters here.
  struct Status: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case file
      case folder
      case other
    }
    var kind: Kind
    var size: UInt64
    /// In nanoseconds since 1970.
    var modified: Int64
    /// The time of the last change to the file or its metadata, names included; in nanoseconds since 1970.
    var changed: Int64
    var links: UInt64
    /// Device and inode number, which together identify the file on this machine whatever its name.
    var device: UInt64
    var number: UInt64

    /// Whether there is nothing in it: perhaps a name that was reserved on a file system that can't rename without
    /// replacing.
    var isEmptyFile: Bool { kind == .file && size == 0 }

    init(_ status: stat) {
      switch status.st_mode & S_IFMT {
      case S_IFREG: kind = .file
      case S_IFDIR: kind = .folder
      default: kind = .other
      }
      size = UInt64(max(0, status.st_size))
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
      links = UInt64(status.st_nlink)
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
    }

    /// Whether the last modification is longer ago than a duration, by this computer's clock. A time that is far in the
    /// future is a wrong one, and counts as long ago.
    ///
    /// - Parameter duration: In nanoseconds.
    func isOlder(than duration: Int64) -> Bool { age > duration || age < -Self.clockDifference }

    /// In nanoseconds: the most that clocks may differ. FAT keeps local time, of any zone.
    private static let clockDifference: Int64 = 86400 * 1_000_000_000

    /// The time since the last modification by this computer's clock, in nanoseconds; negative when the clocks differ.
    private var age: Int64 {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return Self.nanoseconds(now) &- modified
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
      // A file system may report anything.
      let (whole, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
      return isTooMuch ? 0 : whole &+ Int64(time.tv_nsec)
    }
  }

  /// The status of a file whose name may not be UTF-8.
  func status(_ name: [UInt8], in folder: String) -> Status? {
    var status = stat()
    let path = Array(folder.utf8) + [UInt8(ascii: "/")] + name + [0]
    let code = path.withUnsafeBytes { bytes in
      bytes.baseAddress.map { system.lstat($0.assumingMemoryBound(to: CChar.self), &status) } ?? -1
    }
    return code == 0 ? Status(status) : nil
  }

  /// The status of the path itself, not of a symbolic link's target; `nil` when nothing is there.
  func status(_ path: String) -> Status? {
    var status = stat()
    return system.lstat(path, &status) == 0 ? Status(status) : nil
  }

  /// The same, for decisions that can't be taken back: a file that can't be looked at is not a missing one.
  ///
  /// - Returns: `nil` when nothing is there.
  /// - Throws: `inputOutput` when it can't be found out.
  func checkedStatus(_ path: String) throws(PhotoLibraryError) -> Status? {
    var status = stat()
    if system.lstat(path, &status) == 0 { return Status(status) }
    let code = errno
    guard code == ENOENT || code == ENOTDIR else {
      throw .inputOutput(operation: .inspect, path: path, reason: String(cString: strerror(code)))
    }
    return nil
  }

  /// Whether a path is too long, or has a name that is: nothing can ever be there.
  func isTooLong(_ path: String) -> Bool {
    // Some file systems take longer names than most.
    guard path.utf8.count >= PATH_MAX || Self.name(of: path).utf8.count > FileName.longest else { return false }
    var status = stat()
    return system.lstat(path, &status) != 0 && errno == ENAMETOOLONG
  }

  /// The names in a folder, in no particular order, without `.` and `..`.
  struct Listing: Sendable {
    var names: [String] = []
    /// The names that aren't UTF-8, byte for byte: no URL can lead to them.
    var unusable: [[UInt8]] = []

    /// All names, byte for byte.
    var all: [[UInt8]] { names.map { Array($0.utf8) } + unusable }
  }

  /// Lists a folder; `nil` with `errno` on failure, also halfway through.
  func listing(of folder: String) -> Listing? {
    guard let stream = system.opendir(folder) else { return nil }
    defer { closedir(stream) }
    var listing = Listing()
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let bytes = Self.name(of: entry)
      if let name = String(validating: bytes, as: UTF8.self) {
        if name != ".", name != ".." { listing.names.append(name) }
      } else {
        listing.unusable.append(bytes)
      }
    }
    return errno == 0 ? listing : nil
  }

  /// The bytes of an entry's name. The entry is only as long as that, and the last one may end where the buffer does.
  static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
    return [UInt8](UnsafeRawBufferPointer(start: start, count: strlen(start)))
  }

  /// The UTF-8 names in a folder; `nil` when it can't be listed.
  func names(in folder: String) -> [String]? { listing(of: folder)?.names }

  /// The contents of a folder of the library. A missing folder is empty, but one that can't be listed may hold
  /// everything.
  ///
  /// - Throws: `inputOutput` when the folder exists and can't be listed.
  func checkedListing(of folder: String) throws(PhotoLibraryError) -> Listing {
    if let listing = listing(of: folder) { return listing }
    var code = errno
    guard try checkedStatus(folder)?.kind == .folder else { return Listing() }
    // It was created between the two calls.
    if code == ENOENT {
      if let listing = listing(of: folder) { return listing }
      code = errno
    }
    throw .inputOutput(operation: .list, path: folder, reason: String(cString: strerror(code)))
  }

  /// The UTF-8 names of `checkedListing`.
  func contents(of folder: String) throws(PhotoLibraryError) -> [String] { try checkedListing(of: folder).names }

  /// Creates a folder and its parents, durable in theirs. Does nothing when it exists.
  func makeFolder(_ path: String) throws(PhotoLibraryError) {
    if status(path)?.kind == .folder { return }
    try check(.makeFolder, path)
    if system.mkdir(path, 0o777) == 0 {
      try synchronizeFolder(Self.parent(of: path))
      return
    }
    let code = errno
    switch code {
    case ENOENT where Self.parent(of: path) != path:
      try makeFolder(Self.parent(of: path))
      guard system.mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .folder(path, code: errno) }
      try synchronizeFolder(Self.parent(of: path))
    case EEXIST:
      // A symbolic link to a folder will do.
      var status = stat()
      guard system.stat(path, &status) == 0, Status(status).kind == .folder else { throw .folder(path, code: ENOTDIR) }
    case ENOTDIR:
      // Name the file that is in the way, which may be further up.
      var blocking = Self.parent(of: path)
      while status(blocking) == nil, blocking != "/" { blocking = Self.parent(of: blocking) }
      throw .folder(blocking, code: code)
    default:
      throw .folder(path, code: code)
    }
  }

  /// Makes the names in a folder durable.
  func synchronizeFolder(_ path: String) throws(PhotoLibraryError) {
    try check(.synchronize, path)
    let descriptor = system.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .system(.synchronize, path, code: errno) }
    defer { close(descriptor) }
    // Some file systems can't flush a folder and return EINVAL; they have nothing to flush.
    guard system.fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw .system(.synchronize, path, code: errno)
    }
  }

  /// Removes a file. Does nothing when it doesn't exist.
  func remove(_ path: String) throws(PhotoLibraryError) {
    try check(.remove, path)
    guard system.unlink(path) == 0 || errno == ENOENT else { throw .system(.remove, path, code: errno) }
  }

  /// Removes an empty folder, or does nothing when it doesn't exist.
  ///
  /// - Returns: `false` when it isn't empty, or can't be removed.
  func removeEmptyFolder(_ path: String) -> Bool { system.rmdir(path) == 0 || errno == ENOENT }

  /// Removes a folder with everything in it, or does nothing when it doesn't exist. Symbolic links are removed, not
  /// followed.
  func removeTree(_ path: String) throws(PhotoLibraryError) {
    for name in try checkedListing(of: path).all {
      let entry = Array(path.utf8) + [UInt8(ascii: "/")] + name
      let shown = String(decoding: entry, as: UTF8.self)
      if status(name, in: path)?.kind == .folder {
        // A path of a `String` can't lead to a folder whose name isn't UTF-8.
        guard String(validating: name, as: UTF8.self) != nil else {
          throw .inputOutput(operation: .remove, path: shown, reason: localized("its name isn’t valid UTF-8"))
        }
        try removeTree(shown)
      } else {
        try check(.remove, shown)
        let code = (entry + [0]).withUnsafeBytes { bytes in
          bytes.baseAddress.map { system.unlink($0.assumingMemoryBound(to: CChar.self)) } ?? -1
        }
        guard code == 0 || errno == ENOENT else { throw .system(.remove, shown, code: errno) }
      }
    }
    try check(.remove, path)
    guard removeEmptyFolder(path) else { throw .system(.remove, path, code: errno) }
  }

  /// Gives a lock back and closes its file.
  ///
  /// Closing alone would do it only with the last copy of the descriptor: a child that is being started has one until
  /// its own program begins.
  func unlock(_ descriptor: Int32) {
    _ = system.flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Removes a file that was never published. If that fails, the next start clears it.
  func discard(_ path: String) {
    if fault?(.remove, path) == nil { _ = system.unlink(path) }
  }

  /// Renames a file, atomically replacing the one that has the name.
  func replace(_ path: String, with file: String) throws(PhotoLibraryError) {
    try check(.rename, path)
    guard system.rename(file, path) == 0 else { throw .system(.rename, path, code: errno) }
  }

  /// Creates a hard link.
  ///
  /// - Returns: `false` where the file system has no hard links.
  func link(_ path: String, to second: String) throws(PhotoLibraryError) -> Bool {
    try check(.create, second)
    if system.link(path, second) == 0 { return true }
    switch errno {
    // Before Linux 6.15, a FUSE file system without links says ENOSYS.
    case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EXDEV, EMLINK, EACCES: return false
    default: throw .system(.create, second, code: errno)
    }
  }

  /// Renames a file unless the name is taken.
  ///
  /// - Returns: `false` when the name is taken.
  func renameNew(_ from: String, to: String) throws(PhotoLibraryError) -> Bool {
    try check(.rename, to)
    if system.renameNew(from, to) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case EINVAL, ENOSYS, ENOTSUP: break
    default: throw .system(.rename, to, code: errno)
    }
    // The file system can't rename without replacing (NFS, old FUSE): a hard link never replaces either.
    if system.link(from, to) == 0 {
      // A server that got the request twice says that the file isn't there.
      if system.unlink(from) == 0 || errno == ENOENT { return true }
      let code = errno
      // A hidden name that stays is removed with what else is left over, and what has its new name may have been seen.
      if Self.name(of: from).utf8.first == UInt8(ascii: ".") { return true }
      _ = system.unlink(to)
      throw .system(.rename, to, code: code)
    }
    if errno == EEXIST { return false }
    // No hard links either (FAT): reserve the name with an empty file first; a crash leaves at most that behind.
    let descriptor = system.open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw .system(.rename, to, code: errno)
    }
    close(descriptor)
    guard system.rename(from, to) == 0 else {
      let code = errno
      _ = system.unlink(to)
      throw .system(.rename, to, code: code)
    }
    return true
  }

  /// Throws when a test injects a fault into this step.
  func check(_ step: Step, _ path: String) throws(PhotoLibraryError) {
    if let code = fault?(step, path) { throw .system(step, path, code: code) }
  }

  /// The parent folder of a path.
  static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// The part of a relative path before the last slash; empty without one.
  static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
  }
}
