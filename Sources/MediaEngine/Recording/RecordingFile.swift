// The file of a movie that is being recorded: hidden until it is finished, and locked while its program lives.

import CameraCore
import Foundation
import LinuxShim
import Localization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file of one recording.
///
/// While it is recorded its name begins with a dot, so that no library and no file manager shows half a movie, and it is
/// locked. A file that nobody has locked belonged to a program that was killed; see `UnfinishedMovies`.
final class RecordingFile: Sendable {
  /// The ending of hidden names.
  static let ending = ".mp4.recording"

  /// The path of the hidden file.
  let path: String
  private let folder: URL
  /// The name without its ending, `VID_20261121_073200_000`.
  private let stem: String
  private let descriptor: Int32

  /// Creates the file, and the folder if it is missing.
  ///
  /// - Parameter date: When the recording begins, for the name.
  /// - Throws: `CameraError.recordingFailed`.
  init(folder: URL, date: Date) throws(CameraError) {
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw .recordingFailed(message: localized("the folder “\(folder.path)” can’t be created"))
    }
    self.folder = folder
    let name = Self.stem(of: date)
    var attempt = 1
    while true {
      let stem = attempt == 1 ? name : "\(name)_\(attempt)"
      let path = folder.appendingPathComponent(".\(stem)\(Self.ending)").path
      let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      if file >= 0 {
        // Where a file system has no locks, a start that looks for leftovers leaves young files alone.
        let isTaken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
        if !isTaken, Self.isFile(file, at: path) {
          (self.stem, self.path, descriptor) = (stem, path, file)
          return
        }
        // Such a start was faster than the lock, and has the empty file. It is looked at and left.
        if Self.isFile(file, at: path) { unlink(path) }
        close(file)
        errno = EEXIST
      }
      guard errno == EEXIST, attempt < 1000 else {
        throw .recordingFailed(message: MovieOutput.words(errno, folder))
      }
      attempt += 1
    }
  }

  deinit { close(descriptor) }

  /// Both of its names.
  var movie: UnfinishedMovie {
    UnfinishedMovie(hiddenPath: path, path: folder.appendingPathComponent("\(stem).mp4").path)
  }

  /// The size of the file now.
  var byteCount: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Whether the path still leads to this file.
  var isInPlace: Bool { Self.isFile(descriptor, at: path) }

  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (own, found) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(path, &found) == 0 && own.st_ino == found.st_ino
      && own.st_dev == found.st_dev
  }

  /// Makes what is written so far durable. Takes as long as the disk takes.
  ///
  /// - Returns: The `errno` of a failure; `nil` when all is well.
  func synchronize() -> Int32? { fdatasync(descriptor) == 0 ? nil : errno }

  /// Makes the finished file durable, with all that is known about it. Takes as long as the disk takes.
  ///
  /// - Returns: The `errno` of a failure; `nil` when all is well.
  func synchronizeWhole() -> Int32? { fsync(descriptor) == 0 ? nil : errno }

  /// Makes the file durable and gives it its name, or the next one that is free.
  ///
  /// - Parameters:
  ///   - isLate: Set when the disk took so long that the file was said to stay hidden.
  ///   - synchronize: Makes it durable; the `errno` of a failure.
  /// - Returns: The file.
  /// - Throws: `CameraError.recordingFailed`; the hidden file stays, and the next start gives it its name.
  func publish(
    unlessLate isLate: CancellationFlag, _ synchronize: (RecordingFile) -> Int32?
  ) throws(CameraError) -> URL {
    if let code = synchronize(self) { throw Self.failure(code, path, folder) }
    guard !isLate.isSet else { throw Self.failure(ETIMEDOUT, path, folder) }
    return try Self.publish(path, as: stem, in: folder)
  }

  /// Removes the file.
  func discard() { unlink(path) }

  /// Gives a hidden file its name, or the next one that is free. No other file is replaced.
  ///
  /// - Parameter rename: Renames a file unless the name is taken, which it tells by `errno`.
  static func publish(
    _ path: String, as stem: String, in folder: URL,
    rename: (String, String) -> Bool = { renameNew($0, $1) }
  ) throws(CameraError) -> URL {
    var attempt = 1
    while true {
      let url = folder.appendingPathComponent(attempt == 1 ? "\(stem).mp4" : "\(stem)_\(attempt).mp4")
      if rename(path, url.path) {
        synchronizeFolder(folder)
        return url
      }
      guard errno == EEXIST, attempt < 1000 else { throw failure(errno, path, folder) }
      attempt += 1
    }
  }

  /// The bytes that may be written into a folder; `nil` when the system doesn't say.
  static func freeBytes(in folder: URL) -> Int64? {
    var status = statvfs()
    guard statvfs(folder.path, &status) == 0 else { return nil }
    let (bytes, isTooMuch) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooMuch ? .max : Int64(clamping: bytes)
  }

  /// Renames a file unless the name is taken.
  ///
  /// - Parameters:
  ///   - atomically: Does it in one step; -1 with `EINVAL` where the file system can't.
  ///   - link: Gives a file a second name.
  /// - Returns: Whether it was renamed; `errno` says why not.
  static func renameNew(
    _ path: String, _ target: String,
    atomically: (String, String) -> Int32 = { linux_rename_new(AT_FDCWD, $0, AT_FDCWD, $1) },
    link: (String, String) -> Int32 = { posixLink($0, $1) }
  ) -> Bool {
    if atomically(path, target) == 0 { return true }
    guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return false }
    // A second name is refused where it is taken, too.
    if link(path, target) == 0 {
      unlink(path)
      return true
    }
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK, EACCES].contains(errno) else { return false }
    // Neither exists on some file systems (old FUSE, FAT before Linux 2.6.21): the name is reserved by an empty file, which
    // is refused where it is taken. A crash leaves at most that behind.
    let reserved = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard reserved >= 0 else { return false }
    close(reserved)
    if posixRename(path, target) == 0 { return true }
    let code = errno
    unlink(target)
    errno = code
    return false
  }

  private static func synchronizeFolder(_ folder: URL) {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // Some file systems can't, and keep names in order by themselves.
    fsync(descriptor)
    close(descriptor)
  }

  /// The error for a hidden file that can't be given its name, and stays.
  static func failure(_ code: Int32, _ path: String, _ folder: URL) -> CameraError {
    kept(path, MovieOutput.words(code, folder))
  }

  private static func kept(_ path: String, _ reason: String) -> CameraError {
    .recordingFailed(
      message: localized(
        "\(reason). The video is kept in “\(path)” until PhotoMe starts again", comment: "{0} is a reason, {1} a path"))
  }

  /// The error for a file that stays where it is.
  ///
  /// - Parameter reason: Ends a sentence about the file.
  func keptFailure(_ reason: String) -> CameraError {
    Self.kept(path, localized("the file can’t be finished: \(reason)", comment: "{0} is the reason"))
  }

  /// `VID_20261121_073200_000`, in local time.
  static func stem(of date: Date) -> String {
    let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded(.down))
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    func padded(_ number: Int32, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let day = padded(parts.tm_year + 1900, 4) + padded(parts.tm_mon + 1, 2) + padded(parts.tm_mday, 2)
    let time = padded(parts.tm_hour, 2) + padded(parts.tm_min, 2) + padded(parts.tm_sec, 2)
    return "VID_\(day)_\(time)_\(padded(Int32(milliseconds % 1000), 3))"
  }
}

/// The system's `rename`, which the method of the same name hides.
private func posixRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }

/// The system's `link`, which the parameter of the same name hides.
private func posixLink(_ path: String, _ target: String) -> Int32 { link(path, target) }
