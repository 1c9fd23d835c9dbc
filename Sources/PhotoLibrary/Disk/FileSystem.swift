// The system calls that reach a library's files, which a simulated file system can take the place of.

import Foundation
import LinuxShim

/// The system calls for paths and for descriptors of files in a library.
///
/// Each is the call of its name: it returns -1 and sets `errno` on failure. The default implementations are the
/// kernel's; what else conforms behaves as another file system would, for tests. Everything in this module that reads or
/// writes files of a library calls these and nothing else. `close`, `readdir` and `closedir` are the kernel's: they can
/// do nothing that matters here.
package protocol FileSystem: Sendable {
  func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32
  func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer?

  func lstat(_ path: UnsafePointer<CChar>, _ status: inout stat) -> Int32
  func stat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32
  func fstat(_ descriptor: Int32, _ status: inout Glibc.stat) -> Int32

  func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32
  func rmdir(_ path: UnsafePointer<CChar>) -> Int32
  func unlink(_ path: UnsafePointer<CChar>) -> Int32
  func rename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32
  /// `renameat2` with `RENAME_NOREPLACE`.
  func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32
  func link(_ path: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32

  func flock(_ descriptor: Int32, _ operation: Int32) -> Int32
  func fsync(_ descriptor: Int32) -> Int32
  func ftruncate(_ descriptor: Int32, _ length: off_t) -> Int32
  func pread(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int
  func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int
  func sendfile(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int
  func futimens(_ descriptor: Int32, _ times: UnsafePointer<timespec>) -> Int32

  /// The magic number of a path's file system, as `statfs` lists them.
  func fileSystemType(_ path: UnsafePointer<CChar>) -> Int
  /// Whether files keep their inode numbers, also through renames and mounts.
  func keepsNumbers(_ path: UnsafePointer<CChar>) -> Bool
  func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32
  func fchown(_ descriptor: Int32, _ owner: uid_t, _ group: gid_t) -> Int32
  func flistxattr(_ descriptor: Int32, _ names: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int
  func fgetxattr(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int
  func fsetxattr(_ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int) -> Int32
  func fremovexattr(_ descriptor: Int32, _ name: UnsafePointer<CChar>) -> Int32

  /// `ioctl` with `FICLONE`. Without an implementation, the file system can't.
  func clone(_ target: Int32, _ source: Int32) -> Int32
  /// `copy_file_range`. Without an implementation, the file system can't.
  func copyRange(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int

  /// The paths of all mount points: no file can be renamed across them.
  func mountPoints() -> Set<String>

  /// The same, except that no symbolic link below these folders is followed.
  ///
  /// - Parameter roots: Absolute paths without a trailing slash.
  func confined(to roots: [String]) -> any FileSystem
}

extension FileSystem {
  package func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    Glibc.open(path, flags, mode)
  }
  package func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? { Glibc.opendir(path) }

  package func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 { Glibc.lstat(path, &status) }
  package func stat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 { kernelStat(path, &status) }
  package func fstat(_ descriptor: Int32, _ status: inout Glibc.stat) -> Int32 { Glibc.fstat(descriptor, &status) }

  package func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 { Glibc.mkdir(path, mode) }
  package func rmdir(_ path: UnsafePointer<CChar>) -> Int32 { Glibc.rmdir(path) }
  package func unlink(_ path: UnsafePointer<CChar>) -> Int32 { Glibc.unlink(path) }
  package func rename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { Glibc.rename(from, to) }
  package func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
    linux_rename_new(AT_FDCWD, from, AT_FDCWD, to)
  }
  package func link(_ path: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 { Glibc.link(path, second) }

  package func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { kernelLock(descriptor, operation) }
  package func fsync(_ descriptor: Int32) -> Int32 { Glibc.fsync(descriptor) }
  package func ftruncate(_ descriptor: Int32, _ length: off_t) -> Int32 { Glibc.ftruncate(descriptor, length) }
  package func pread(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
    Glibc.pread(descriptor, buffer, count, offset)
  }
  package func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    Glibc.write(descriptor, bytes, count)
  }
  package func sendfile(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int {
    Glibc.sendfile(target, source, &offset, count)
  }
  package func futimens(_ descriptor: Int32, _ times: UnsafePointer<timespec>) -> Int32 {
    Glibc.futimens(descriptor, times)
  }

  package func fileSystemType(_ path: UnsafePointer<CChar>) -> Int { linux_file_system_type(path) }
  package func keepsNumbers(_ path: UnsafePointer<CChar>) -> Bool {
    LastingNumbers.magic.contains(fileSystemType(path))
  }
  package func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { Glibc.fchmod(descriptor, mode) }
  package func fchown(_ descriptor: Int32, _ owner: uid_t, _ group: gid_t) -> Int32 {
    Glibc.fchown(descriptor, owner, group)
  }
  package func flistxattr(_ descriptor: Int32, _ names: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    LinuxShim.flistxattr(descriptor, names, count)
  }
  package func fgetxattr(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int { LinuxShim.fgetxattr(descriptor, name, value, count) }
  package func fsetxattr(
    _ descriptor: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int
  ) -> Int32 { LinuxShim.fsetxattr(descriptor, name, value, count, 0) }
  package func fremovexattr(_ descriptor: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
    LinuxShim.fremovexattr(descriptor, name)
  }

  package func clone(_ target: Int32, _ source: Int32) -> Int32 {
    errno = EOPNOTSUPP
    return -1
  }
  package func copyRange(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int {
    errno = EOPNOTSUPP
    return -1
  }

  package func mountPoints() -> Set<String> {
    // See proc(5).
    guard let table = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return [] }
    return Volumes.mountPoints(table: table)
  }

  // A simulated file system resolves its names itself.
  package func confined(to roots: [String]) -> any FileSystem { self }
}

/// The kernel's own file systems.
package struct KernelFileSystem: FileSystem {
  package init() {}

  package func clone(_ target: Int32, _ source: Int32) -> Int32 { linux_clone_file(target, source) }
  package func copyRange(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int {
    linux_copy_range(target, source, &offset, count)
  }

  package func confined(to roots: [String]) -> any FileSystem { ConfinedFileSystem(roots: roots) }
}

// `Glibc.stat` and `Glibc.flock` name the structures; the methods above hide the functions.

private func kernelStat(_ path: UnsafePointer<CChar>, _ status: inout stat) -> Int32 { stat(path, &status) }

private func kernelLock(_ descriptor: Int32, _ operation: Int32) -> Int32 { flock(descriptor, operation) }
