// The kernel's file systems without symbolic links below given folders.

import Foundation
import LinuxShim

/// System calls that can't be led out of a library by a symbolic link in it.
///
/// A path at a root or outside of all of them is resolved as usual. The rest of a path below a root is resolved with
/// `openat2` and `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`, or folder by folder with `O_NOFOLLOW` where the kernel or a
/// sandbox doesn't have that call; then the call is made on the last name in the folder that was opened. Nothing can
/// replace a part of the path by a link in between. `lstat` and `stat` change nothing and reveal little, and are made
/// for each file of a scan: they resolve paths as usual.
///
/// Sources: openat2(2), path_resolution(7).
struct ConfinedFileSystem: FileSystem {
  /// Absolute, the longest first.
  private let roots: [String]
  private let usesOpenat2: Bool

  /// - Parameters:
  ///   - roots: Absolute paths without a trailing slash. They themselves may be reached through symbolic links.
  ///   - usesOpenat2: `false` takes the way of old kernels.
  init(roots: [String], usesOpenat2: Bool = true) {
    self.roots = roots.filter { $0.isAbsolutePath && $0 != "/" }.sorted { $0.utf8.count > $1.utf8.count }
    self.usesOpenat2 = usesOpenat2
  }

  func confined(to roots: [String]) -> any FileSystem {
    ConfinedFileSystem(roots: self.roots + roots, usesOpenat2: usesOpenat2)
  }

  func clone(_ target: Int32, _ source: Int32) -> Int32 { linux_clone_file(target, source) }
  func copyRange(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int {
    linux_copy_range(target, source, &offset, count)
  }

  // MARK: Calls

  func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    guard let (root, rest) = split(path) else { return Glibc.open(path, flags, mode) }
    return closing(openRoot(root)) { openBeneath($0, rest, flags, mode) }
  }

  func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return nil }
    guard let stream = fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    return stream
  }

  func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 {
    inParent(path) { mkdirat($0, $1, mode) }
  }

  func rmdir(_ path: UnsafePointer<CChar>) -> Int32 { inParent(path) { unlinkat($0, $1, AT_REMOVEDIR) } }

  func unlink(_ path: UnsafePointer<CChar>) -> Int32 { inParent(path) { unlinkat($0, $1, 0) } }

  func rename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
    inParent(from) { source, old in inParent(to) { target, new in renameat(source, old, target, new) } }
  }

  func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
    inParent(from) { source, old in inParent(to) { target, new in linux_rename_new(source, old, target, new) } }
  }

  func link(_ path: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 {
    inParent(path) { source, old in inParent(second) { target, new in linkat(source, old, target, new, 0) } }
  }

  // MARK: Paths

  /// The root of a path, and the rest of the path; `nil` for a path at a root or outside of all.
  private func split(_ path: UnsafePointer<CChar>) -> (root: String, rest: UnsafePointer<CChar>)? {
    for root in roots {
      let count = root.utf8.count
      if strncmp(path, root, count) == 0, path[count] == CChar(bitPattern: UInt8(ascii: "/")), path[count + 1] != 0 {
        return (root, path + count + 1)
      }
    }
    return nil
  }

  /// Calls `body` with the folder of a path and the name in it.
  private func inParent(
    _ path: UnsafePointer<CChar>, _ body: (_ folder: Int32, _ name: UnsafePointer<CChar>) -> Int32
  ) -> Int32 {
    guard let (root, rest) = split(path) else { return body(AT_FDCWD, path) }
    guard let slash = strrchr(rest, Int32(UInt8(ascii: "/"))) else { return closing(openRoot(root)) { body($0, rest) } }
    let name = UnsafePointer<CChar>(slash) + 1
    let above: [CChar] = Array(UnsafeBufferPointer(start: rest, count: name - rest - 1)) + [0]
    let folder = closing(openRoot(root)) { openBeneath($0, above, linux_o_path | O_DIRECTORY | O_CLOEXEC, 0) }
    return closing(folder) { body($0, name) }
  }

  private func openRoot(_ root: String) -> Int32 { Glibc.open(root, linux_o_path | O_DIRECTORY | O_CLOEXEC) }

  /// Closes the descriptor after `body`, whose `errno` stays. A negative one is the result.
  private func closing(_ descriptor: Int32, _ body: (Int32) -> Int32) -> Int32 {
    guard descriptor >= 0 else { return -1 }
    let result = body(descriptor)
    let code = errno
    close(descriptor)
    errno = code
    return result
  }

  private func openBeneath(_ root: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    if usesOpenat2 {
      let opened = linux_open_beneath(root, path, flags | O_NOFOLLOW, mode)
      // Sandboxes answer calls that they don't know with EPERM; where it is the file's answer, it comes again.
      if opened >= 0 || (errno != ENOSYS && errno != EPERM) { return opened }
    }
    // By bytes: a character may be a slash with an accent.
    let names = String(cString: path).utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
    return openStepwise(root, names[...], flags, mode)
  }

  /// The same as `openat2`, one folder after the other.
  private func openStepwise(_ folder: Int32, _ names: ArraySlice<String>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    guard let name = names.first, name != ".." else {
      errno = EXDEV
      return -1
    }
    guard names.count > 1 else { return resolved(openat(folder, name, flags | O_NOFOLLOW, mode), name, in: folder) }
    let next = openat(folder, name, linux_o_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return closing(resolved(next, name, in: folder)) { openStepwise($0, names.dropFirst(), flags, mode) }
  }

  /// Sets `errno` as `openat2` does: a folder is missing where a symbolic link is, for `O_DIRECTORY`.
  private func resolved(_ descriptor: Int32, _ name: String, in folder: Int32) -> Int32 {
    guard descriptor < 0, errno == ENOTDIR else { return descriptor }
    var status = Glibc.stat()
    let isLink = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
    errno = isLink ? ELOOP : ENOTDIR
    return -1
  }
}
