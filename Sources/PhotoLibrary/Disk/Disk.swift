// The library's way to the disk: small system calls with errors in words, and a place to make any of them fail in tests.

import Foundation
import LinuxShim

/// File operations. Every failure is a `PhotoLibraryError` that names the path.
struct Disk: Sendable {
  /// A step that can fail.
  enum Step: String, Sendable, CaseIterable {
    case makeFolder = "make the folder"
    case create = "create"
    case write = "write"
    case synchronize = "write to the disk"
    case rename = "give the final name to"
    case remove = "remove"
    case read = "read"
    /// Following what others do in a folder.
    case watch = "watch"
  }

  /// Called before each step; an error number makes it fail with that. `nil` outside tests.
  var fault: (@Sendable (Step, String) -> Int32?)?

  init(fault: (@Sendable (Step, String) -> Int32?)? = nil) { self.fault = fault }

  /// What `stat` says, as far as it matters here.
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
    /// When anything about the file was changed last, its names included; in nanoseconds since 1970.
    var changed: Int64
    var links: UInt64
    /// The file itself, whatever it is called: these two together name it on this machine.
    var device: UInt64
    var number: UInt64

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

    private static func nanoseconds(_ time: timespec) -> Int64 {
      // A file system may say anything.
      let (whole, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
      return isTooMuch ? 0 : whole &+ Int64(time.tv_nsec)
    }
  }

  /// Of a file whose name may be no text.
  func status(_ name: [UInt8], in folder: String) -> Status? {
    var status = stat()
    let path = Array(folder.utf8) + [UInt8(ascii: "/")] + name + [0]
    let code = path.withUnsafeBytes { bytes in
      bytes.baseAddress.map { lstat($0.assumingMemoryBound(to: CChar.self), &status) } ?? -1
    }
    return code == 0 ? Status(status) : nil
  }

  /// Of the path itself, not of what a symbolic link points to; `nil` when nothing is there.
  func status(_ path: String) -> Status? {
    var status = stat()
    return lstat(path, &status) == 0 ? Status(status) : nil
  }

  /// The names in a folder, in no order, without `.` and `..`.
  struct Listing: Sendable {
    var names: [String] = []
    /// Those that are no UTF-8, byte for byte: no URL could lead to them.
    var unusable: [[UInt8]] = []
  }

