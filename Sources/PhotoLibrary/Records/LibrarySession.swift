// A process's folder for unfinished work in a library, with a lock that shows whether the process is alive.

import Dispatch
import Foundation
import Localization
import Synchronization

/// The folder `.photome/incoming/<token>` of this process, and the locked file `<token>.lock` beside it.
///
/// The kernel releases the lock when the process ends, however it ends, also across containers, where process ids mean
/// nothing. A process that gets the lock of another token may clean up after it.
///
/// The lock file names the computer of its process. On a share or in a synchronized folder the kernel's lock doesn't
/// reach another computer, so what that one left is its own to clean up, unless it has not been seen for a week.
final class LibrarySession: Sendable {
  let folder: LibraryFolder
  let token: String
  private let disk: Disk
  /// The lock's descriptor; -1 before the first `begin`, `ended` after the end.
  private let lock = Mutex<Int32>(-1)
  private static let ended: Int32 = -2
  private let counter = Atomic<Int>(0)
  /// When the lock file was last touched, in seconds since the system's start.
  private let shown = Atomic<Int>(0)
  /// The writes in progress.
  private let work = DispatchGroup()

  /// The library's part in the creation of its folders.
  struct Preparation: Sendable {
    /// Called before anything is created; throws when nothing may be.
    var check: @Sendable () throws(PhotoLibraryError) -> Void
    /// Called when the session's folder has been created.
    var complete: @Sendable (LibrarySession) throws(PhotoLibraryError) -> Void
  }
  private let preparation = Mutex<Preparation?>(nil)

  var path: String { "\(folder.incoming)/\(token)" }
  private var lockPath: String { Self.lockPath(folder, token) }

  init(folder: LibraryFolder, disk: Disk) {
    self.folder = folder
    self.disk = disk
    token = LibraryFolder.makeToken()
  }

  deinit { end() }

  /// To be called before the first write.
  func prepare(with preparation: Preparation) { self.preparation.withLock { $0 = preparation } }

  static func lockPath(_ folder: LibraryFolder, _ token: String) -> String { "\(folder.incoming)/\(token).lock" }

  /// A number that is unique among the temporary files of this process.
  func nextNumber() -> Int { counter.add(1, ordering: .relaxed).newValue }

  /// A hidden name for a file that this process is writing.
  func temporaryName(for name: String) -> String {
    LibraryFolder.temporaryName(for: name, token: token, number: nextNumber())
  }

  /// Creates the lock and the folder unless both exist. Also repairs a library that was removed while it was open.
  ///
  /// - Throws: `changesFailed` after `end`, or the error of the disk.
  func begin() throws(PhotoLibraryError) {
    let result = lock.withLock { descriptor in
      Result { () throws(PhotoLibraryError) in try begin(&descriptor) }
    }
    try result.get()
  }

  /// Runs a write, during which the session's files must not be cleaned up; `end` waits for it.
  ///
  /// - Throws: As `begin`, or what `body` throws.
  func write<R>(_ body: () throws(PhotoLibraryError) -> R) throws(PhotoLibraryError) -> R {
    let result = lock.withLock { descriptor in
      Result { () throws(PhotoLibraryError) in
        try begin(&descriptor)
        work.enter()
      }
    }
    try result.get()
    defer { work.leave() }
    return try body()
  }

  /// The same for background work.
  ///
  /// - Returns: `nil`, with nothing done, after `end`.
  func writeUnlessEnded<R>(_ body: () throws(PhotoLibraryError) -> R) throws(PhotoLibraryError) -> R? {
    if lock.withLock({ $0 == Self.ended }) { return nil }
    do throws(PhotoLibraryError) { return try write(body) } catch {
      // It ended in between.
      if lock.withLock({ $0 == Self.ended }) { return nil }
      throw error
    }
  }

  private func begin(_ descriptor: inout Int32) throws(PhotoLibraryError) {
    // A lock that is never released would keep the next start from cleaning up.
    guard descriptor != Self.ended else { throw .changesFailed(reason: localized("the library was closed")) }
    if descriptor >= 0, isSame(descriptor, lockPath), disk.status(path)?.kind == .folder {
      showLife(descriptor)
      return
    }
    let preparation = self.preparation.withLock { $0 }
    let missing = missingFolders()
    let device = device(beside: missing)
    try preparation?.check()
    if descriptor >= 0, !isSame(descriptor, lockPath) {
      close(descriptor)
      descriptor = -1
    }
    do throws(PhotoLibraryError) { try create(&descriptor) } catch {
      if self.device(beside: missing) != device { leave(&descriptor, missing) }
      throw error
    }
    if device != nil, disk.status(path)?.device != device {
      leave(&descriptor, missing)
      try preparation?.check()
      throw .fileMissing(path: folder.path)
    }
    do throws(PhotoLibraryError) { try preparation?.complete(self) } catch {
      // Without its folder the session begins anew with the next write.
      _ = disk.system.rmdir(path)
      throw error
    }
  }

