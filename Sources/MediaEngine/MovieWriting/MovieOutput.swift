// Files of finished movies, written whole or not at all.

import CameraCore
import Foundation
import Localization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file of one movie. A disk may take its time, or never answer: it is asked on threads of their own.
struct MovieOutput: Sendable {
  /// The calls to the disk, any of which may hang.
  struct Disk: Sendable {
    /// Creates a folder if it is missing, and throws if it can't be written to.
    var prepare: @Sendable (URL) throws(CameraError) -> Void = { folder throws(CameraError) in
      try MovieOutput.prepare(folder)
    }
    /// Writes a new file; returns the `errno` of a failure.
    var write: @Sendable ([UInt8], String) -> Int32? = { MovieOutput.write($0, to: $1) }
    /// Removes a file that may not be there.
    var remove: @Sendable (String) -> Void = { unlink($0) }
  }

  private let folder: URL
  private let name = "live-\(UUID().uuidString)"
  private let disk: Disk
  private let limits: EngineLimits

  /// Creates the folder if it is missing.
  ///
  /// - Throws: `CameraError.movieFailed` if it can't be created or written to, or the disk doesn't answer.
  init(folder: URL, limits: EngineLimits, disk: Disk = Disk()) async throws(CameraError) {
    (self.folder, self.limits, self.disk) = (folder, limits, disk)
    try await Blocking.run(
      onThread: "movie folder", atMost: limits.movieProgress, late: Self.unanswered(folder)
    ) { () throws(CameraError) in try disk.prepare(folder) }
  }

  /// The muxer's temporary file.
  var detour: URL { folder.appendingPathComponent(".\(name).mux.tmp") }

  /// Writes the file. It isn't synced: whoever makes a live photo of it syncs that.
  ///
  /// - Throws: `CameraError.movieFailed`.
  func save(_ bytes: [UInt8]) async throws(CameraError) -> URL {
    let (output, isLate) = (self, CancellationFlag())
    do throws(CameraError) {
      return try await Blocking.run(
        onThread: "movie file", atMost: limits.movieIndex, late: Self.unanswered(folder)
      ) { () throws(CameraError) in try output.write(bytes, unlessLate: isLate) }
    } catch {
      // What is written in the end belongs to nobody.
      isLate.set()
      throw error
    }
  }

  /// Removes the muxer's temporary file. A disk that doesn't answer is waited for no longer than it may take to be prepared.
  func removeDetour() async {
    let (disk, path) = (disk, detour.path)
    // What a disk keeps is left to the next start.
    try? await Blocking.run(
      onThread: "movie file", atMost: limits.movieProgress, late: Self.unanswered(folder)
    ) { () throws(CameraError) in disk.remove(path) }
  }

  private static func unanswered(_ folder: URL) -> CameraError {
    .movieFailed(message: localized("the disk with “\(folder.path)” isn’t responding"))
  }

  private static func prepare(_ folder: URL) throws(CameraError) {
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw .movieFailed(message: localized("the folder “\(folder.path)” can’t be created"))
    }
    guard access(folder.path, W_OK | X_OK) == 0 else {
      throw .movieFailed(message: Self.words(errno, folder))
    }
  }

  private func write(_ bytes: [UInt8], unlessLate isLate: CancellationFlag) throws(CameraError) -> URL {
    let unfinished = folder.appendingPathComponent(".\(name).tmp").path
    let url = folder.appendingPathComponent("\(name).mp4")
    var problem = disk.write(bytes, unfinished)
    if problem == nil, isLate.isSet { problem = ETIMEDOUT }
    if problem == nil, rename(unfinished, url.path) != 0 { problem = errno }
    if let problem {
      disk.remove(unfinished)
      throw .movieFailed(message: Self.words(problem, folder))
    }
    return url
  }

  /// - Returns: The `errno` of a failure; `nil` when everything was written.
  private static func write(_ bytes: [UInt8], to path: String) -> Int32? {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { return errno }
    let problem = write(bytes, to: file)
    // Some file systems report a full disk only now.
    let isClosed = close(file) == 0
    return problem ?? (isClosed ? nil : errno)
  }

  /// Writes all bytes, also when the system takes them piece by piece.
  ///
  /// - Parameter file: A descriptor.
  /// - Returns: The `errno` of a failure; `nil` when everything was written.
  static func write(_ bytes: [UInt8], to file: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = posixWrite(file, rest.base.baseAddress.map { $0 + rest.startIndex }, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return errno }
        rest = rest.dropFirst(count)
      }
      return nil
    }
  }

  /// The reason that a folder takes no file, found out with one: GStreamer passes on only the system's message, which is in
  /// the person's language.
  ///
  /// - Returns: The `errno` of the failure, `ETIMEDOUT` for a disk that doesn't answer; `nil` when the folder takes it.
  static func problem(of folder: URL, within limit: TimeSpan = .seconds(5)) async -> Int32? {
    // Removed at the next start if it is left behind, as all files of this name.
    let path = folder.appendingPathComponent(".live-\(UUID().uuidString).tmp").path
    do throws(CameraError) {
      return try await Blocking.run(onThread: "movie folder", atMost: limit, late: unanswered(folder)) {
        () throws(CameraError) in
        defer { unlink(path) }
        return write([UInt8](repeating: 0, count: 1 << 16), to: path)
      }
    } catch { return ETIMEDOUT }
  }

  /// The message for an error of the file system, with the remedy.
  static func words(_ code: Int32, _ folder: URL) -> String {
    switch code {
    case ENOSPC: localized("the disk with “\(folder.path)” is full; free up some space")
    case EDQUOT: localized("your storage quota for “\(folder.path)” is used up")
    case EACCES, EPERM, EROFS: localized("you don’t have permission to write to the folder “\(folder.path)”")
    default:
      localized("“\(folder.path)”: \(String(cString: strerror(code)))", comment: "A folder and the system’s message")
    }
  }
}

/// The system's `write`, which the method of the same name hides.
private func posixWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
