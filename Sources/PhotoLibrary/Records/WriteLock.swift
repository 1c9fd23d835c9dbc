// Keeps two processes from changing the same records at the same time.

import Foundation

/// The lock of one library's folder, held while records are read, changed and written. New pictures need no lock.
struct WriteLock: ~Copyable {
  private let descriptor: Int32

  /// Waits for whoever holds it.
  init(_ folder: LibraryFolder, disk: Disk) throws(PhotoLibraryError) {
    try disk.makeFolder(folder.hidden)
    try disk.check(.create, folder.lock)
    let opened = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard opened >= 0 else { throw .system(.create, folder.lock, code: errno) }
    while flock(opened, LOCK_EX) != 0 {
      let code = errno
      if code == EINTR { continue }
      close(opened)
      throw .system(.create, folder.lock, code: code)
    }
    descriptor = opened
  }

  /// Says that the lock is meant to be held up to here.
  borrowing func keep() {}

  deinit { close(descriptor) }
}

extension WriteLock {
  /// Does something while nobody else changes records.
  ///
  /// - Returns: `nil`, with nothing done, where the lock can't be had, as in a folder that can't be written.
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