  /// Creates the session's folder, and locks its file.
  private func create(_ descriptor: inout Int32) throws(PhotoLibraryError) {
    // Between creating and locking the file, another process may take it for a dead one's and remove it.
    var attempts = 0
    while descriptor < 0 {
      try disk.makeFolder(folder.incoming)
      try disk.check(.create, lockPath)
      let opened = disk.system.open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      attempts += 1
      guard opened >= 0 else {
        if errno == ENOENT, attempts < 10 { continue }
        throw .system(.create, lockPath, code: errno)
      }
      if disk.system.flock(opened, LOCK_EX) == 0, isSame(opened, lockPath) {
        disk.writeMachine(to: opened)
        descriptor = opened
      } else {
        let code = errno
        close(opened)
        guard attempts < 10 else { throw .system(.create, lockPath, code: code) }
      }
    }
    try disk.makeFolder(path)
  }

  /// The library's folder and those above it, as far as they don't exist, the deepest first.
  private func missingFolders() -> [String] {
    var missing: [String] = []
    var next = folder.path
    while disk.status(next) == nil {
      missing.append(next)
      let parent = Disk.parent(of: next)
      guard parent != next else { break }
      next = parent
    }
    return missing
  }

  /// The number of the disk on which the library is, or where it would be created.
  private func device(beside missing: [String]) -> UInt64? {
    if let top = missing.last { return disk.status("\(Disk.parent(of: top))/.")?.device }
    return (disk.status(folder.hidden) ?? disk.status(folder.path))?.device
  }

  /// Removes what was created where the disk has gone in between: under its mount point.
  ///
  /// - Parameter missing: The folders that didn't exist before.
  private func leave(_ descriptor: inout Int32, _ missing: [String]) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    disk.discard(lockPath)
    // Under the disk, folders above the library's may be missing as well; those that aren't empty stay.
    for made in [path, folder.incoming, folder.hidden, folder.path] + missing.dropFirst() {
      _ = disk.system.rmdir(made)
    }
  }

  /// In seconds.
  private static let lifeInterval = 3600
  /// Without a sign of life for so long, in nanoseconds, a process on another computer counts as dead.
  private static let foreignGrace: Int64 = 7 * 86400 * 1_000_000_000

  /// Touches the lock file now and then, for other computers.
  private func showLife(_ descriptor: Int32) {
    let now = Int(ProcessInfo.processInfo.systemUptime)
    guard now - shown.load(ordering: .relaxed) >= Self.lifeInterval else { return }
    shown.store(now, ordering: .relaxed)
    let present = timespec(tv_sec: 0, tv_nsec: Self.presentTime)
    _ = withUnsafePointer(to: (present, present)) {
      $0.withMemoryRebound(to: timespec.self, capacity: 2) { disk.system.futimens(descriptor, $0) }
    }
  }

  /// `UTIME_NOW` of utimensat(2), a macro.
  private static let presentTime = (1 << 30) - 1

  /// Waits for writes in progress, then removes the folder and the lock if the folder is empty; otherwise the next
  /// start does. Nothing can be written under this session anymore.
  func end() {
    let descriptor = lock.withLock { descriptor in
      defer { descriptor = Self.ended }
      return descriptor
    }
    work.wait()
    guard descriptor >= 0 else { return }
    if disk.removeEmptyFolder(path) { disk.discard(lockPath) }
    disk.unlock(descriptor)
  }

  /// Whether the descriptor's file is the one that has this path now.
  private func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (mine, named) = (stat(), stat())
    guard disk.system.fstat(descriptor, &mine) == 0, disk.system.lstat(path, &named) == 0 else { return false }
    return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
  }

  /// Locks another session if its process is dead.
  ///
  /// - Returns: A descriptor that holds the lock, to be unlocked by the caller; `nil` while the process is, or may be,
  ///   alive.
  static func seize(_ folder: LibraryFolder, _ token: String, disk: Disk) -> Int32? {
    let descriptor = disk.system.open(lockPath(folder, token), O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return nil }
    guard disk.system.flock(descriptor, LOCK_EX | LOCK_NB) == 0, !isForeign(descriptor, disk: disk) else {
      disk.unlock(descriptor)
      return nil
    }
    return descriptor
  }

  /// Whether the process with this token is alive, or may be on another computer.
  static func isAlive(_ folder: LibraryFolder, _ token: String, disk: Disk) -> Bool {
    let descriptor = disk.system.open(lockPath(folder, token), O_RDWR | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { disk.unlock(descriptor) }
    return disk.system.flock(descriptor, LOCK_EX | LOCK_NB) != 0 || isForeign(descriptor, disk: disk)
  }

  /// Whether a lock file belongs to another computer that was there in the last week.
  private static func isForeign(_ descriptor: Int32, disk: Disk) -> Bool {
    guard let owner = disk.machine(in: descriptor), !owner.isSame(as: disk.machine) else { return false }
    var status = stat()
    guard disk.system.fstat(descriptor, &status) == 0 else { return true }
    return !Disk.Status(status).isOlder(than: foreignGrace)
  }
}
