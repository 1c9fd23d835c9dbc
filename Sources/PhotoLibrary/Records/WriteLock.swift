// The lock that serializes changes of records between processes.

import Foundation

/// The lock of a library, held while records are read, changed and written. New pictures need no lock.
struct WriteLock: ~Copyable {
  private let descriptor: Int32

  /// Waits until the lock is free.
  ///
  /// - Throws: The error of the disk, when the lock file can't be created or locked.
  init(_ folder: LibraryFolder, disk: Disk) throws(PhotoLibraryError) {
    try disk.makeFolder(folder.hidden)
    try disk.check(.create, folder.lock)
    let opened = disk.system.open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard opened >= 0 else { throw .system(.create, folder.lock, code: errno) }
    while disk.system.flock(opened, LOCK_EX) != 0 {
      let code = errno
      if code == EINTR { continue }
      close(opened)
      throw .system(.create, folder.lock, code: code)
    }
    descriptor = opened
  }

  /// Extends the lock's lifetime up to the call.
  borrowing func keep() {}

  deinit { close(descriptor) }
}

extension WriteLock {
  /// Runs `body` while no other process changes records.
  ///
  /// - Returns: `nil`, with nothing done, where the lock can't be acquired, as in a read-only folder.
  static func holding<R>(
    _ folder: LibraryFolder, disk: Disk, _ body: () throws(PhotoLibraryError) -> R
  ) -> Result<R, PhotoLibraryError>? {
    do throws(PhotoLibraryError) {
      let lock = try WriteLock(folder, disk: disk)
      let result = Result { () throws(PhotoLibraryError) in try body() }
      lock.keep()
      return result
    } catch {
      return nil
    }
  }
}
