// One process's place in a library for shots that are not finished, with a lock that tells the living from the dead.

import Dispatch
import Foundation
import Synchronization

/// The folder `.photome/incoming/<token>` of this process, and the locked file `<token>.lock` beside it.
///
/// The kernel drops the lock when the process ends, however it ends, also across containers, where process ids mean
/// nothing. Whoever gets the lock of a token may clear up after it.
final class LibrarySession: Sendable {
  let folder: LibraryFolder
  let token: String
  private let disk: Disk
  /// The lock's descriptor; -1 before the first `begin`, `ended` after the end.
  private let lock = Mutex<Int32>(-1)
  private static let ended: Int32 = -2
  private let counter = Atomic<Int>(0)
  /// What is writing under this session now.
  private let work = DispatchGroup()

  var path: String { "\(folder.incoming)/\(token)" }
  private var lockPath: String { Self.lockPath(folder, token) }

  init(folder: LibraryFolder, disk: Disk) {
    self.folder = folder
    self.disk = disk
    token = LibraryFolder.makeToken()
  }

  deinit { end() }

  static func lockPath(_ folder: LibraryFolder, _ token: String) -> String { "\(folder.incoming)/\(token).lock" }

  /// A number that no other temporary file of this process has.
  func nextNumber() -> Int { counter.add(1, ordering: .relaxed).newValue }

  /// A hidden name for a file that this process is writing.
  func temporaryName(for name: String) -> String {
    LibraryFolder.temporaryName(for: name, token: token, number: nextNumber())
  }

  /// Makes the lock and the folder unless both are there. Also heals a library that was removed while it was open.
  func begin() throws(PhotoLibraryError) {
    let result = lock.withLock { descriptor in
      Result { () throws(PhotoLibraryError) in try begin(&descriptor) }
    }
    try result.get()
  }

  /// Runs what writes files of this session, which must not be cleared up under it; `end` waits for it.
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

  /// The same for work that nobody asked for.
  ///
  /// - Returns: `nil`, with nothing done, after `end`.
  func writeUnlessEnded<R>(_ body: () throws(PhotoLibraryError) -> R) throws(PhotoLibraryError) -> R? {
    if lock.withLock({ $0 == Self.ended }) { return nil }
    do throws(PhotoLibraryError) { return try write(body) } catch {
      // It has ended in between.
      if lock.withLock({ $0 == Self.ended }) { return nil }
      throw error
    }
  }

  private func begin(_ descriptor: inout Int32) throws(PhotoLibraryError) {
    // A lock that nobody gives back would keep the next start from clearing up.
    guard descriptor != Self.ended else { throw .changesFailed(reason: "the library has been closed") }
    if descriptor >= 0, Self.isSame(descriptor, lockPath), disk.status(path)?.kind == .folder { return }
    if descriptor >= 0, !Self.isSame(descriptor, lockPath) {
      close(descriptor)
      descriptor = -1
    }
    // Between making the file and locking it, another process may take it for a dead one's and remove it.
    var attempts = 0
    while descriptor < 0 {
      try disk.makeFolder(folder.incoming)
      try disk.check(.create, lockPath)
      let opened = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      attempts += 1
      guard opened >= 0 else {
        if errno == ENOENT, attempts < 10 { continue }
        throw .system(.create, lockPath, code: errno)
      }
      if flock(opened, LOCK_EX) == 0, Self.isSame(opened, lockPath) {
        descriptor = opened
      } else {
        let code = errno
        close(opened)
        guard attempts < 10 else { throw .system(.create, lockPath, code: code) }
      }
    }
    try disk.makeFolder(path)
  }

  /// Waits for what is writing, and removes the folder and the lock when nothing is left in it; else leaves them to the
  /// next start. Nothing can be written under this session any more.
  func end() {
    let descriptor = lock.withLock { descriptor in
      defer { descriptor = Self.ended }
      return descriptor
    }
    work.wait()
    guard descriptor >= 0 else { return }
    if rmdir(path) == 0 || errno == ENOENT { unlink(lockPath) }
    close(descriptor)
  }

  /// Whether the descriptor's file is the one that has this name now.
  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (mine, named) = (stat(), stat())
    guard fstat(descriptor, &mine) == 0, lstat(path, &named) == 0 else { return false }
    return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
  }

  /// Takes the lock of another session if its process is dead.
  ///
  /// - Returns: A descriptor that holds the lock, to be closed by the caller; `nil` while the process lives.
  static func seize(_ folder: LibraryFolder, _ token: String) -> Int32? {
    let descriptor = open(lockPath(folder, token), O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Whether the process with this token still runs.
  static func isAlive(_ folder: LibraryFolder, _ token: String) -> Bool {
    let descriptor = open(lockPath(folder, token), O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }
}