  /// Lists a folder; `nil` with `errno` when that can't be done, also when it fails half-way.
  func listing(of folder: String) -> Listing? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var listing = Listing()
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      // An entry is only as long as its name, and the last one may end where the memory does.
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
      let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start))
      if let name = String(validating: bytes, as: UTF8.self) {
        if name != ".", name != ".." { listing.names.append(name) }
      } else {
        listing.unusable.append([UInt8](bytes))
      }
    }
    return errno == 0 ? listing : nil
  }

  /// The names in a folder that are text; `nil` when it can't be listed.
  func names(in folder: String) -> [String]? { listing(of: folder)?.names }

  /// What a folder of the library holds: one that isn't there holds nothing, but one that can't be listed may hold
  /// everything.
  func checkedListing(of folder: String) throws(PhotoLibraryError) -> Listing {
    if let listing = listing(of: folder) { return listing }
    var code = errno
    guard status(folder)?.kind == .folder else { return Listing() }
    // It came between the two looks.
    if code == ENOENT {
      if let listing = listing(of: folder) { return listing }
      code = errno
    }
    throw .inputOutput(operation: "list", path: folder, reason: String(cString: strerror(code)))
  }

  /// The names of the same.
  func contents(of folder: String) throws(PhotoLibraryError) -> [String] { try checkedListing(of: folder).names }

  /// Makes a folder and those above it, durable in their parents. Nothing happens when it is there.
  func makeFolder(_ path: String) throws(PhotoLibraryError) {
    if status(path)?.kind == .folder { return }
    try check(.makeFolder, path)
    if mkdir(path, 0o777) == 0 {
      try synchronizeFolder(Self.parent(of: path))
      return
    }
    let code = errno
    switch code {
    case ENOENT where Self.parent(of: path) != path:
      try makeFolder(Self.parent(of: path))
      guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .folder(path, code: errno) }
      try synchronizeFolder(Self.parent(of: path))
    case EEXIST:
      // A symbolic link to a folder will do.
      var status = stat()
      guard stat(path, &status) == 0, Status(status).kind == .folder else { throw .folder(path, code: ENOTDIR) }
    case ENOTDIR:
      // Name what is in the way, which may be further up.
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
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.synchronize, path, code: errno) }
    defer { close(descriptor) }
    // Some file systems can't do this for a folder and say EINVAL; they have nothing to flush.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw .system(.synchronize, path, code: errno)
    }
  }

  /// Removes a file. Nothing happens when it isn't there.
  func remove(_ path: String) throws(PhotoLibraryError) {
    try check(.remove, path)
    guard unlink(path) == 0 || errno == ENOENT else { throw .system(.remove, path, code: errno) }
  }

  /// Removes a file that nobody has been told of. What can't be removed is cleared at the next start.
  func discard(_ path: String) {
    if fault?(.remove, path) == nil { unlink(path) }
  }

  /// Gives a file another name; what has that name is gone in the same instant.
  func replace(_ path: String, with file: String) throws(PhotoLibraryError) {
    try check(.rename, path)
    guard rename(file, path) == 0 else { throw .system(.rename, path, code: errno) }
  }

  /// Gives a file a second name.
  ///
  /// - Returns: `false` where the file system knows no second names.
  func link(_ path: String, to second: String) throws(PhotoLibraryError) -> Bool {
    try check(.create, second)
    if Glibc.link(path, second) == 0 { return true }
    switch errno {
    case EPERM, ENOTSUP, EOPNOTSUPP, EXDEV, EMLINK, EACCES: return false
    default: throw .system(.create, second, code: errno)
    }
  }

  /// Gives a file another name unless that is taken.
  ///
  /// - Returns: `false` when the name is taken.
  func renameNew(_ from: String, to: String) throws(PhotoLibraryError) -> Bool {
    try check(.rename, to)
    if linux_rename_new(from, to) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case EINVAL, ENOSYS, ENOTSUP: break
    default: throw .system(.rename, to, code: errno)
    }
    // The file system can't rename without replacing (NFS, old FUSE): a hard link never replaces either.
    if Glibc.link(from, to) == 0 {
      unlink(from)
      return true
    }
    if errno == EEXIST { return false }
    // No hard links either (FAT): take the name with an empty file first, which at most leaves that behind.
    let descriptor = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw .system(.rename, to, code: errno)
    }
    close(descriptor)
    guard rename(from, to) == 0 else {
      let code = errno
      unlink(to)
      throw .system(.rename, to, code: code)
    }
    return true
  }

  /// Fails when a test wants this step to fail.
  func check(_ step: Step, _ path: String) throws(PhotoLibraryError) {
    if let code = fault?(step, path) { throw .system(step, path, code: code) }
  }

  /// The folder of a path.
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

extension PhotoLibraryError {
  /// From an error number of a file operation.
  static func system(_ step: Disk.Step, _ path: String, code: Int32) -> PhotoLibraryError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: Disk.parent(of: path))
    case EROFS, EACCES, EPERM: .readOnly(path: Disk.parent(of: path))
    case ENOENT: .fileMissing(path: path)
    case ENOTDIR: .folderUnavailable(path: Disk.parent(of: path), reason: "it is not a folder")
    default: .inputOutput(operation: step.rawValue, path: path, reason: String(cString: strerror(code)))
    }
  }

  /// From an error number of making a folder.
  static func folder(_ path: String, code: Int32) -> PhotoLibraryError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: Disk.parent(of: path))
    case EROFS, EACCES, EPERM: .readOnly(path: Disk.parent(of: path))
    case ENOTDIR, EEXIST: .folderUnavailable(path: path, reason: "something that is not a folder is in its place")
    default: .folderUnavailable(path: path, reason: String(cString: strerror(code)))
    }
  }
}
