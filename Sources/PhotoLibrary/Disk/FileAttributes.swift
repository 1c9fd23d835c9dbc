// Owner, mode, extended attributes and times of a file, for the new version that replaces it.

import Foundation
import LinuxShim
import Logging

/// The attributes of a file that aren't its contents: owner, group, mode, access control list, extended attributes of
/// programs, and the times of access and modification.
///
/// A change replaces a file by a new one, which would have the attributes of new files: a private picture would be
/// readable by everybody, and one without a date of its own would be of today.
struct FileAttributes: Sendable {
  private var mode: mode_t
  private var owner: uid_t
  private var group: gid_t
  /// Of the last access and the last modification.
  private var times: (timespec, timespec)
  /// The values of extended attributes by their names, the access control list apart.
  private var extended: [String: [UInt8]] = [:]
  private var accessList: [UInt8]?
  private var isForCopy = false
  private var isForChange = false

  /// Those for other contents under the same name. On a disk that has no times of change (FAT, exFAT) the modification
  /// time isn't kept: nobody could see that the file was changed, no other computer and no backup program.
  var forChange: FileAttributes {
    var change = self
    change.isForChange = true
    return change
  }

  /// Those for a copy of the file in a library: the attributes of programs, and no more rights than the file has. Its
  /// owner is who makes the copy, and what a memory card lets everybody do says nothing.
  var forCopy: FileAttributes {
    var copy = self
    copy.isForCopy = true
    return copy
  }

  /// The mode of the new file until `apply`: only the owner may read it until it has the right one.
  var firstMode: mode_t {
    guard isForCopy else { return 0o600 }
    // Everybody else may be one of those whom the list denies something; so may the group's members be.
    let (users, groups) = (entryRights(0x02), entryRights(0x08))
    let others = mode & 0o007 & users & groups
    return (mode & 0o700 | (groupRights & users) << 3 | others | 0o600) & 0o666
  }

  /// Takes the rights of those whom the folder's list names from an empty copy, and those of the file's group from its
  /// group, if that is another one.
  func limit(_ descriptor: Int32, disk: Disk) {
    var status = stat()
    if isForCopy { _ = disk.system.fremovexattr(descriptor, Self.accessListName) }
    guard isForCopy, disk.system.fstat(descriptor, &status) == 0, status.st_gid != group else { return }
    let mode = status.st_mode & 0o777
    _ = disk.system.fchmod(descriptor, mode & (~0o070 | (mode & 0o007) << 3))
  }

  /// What all of the users, or groups, may whom the access control list names.
  private func entryRights(_ tag: UInt8) -> mode_t {
    guard let accessList else { return 7 }
    return stride(from: 4, to: accessList.count - 7, by: 8)
      .filter { accessList[$0] == tag && accessList[$0 + 1] == 0 }
      .reduce(7) { $0 & mode_t(accessList[$1 + 2]) & mode >> 3 } & 7
  }

  /// What the owning group may. Where there is an access control list, the group's digit of the mode is the list's mask:
  /// the most that anybody in the list may.
  ///
  /// Source: acl(5), “Correspondence between ACL entries and file permission bits”; the kernel's
  /// `include/uapi/linux/posix_acl_xattr.h`: a version, and entries of a tag, permissions and an id.
  private var groupRights: mode_t {
    guard let accessList else { return mode >> 3 & 7 }
    let (group, mask): (UInt8, UInt8) = (0x04, 0x10)
    func rights(_ tag: UInt8) -> mode_t? {
      stride(from: 4, to: accessList.count - 7, by: 8).first { accessList[$0] == tag && accessList[$0 + 1] == 0 }
        .map { mode_t(accessList[$0 + 2]) & 7 }
    }
    return (rights(group) ?? 0) & (rights(mask) ?? 7) & (mode >> 3)
  }

  /// Source: acl(5); the kernel's `include/uapi/linux/xattr.h`.
  private static let accessListName = "system.posix_acl_access"
  /// The attributes of programs, and NFS's access control list. Those of the kernel (`security.`, `trusted.`, `btrfs.`)
  /// are given by it.
  private static func isKept(_ name: String) -> Bool { name.hasPrefix("user.") || name == "system.nfs4_acl" }
  private static let logger = Logger(label: "photome.library.attributes")
  /// More than Linux has room for in one list, or in one value (xattr(7)).
  private static let longest = 1 << 16

  /// Reads the attributes of an open file.
  ///
  /// - Throws: The error of the disk. A file system without extended attributes is none.
  init(of file: ReadableFile, disk: Disk) throws(PhotoLibraryError) {
    var status = stat()
    guard disk.system.fstat(file.descriptor, &status) == 0 else { throw .system(.read, file.path, code: errno) }
    (mode, owner, group) = (status.st_mode & 0o7777, status.st_uid, status.st_gid)
    times = (status.st_atim, status.st_mtim)
    for name in try Self.names(file.descriptor, file.path, disk) {
      guard name == Self.accessListName || Self.isKept(name) else { continue }
      var value = [UInt8](repeating: 0, count: Self.longest)
      let count = disk.system.fgetxattr(file.descriptor, name, &value, value.count)
      // It is gone, or not for this user.
      if count < 0 {
        try Self.check(errno, .read, file.path)
        continue
      }
      value.removeSubrange(count...)
      if name == Self.accessListName { accessList = value } else { extended[name] = value }
    }
  }

