// Recordings whose program was killed, found and given their names.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Finds the hidden files that a kill or a power failure has left.
///
/// They consist of fragments, of which all but perhaps the last can be played. A file gets an index of all its samples,
/// which makes it an ordinary movie, and its name. What has no fragment yet is removed.
enum UnfinishedMovies {
  /// Gives unfinished movies in a folder, and in the folders directly in it, their names.
  ///
  /// - Parameters:
  ///   - folder: A library's; a missing one has none.
  ///   - system: What the system is asked for.
  /// - Returns: What was done and what could not be searched, in the order of the names.
  static func recover(in folder: URL, now: Date = Date(), by system: System = System()) -> [RecoveredRecording] {
    let (names, failures) = names(in: folder, system)
    // Only the superuser may open ext4's folder of found pieces of files, and nobody records there.
    let isFileSystem = names.contains(lostAndFound) && system.isMountPoint(folder)
    let folders = names.filter { !$0.hasPrefix(".") && !(isFileSystem && $0 == lostAndFound) }
      .map { folder.appendingPathComponent($0) }
    return failures + recoverFiles(names, in: folder, now, system)
      + folders.flatMap { folder in
        let (names, failures) = Self.names(in: folder, system)
        return failures + recoverFiles(names, in: folder, now, system)
      }
  }

  /// Calls of the system, which tests let fail.
  struct System {
    /// The names in a folder; none where there is no such folder.
    var list: (URL) throws(Unreadable) -> [String] = UnfinishedMovies.list
    /// Whether a folder is the root of a file system.
    var isMountPoint: (URL) -> Bool = UnfinishedMovies.isMountPoint
    /// `fsync`.
    var synchronize: (Int32) -> Int32 = { fsync($0) }
  }

  private static let lostAndFound = "lost+found"

  /// Whether the folder above is on another file system, or there is none.
  static func isMountPoint(_ folder: URL) -> Bool {
    var (own, above) = (stat(), stat())
    guard stat(folder.path, &own) == 0, stat(folder.path + "/..", &above) == 0 else { return false }
    return own.st_dev != above.st_dev || own.st_ino == above.st_ino
  }

  /// The reason why a folder can't be read.
  struct Unreadable: Error { var reason: String }

  private static func names(in folder: URL, _ system: System) -> (names: [String], failures: [RecoveredRecording]) {
    do throws(Unreadable) { return (try system.list(folder).sorted(), []) } catch {
      return ([], [.unsearched(folder: folder.path, reason: error.reason)])
    }
  }

  private static func list(_ folder: URL) throws(Unreadable) -> [String] {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      // Pictures are no folders, and links may lead nowhere.
      if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return [] }
      throw Unreadable(reason: String(cString: strerror(errno)))
    }
    close(descriptor)
    do { return try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
      throw Unreadable(reason: error.localizedDescription)
    }
  }

  private static func recoverFiles(
    _ names: [String], in folder: URL, _ now: Date, _ system: System
  ) -> [RecoveredRecording] {
    names.filter { $0.hasPrefix(".VID_") && $0.hasSuffix(RecordingFile.ending) }.compactMap {
      recover($0, in: folder, now, system)
    }
  }

  /// The age, in seconds, from which an empty file is one that was left: a new one may not be locked yet.
  private static let emptyAge = 60.0
  /// The age, in seconds, from which a file is one that was left where the file system has no locks: a movie grows four
  /// times a second.
  private static let unlockableAge = 30.0

  /// - Returns: `nil` for a file that is being recorded, or that had nothing in it.
  private static func recover(
    _ name: String, in folder: URL, _ now: Date, _ system: System
  ) -> RecoveredRecording? {
    let path = folder.appendingPathComponent(name).path
    let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // Its program lives, and is recording.
    let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EWOULDBLOCK { return nil }
    let age = age(of: file, now)
    if !isLocked, age < unlockableAge { return nil }
    let stem = String(name.dropFirst().dropLast(RecordingFile.ending.count))
    InterruptedIndex.mend(path)
    switch RecordedContent(path) {
    case .movie: break
    case .nothing:
      if age >= emptyAge { unlink(path) }
      return nil
    case .unreadable(let reason): return .failed(path: path, reason: reason)
    }
    mend(file, path)
    do throws(CameraError) {
      // The last fragments may be in the system's memory only.
      guard system.synchronize(file) == 0 else { throw RecordingFile.failure(errno, path, folder) }
      return .recovered(try RecordingFile.publish(path, as: stem, in: folder), hiddenPath: path)
    } catch {
      return .failed(path: path, reason: error.description)
    }
  }

  /// The time since the last write, in seconds. A time in the future is a wrong one, and counts as long ago.
  private static func age(of file: Int32, _ now: Date) -> Double {
    var status = stat()
    guard fstat(file, &status) == 0 else { return 0 }
    let age = now.timeIntervalSince1970 - Double(status.st_mtim.tv_sec)
    return age < -emptyAge ? .infinity : age
  }
}

extension UnfinishedMovies {
  /// Makes a movie in fragments an ordinary one; see `MP4Defragmentation`.
  ///
  /// Where that fails, for example on a full disk, the file stays a movie in fragments, which can be played as well.
  ///
  /// - Parameters:
  ///   - file: Open for writing.
  ///   - isKilled: For tests: asked after each step whether everything ends there.
  static func mend(_ file: Int32, _ path: String, isKilled: (MendingStep) -> Bool = { _ in false }) {
    guard let stretch = try? MovieStretch(whole: URL(fileURLWithPath: path)), let index = try? MP4Index(stretch),
      let plan = try? MP4Defragmentation(index), ftruncate(file, off_t(plan.length)) == 0,
      !isKilled(.cut), lseek(file, off_t(plan.length), SEEK_SET) == off_t(plan.length)
    else { return }
    guard MovieOutput.write(plan.description, to: file) == nil, fsync(file) == 0 else {
      // A part of an index has no use.
      ftruncate(file, off_t(plan.length))
      return
    }
    guard !isKilled(.described) else { return }
    _ = plan.head.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(plan.headOffset)) }
  }

  /// What is done to a movie in fragments, in this order.
  enum MendingStep: CaseIterable, Sendable {
    /// What is behind the last whole fragment is gone.
    case cut
    /// The index is on the disk.
    case described
  }
}

/// Lengths of recorded files, whole or in fragments.
enum RecordedLength {
  /// The length of the movie in a file, in seconds; `nil` when nothing in it can be played.
  static func seconds(of path: String) -> Double? { RecordedContent(path).seconds }
}
