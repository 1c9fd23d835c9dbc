// The lock that serializes changes of records between processes.

import Foundation
import Localization

/// The lock of a library, held while records are read, changed and written. New pictures need no lock.
///
/// Whoever takes it first finishes the changes that other processes have left unfinished, as SQLite does with a hot
/// journal: later they would be carried out over newer state.
///
/// Nobody waits for more than one change of another program, however many that one makes in a row. The kernel gives a
/// lock that becomes free to whoever asks first, and that is mostly the program that has just released it; so whoever
/// wants it locks the folder of the lock first, and keeps that until it has the lock itself; if it is stopped then, the
/// others pass it over. Where folders can't be locked, as on NFS, the order stays the kernel's.
///
/// While it is held, its file names the computer. On file systems where a lock of the kernel doesn't reach other
/// computers, a change is refused while another one is making its own.
struct WriteLock: ~Copyable {
  private let descriptor: Int32
  private let disk: Disk
  /// The unfinished changes that were finished when it was taken. The index doesn't know them yet.
  let finished: [FinishedJournal]

  /// In nanoseconds: for so long, a lock that another computer has not released counts.
  private static let foreignGrace: Int64 = 600 * 1_000_000_000
  /// How often, and in microseconds how far apart, is asked whether it is free.
  private static let (questions, pause): (Int, UInt32) = (20, 2_000)

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - runner: For unfinished changes.
  ///   - waits: Whether to wait until the lock is free.
  /// - Throws: `unfinishedChange` when there is one that can't be finished, or while another computer makes a change,
  ///   `changesFailed` while another program has the lock and this doesn't wait, or the error of the disk, when the lock
  ///   file can't be created or locked.
  init(_ runner: JournalRunner, waits: Bool = true) throws(PhotoLibraryError) {
    let (folder, disk) = (runner.folder, runner.disk)
    let opened = try Self.lock(folder, disk: disk, waits: waits)
    do throws(PhotoLibraryError) {
      try Self.check(opened, disk: disk)
      disk.writeMachine(to: opened)
      do throws(PhotoLibraryError) { finished = try HotJournals(runner).finish() } catch {
        _ = disk.system.ftruncate(opened, 0)
        throw error
      }
    } catch {
      disk.unlock(opened)
      throw error
    }
    (descriptor, self.disk) = (opened, disk)
  }

  private static func lock(_ folder: LibraryFolder, disk: Disk, waits: Bool) throws(PhotoLibraryError) -> Int32 {
    try disk.makeFolder(folder.hidden)
    try disk.check(.create, folder.lock)
    let opened = disk.system.open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard opened >= 0 else { throw .system(.create, folder.lock, code: errno) }
    // Its contents are replaced, and must not be those of another file of the user's.
    var status = stat()
    guard disk.system.fstat(opened, &status) == 0, Disk.Status(status).kind == .file, status.st_nlink <= 1 else {
      close(opened)
      throw .unusableFile(path: folder.lock, reason: localized("it isn’t a file of its own; remove it and try again"))
    }
    guard waits else {
      // Others who only ask whether it is free have it for an instant: see `ChangeProgress`.
      var (code, left) = (EWOULDBLOCK, Self.questions)
      while code == EWOULDBLOCK, left > 0 {
        if disk.system.flock(opened, LOCK_EX | LOCK_NB) == 0 { return opened }
        (code, left) = (errno, left - 1)
        if code == EWOULDBLOCK { usleep(Self.pause) }
      }
      close(opened)
      guard code == EWOULDBLOCK else { throw .system(.create, folder.lock, code: code) }
      throw .changesFailed(reason: localized("another app is changing the library; try again when it’s done"))
    }
    let turn = disk.system.open(folder.hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    defer { if turn >= 0 { disk.unlock(turn) } }
    if turn >= 0, takeTurn(turn, or: opened, disk: disk) { return opened }
    if let code = wait(opened, disk: disk) {
      close(opened)
      throw .system(.create, folder.lock, code: code)
    }
    return opened
  }

  /// In microseconds: the time between two looks at whose turn it is, and the number of them after which somebody who
  /// has the turn and doesn't take the lock, though it is free, is passed over: a stopped program.
  private static let interval: UInt32 = 5_000
  private static let patience = 100

  /// Waits for the turn, or for the lock itself.
  ///
  /// - Returns: Whether it has the lock.
  private static func takeTurn(_ turn: Int32, or lock: Int32, disk: Disk) -> Bool {
    var looks = 0
    while disk.system.flock(turn, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { return false }
      if looks >= patience, disk.system.flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
      looks += 1
      usleep(interval)
    }
    return false
  }

  /// - Returns: The code of the error, if it can't be locked.
  private static func wait(_ descriptor: Int32, disk: Disk) -> Int32? {
    while disk.system.flock(descriptor, LOCK_EX) != 0 { if errno != EINTR { return errno } }
    return nil
  }

  /// Refuses while another computer holds the lock in its own way.
  private static func check(_ descriptor: Int32, disk: Disk) throws(PhotoLibraryError) {
    guard let holder = disk.machine(in: descriptor), !holder.isSame(as: disk.machine) else { return }
    var status = stat()
    guard disk.system.fstat(descriptor, &status) == 0, Disk.Status(status).isOlder(than: foreignGrace) else {
      throw .unfinishedChange(
        reason: holder.shownName.map {
          localized(
            """
            the computer “\($0)” is changing the library, or was interrupted while changing it in the last ten minutes
            """)
        }
          ?? localized(
            """
            another computer is changing the library, or was interrupted while changing it in the last ten minutes
            """))
    }
  }

  /// Extends the lock's lifetime up to the call.
  borrowing func keep() {}

  deinit {
    _ = disk.system.ftruncate(descriptor, 0)
    disk.unlock(descriptor)
  }
}

extension WriteLock {
  /// Runs `body` while no other process changes records.
  ///
  /// - Parameter take: Takes the lock.
  /// - Returns: `nil`, with nothing done, where the lock can't be acquired, as in a read-only folder.
  static func holding<R>(
    _ take: () throws(PhotoLibraryError) -> WriteLock, _ body: () throws(PhotoLibraryError) -> R
  ) -> Result<R, PhotoLibraryError>? {
    do throws(PhotoLibraryError) {
      let lock = try take()
      let result = Result { () throws(PhotoLibraryError) in try body() }
      lock.keep()
      return result
    } catch {
      return nil
    }
  }
}