  private static func names(
    _ descriptor: Int32, _ path: String, _ disk: Disk
  ) throws(PhotoLibraryError) -> [String] {
    var bytes = [CChar](repeating: 0, count: longest)
    let count = disk.system.flistxattr(descriptor, &bytes, bytes.count)
    guard count > 0 else {
      if count < 0 { try check(errno, .read, path) }
      return []
    }
    return bytes[..<count].split(separator: 0).map { name in
      String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Throws for the errors that endanger the file itself. Others mean that the file system doesn't have the attribute,
  /// or that this user mustn't set it, which is no reason to refuse a change.
  private static func check(_ code: Int32, _ step: Disk.Step, _ path: String) throws(PhotoLibraryError) {
    if [EIO, ENOSPC, EDQUOT, EROFS].contains(code) { throw .system(step, path, code: code) }
  }

  /// Sets the attributes on a file that exists already, but not its times.
  ///
  /// - Throws: As below.
  func apply(to file: ReadableFile, disk: Disk) throws(PhotoLibraryError) {
    // The file closes its descriptor with itself.
    let result = withExtendedLifetime(file) {
      Result { () throws(PhotoLibraryError) in
        try apply(to: file.descriptor, path: file.path, disk: disk, setsTimes: false)
      }
    }
    try result.get()
  }

  /// Sets the attributes on an open file. Where the owning group can't be kept, the new one gets no more rights than
  /// everybody.
  ///
  /// - Parameters:
  ///   - path: For the error.
  ///   - setsTimes: Whether the times are set as well.
  /// - Throws: The error of the disk. What the file system doesn't have, or this user mustn't set, is left out.
  func apply(
    to descriptor: Int32, path: String, disk: Disk, setsTimes: Bool = true
  ) throws(PhotoLibraryError) {
    let system = disk.system
    func isDone(_ call: () -> Int32) throws(PhotoLibraryError) -> Bool {
      let code = disk.fault?(.attributes, path) ?? (call() == 0 ? 0 : errno)
      try Self.check(code, .attributes, path)
      return code == 0
    }
    var status = stat()
    guard system.fstat(descriptor, &status) == 0 else { throw .system(.attributes, path, code: errno) }
    // Extended attributes need a writable file.
    _ = try isDone { system.fchmod(descriptor, 0o600) }
    let old = try Self.names(descriptor, path, disk)
    for name in old where Self.isKept(name) && extended[name] == nil {
      _ = try isDone { system.fremovexattr(descriptor, name) }
    }
    for (name, value) in extended.sorted(by: { $0.key < $1.key }) {
      let isSet = try isDone {
        let code = system.fsetxattr(descriptor, name, value, value.count)
        // Not the disk is full, but the room for attributes: ext4 has one block of them for each file.
        if code != 0, errno == ENOSPC { errno = E2BIG }
        return code
      }
      if !isSet { Self.logger.notice("The attribute “\(name)” of “\(path)” can’t be kept here.") }
    }
    if isForCopy {
      _ = try isDone { system.fchmod(descriptor, status.st_mode & 0o777) }
      return
    }
    // A folder may give one to every new file.
    if accessList == nil, old.contains(Self.accessListName) {
      _ = try isDone { system.fremovexattr(descriptor, Self.accessListName) }
    }
    var keepsGroup = status.st_gid == group
    var keepsOwner = status.st_uid == owner
    if !keepsOwner || !keepsGroup, try isDone({ system.fchown(descriptor, owner, group) }) {
      (keepsOwner, keepsGroup) = (true, true)
    } else if !keepsGroup {
      // Only root gives files away; a group may be another of this user's.
      keepsGroup = try isDone { system.fchown(descriptor, uid_t.max, group) }
    }
    var mode = keepsOwner && keepsGroup ? mode : mode & 0o777
    let withoutGroup = mode & ~0o070 | (mode & 0o007) << 3
    if !keepsGroup { mode = withoutGroup }
    _ = try isDone { system.fchmod(descriptor, mode) }
    if let accessList {
      // The group's bits are the list's mask, which would be the group's own rights without the list.
      var isSet = false
      if keepsGroup {
        isSet = try isDone { system.fsetxattr(descriptor, Self.accessListName, accessList, accessList.count) }
      }
      if !isSet { _ = try isDone { system.fchmod(descriptor, withoutGroup) } }
    }
    guard setsTimes else { return }
    func set(_ times: (timespec, timespec)) throws(PhotoLibraryError) {
      _ = try isDone {
        withUnsafePointer(to: times) {
          $0.withMemoryRebound(to: timespec.self, capacity: 2) { system.futimens(descriptor, $0) }
        }
      }
    }
    try set(times)
    guard isForChange, system.fstat(descriptor, &status) == 0,
      Disk.Status(status).changed == Disk.Status(status).modified
    else { return }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let step = Int(FileMark.timeStep / 1_000_000_000)
    let next = timespec(tv_sec: times.1.tv_sec + step, tv_nsec: times.1.tv_nsec)
    try set((times.0, now.tv_sec > next.tv_sec ? now : next))
  }
}
