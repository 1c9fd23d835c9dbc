// A file system of another kind, whose files lie in a folder of an ordinary one.

import Foundation
import PhotoLibrary
import Synchronization

/// Keeps its files in a folder, and answers for them as a file system of the given kind would.
///
///     let stick = SimulatedFileSystem(.vfat, at: "/tmp/stick")
///     let library = try await PhotoLibrary.open(at: pictures, index: index, on: stick)
///
/// A second instance with another `mount` is the same disk after it was unmounted and mounted again. Everything outside
/// of the folder is the kernel's. Unless it is the only one, the instance has no state but its faults: several, also in
/// several processes, can show the same folder at once.
package final class SimulatedFileSystem: FileSystem {
  package let kind: FileSystemKind
  /// The mount point: absolute, without symbolic links.
  package let root: String
  /// Device and inode numbers differ from one mount to the next where the kind has no lasting ones.
  package let mount: UInt64
  package let faults: CallFaults
  let kernel = KernelFileSystem()
  /// The numbers given since this mount, by the kernel's; `nil` computes them instead.
  private let given: Mutex<[ino_t: ino_t]>?

  /// - Parameter isOnly: Whether no other instance shows the folder during this mount. Inode numbers that don't last are
  ///   then given in the order in which files are met, as by exfat-fuse: after the next mount another file has the
  ///   number. Otherwise they are computed, and no two files ever have the same.
  package init(
    _ kind: FileSystemKind, at root: String, mount: UInt64 = 1, isOnly: Bool = false, faults: CallFaults = CallFaults()
  ) {
    (self.kind, self.root, self.mount, self.faults) = (kind, root, mount, faults)
    given = isOnly ? Mutex([:]) : nil
  }

  /// The number of a file in this mount; `nil` when it is to be computed.
  func given(to number: ino_t) -> ino_t? {
    given?.withLock { numbers in
      if let known = numbers[number] { return known }
      let next = ino_t(numbers.count + 2)
      numbers[number] = next
      return next
    }
  }

  /// Fails with an `errno`.
  private func fail(_ code: Int32) -> Int32 {
    errno = code
    return -1
  }

  private func text(_ path: UnsafePointer<CChar>) -> String { String(cString: path) }

  /// Carries out a call unless it is to fail.
  private func perform(_ counted: CallFaults.Counted, _ call: String, _ path: String, _ body: () -> Int32) -> Int32 {
    switch faults.next([counted], call, path) {
    case .proceed, .half: body()
    case .fail(let code): fail(code)
    }
  }

  // MARK: Opening

  package func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    let path = text(path)
    let creates = flags & O_CREAT != 0
    return perform(creates ? .changes : .reads, creates ? "create" : "open", path) {
      let place = place(path)
      if creates, !place.exists, let code = refusal(of: path) { return fail(code) }
      return kernel.open(place.path, flags, mode)
    }
  }

  package func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? {
    let path = text(path)
    guard case .fail(let code) = faults.next([.reads], "list", path) else { return kernel.opendir(place(path).path) }
    errno = code
    return nil
  }

  // MARK: Status

  package func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
    look(text(path), &status) { kernel.lstat($0, &$1) }
  }

  package func stat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
    look(text(path), &status) { kernel.stat($0, &$1) }
  }

  private func look(
    _ path: String, _ status: inout Glibc.stat, _ call: (String, inout Glibc.stat) -> Int32
  ) -> Int32 {
    if case .fail(let code) = faults.next([.reads], "look at", path) { return fail(code) }
    let place = place(path)
    guard call(place.path, &status) == 0 else { return -1 }
    if isInside(path) { adapt(&status, path: place.path) }
    return 0
  }

  package func fstat(_ descriptor: Int32, _ status: inout Glibc.stat) -> Int32 {
    guard kernel.fstat(descriptor, &status) == 0 else { return -1 }
    if let path = path(of: descriptor) { adapt(&status, path: path) }
    return 0
  }

  // MARK: Names

  package func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 {
    let path = text(path)
    return perform(.changes, "make", path) {
      let place = place(path)
      if !place.exists, let code = refusal(of: path) { return fail(code) }
      return kernel.mkdir(place.path, mode)
    }
  }

  package func rmdir(_ path: UnsafePointer<CChar>) -> Int32 {
    let path = text(path)
    return perform(.changes, "remove", path) { kernel.rmdir(place(path).path) }
  }

  package func unlink(_ path: UnsafePointer<CChar>) -> Int32 {
    let path = text(path)
    return perform(.changes, "remove", path) { kernel.unlink(place(path).path) }
  }

  package func rename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
    rename(text(from), text(to), replaces: true)
  }

  package func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
    rename(text(from), text(to), replaces: false)
  }

  private func rename(_ from: String, _ to: String, replaces: Bool) -> Int32 {
    perform(.changes, "rename", to) {
      guard isInside(from) == isInside(to) else { return fail(EXDEV) }
      let (source, target) = (place(from), place(to))
      guard source.exists else { return fail(ENOENT) }
      if !target.exists, let code = refusal(of: to) { return fail(code) }
      if !replaces {
        // The kernel looks the new name up before it asks the driver.
        if target.exists { return fail(EEXIST) }
        if isInside(to), !kind.hasRenameNew { return fail(EINVAL) }
        return kernel.renameNew(source.path, target.path)
      }
      // To the same name in another case: the new spelling counts.
      return kernel.rename(source.path, source.path == target.path ? target.asGiven : target.path)
    }
  }

  package func link(_ path: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 {
    let (path, second) = (text(path), text(second))
    return perform(.changes, "link", second) {
      guard isInside(path) == isInside(second) else { return fail(EXDEV) }
      if isInside(second), let code = kind.linkError { return fail(code) }
      return kernel.link(place(path).path, place(second).path)
    }
  }

  // MARK: Contents

  package func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
    if let code = kind.lockError, path(of: descriptor) != nil { return fail(code) }
    return kernel.flock(descriptor, operation)
  }

  package func fsync(_ descriptor: Int32) -> Int32 {
    perform(.changes, "flush", path(of: descriptor) ?? "") {
      var status = Glibc.stat()
      if let code = kind.folderFlushError, path(of: descriptor) != nil, kernel.fstat(descriptor, &status) == 0,
        status.st_mode & S_IFMT == S_IFDIR
      {
        return fail(code)
      }
      return kernel.fsync(descriptor)
    }
  }

  package func pread(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
    guard case .fail(let code) = faults.next([.reads], "read", path(of: descriptor) ?? "") else {
      return kernel.pread(descriptor, buffer, count, offset)
    }
    return Int(fail(code))
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    written(to: descriptor, count) { kernel.write(descriptor, bytes, $0) }
  }

  package func sendfile(_ target: Int32, _ source: Int32, _ offset: inout off_t, _ count: Int) -> Int {
    written(to: target, count) { kernel.sendfile(target, source, &offset, $0) }
  }

  private func written(to descriptor: Int32, _ count: Int, _ body: (Int) -> Int) -> Int {
    switch faults.next([.changes, .writes], "write", path(of: descriptor) ?? "") {
    case .proceed: return body(count)
    case .fail(let code): return Int(fail(code))
    case .half(let code):
      let done = body(max(1, count / 2))
      return code.map { Int(fail($0)) } ?? done
    }
  }

  package func futimens(_ descriptor: Int32, _ times: UnsafePointer<timespec>) -> Int32 {
    perform(.changes, "date", path(of: descriptor) ?? "") { kernel.futimens(descriptor, times) }
  }

  package func ftruncate(_ descriptor: Int32, _ length: off_t) -> Int32 {
    perform(.changes, "cut", path(of: descriptor) ?? "") { kernel.ftruncate(descriptor, length) }
  }

  package func keepsNumbers(_ path: UnsafePointer<CChar>) -> Bool {
    isInside(text(path)) ? kind.numbers == .always : kernel.keepsNumbers(path)
  }

  package func mountPoints() -> Set<String> { kernel.mountPoints().union([root]) }
}
