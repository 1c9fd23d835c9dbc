// One run of an editing extension: its environment, its supervision, and its output.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs an extension once.
///
/// The program starts in an empty folder of its own, which is removed afterwards, with these environment variables:
///
/// - `PHOTOME_PROTOCOL`: `1`.
/// - `PHOTOME_INPUT_PHOTO`: the untouched original's picture, a JPEG, also of a HEIC, AVIF or PNG; not set for a movie.
/// - `PHOTOME_INPUT_MOVIE`: the untouched original's movie, an MP4; not set for a photo that has none.
/// - `PHOTOME_PHOTO_TIME`: when the movie of a live photo shows what the picture does, in seconds.
/// - `PHOTOME_INPUT_ADJUSTMENT`: the settings of the current edit, if it is one of its own.
/// - `PHOTOME_INPUT_VERSION`: the format version of those settings.
/// - `PHOTOME_OUTPUT_PHOTO`, `PHOTOME_OUTPUT_MOVIE`: the files for the rendered JPEG (upright) and the MP4.
/// - `PHOTOME_OUTPUT_ADJUSTMENT`: the file for its settings, at most 1 MiB, in any format that it can read again;
///   optional.
///
/// A line `progress 0.4` on its standard output reports progress. It exits with status 0 when everything is written;
/// any other status is a failure, whose reason is the last line on its standard error. `SIGTERM` asks it to stop,
/// because it was canceled or exceeded its time limit; two seconds later it is killed.
///
/// Nothing of it outlives its run, in whatever session it is, nor PhotoMe. The kernel limits its memory, the length of its
/// files, its processor time and the number of its processes; see `limits(movie:)`.
///
/// Its output is untrusted and checked before anything is changed: a JPEG must be decodable to its last row, an MP4
/// must have a video track and a duration. A live photo whose extension writes no movie keeps its own.
struct ExtensionRun: Sendable {
  let `extension`: EditingExtension
  /// An empty folder for this run.
  let folder: URL

  /// The checked output.
  struct Result {
    var photo: Data?
    var movie: URL?
    var adjustment: AdjustmentData
  }

  private static let largestPhoto = Int(StillSource.largestByteCount)
  private static let largestAdjustment = 1 << 20
  /// In bytes: of standard output, and of standard error.
  private static let largestOutput = 16 << 20
  /// In bytes: the least limit of the files that it may write.
  private static let leastFileLimit: UInt64 = 512 << 20
  /// In bytes: more is no movie that someone edits.
  private static let longestMovie: UInt64 = 1 << 40
  /// Between `SIGTERM` and `SIGKILL`, in seconds.
  private static let grace = 2.0

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// Runs the program; blocks until it has ended and its output was checked.
  ///
  /// - Throws: `PhotoLibraryError.extensionFailed`, or `cancelled`.
  func run(
    photo: URL?, movie: URL?, photoTime: Double?, adjustment: AdjustmentData?, isCancelled: () -> Bool,
    progress: (Double) -> Void
  ) throws(PhotoLibraryError) -> Result {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PHOTOME_") }
    environment["PHOTOME_PROTOCOL"] = "1"
    environment["PHOTOME_INPUT_PHOTO"] = photo?.path
    environment["PHOTOME_INPUT_MOVIE"] = movie?.path
    environment["PHOTOME_PHOTO_TIME"] = photoTime.map { "\($0)" }
    if let adjustment {
      do { try adjustment.data.write(to: file("input-adjustment")) } catch {
        throw failed(localized("its settings couldn’t be passed to it (\(error.localizedDescription))"))
      }
      environment["PHOTOME_INPUT_ADJUSTMENT"] = file("input-adjustment").path
      environment["PHOTOME_INPUT_VERSION"] = adjustment.formatVersion
    }
    if photo != nil { environment["PHOTOME_OUTPUT_PHOTO"] = file("output.jpg").path }
    if movie != nil { environment["PHOTOME_OUTPUT_MOVIE"] = file("output.mp4").path }
    environment["PHOTOME_OUTPUT_ADJUSTMENT"] = file("output-adjustment").path
    let limits = limits(movie: movie)
    try execute(environment, limits, isCancelled, progress)
    return try result(wantsPhoto: photo != nil, wantsMovie: movie != nil && photo == nil, limits)
  }

  private func failed(_ reason: String) -> PhotoLibraryError {
    .extensionFailed(name: `extension`.name, reason: reason)
  }

  // MARK: The program

  private func execute(
    _ environment: [String: String], _ limits: SupervisedProgram.Limits, _ isCancelled: () -> Bool,
    _ progress: (Double) -> Void
  ) throws(PhotoLibraryError) {
    // Opened before the program can put something else in their places.
    guard let output = ProgramOutput(file("stdout")), let errors = ProgramOutput(file("stderr")) else {
      throw failed(localized("its output couldn’t be stored (\(String(cString: strerror(errno))))"))
    }
    var program: SupervisedProgram
    do throws(SupervisedProgram.StartFailure) {
      program = try SupervisedProgram(
        `extension`.command, environment: environment, in: folder, output: output.file, errors: errors.file,
        limits: limits)
    } catch {
      throw failed(localized("it couldn’t be started (\(String(cString: strerror(error.code))))"))
    }
    let began = ContinuousClock.now
    let limit = `extension`.timeLimit
    var (end, status): (PhotoLibraryError?, Int32) = (nil, 0)
    var asked: ContinuousClock.Instant?
    var lines = OutputLines(output)
    while true {
      if let ended = program.status {
        status = ended
        break
      }
      if end == nil {
        if isCancelled() { end = .cancelled }
        if ContinuousClock.now - began > .seconds(limit) {
          end = failed(
            localized(
              "it took longer than \(Int(limit)) second and was stopped",
              plural: "it took longer than \(Int(limit)) seconds and was stopped", count: Int(limit)))
        }
        if max(output.size, errors.size) > Self.largestOutput {
          end = failed(localized("it printed more than \(Self.largestOutput.localizedMemory) and was stopped"))
        }
        if end != nil {
          program.terminate()
          asked = .now
        }
      } else if let asked, ContinuousClock.now - asked > .seconds(Self.grace) {
        program.kill()
      }
      if let part = lines.latestProgress() { progress(part) }
      usleep(10_000)
    }
    if let end { throw end }
    let code = status >> 8 & 0xff
    // A shell passes on the signal that ended its last command.
    let signal = status & 0x7f != 0 ? status & 0x7f : code > 128 ? code - 128 : 0
    switch signal {
    case SIGXFSZ: throw failed(localized("it created a file larger than \(limits.fileSize.localizedMemory)"))
    case SIGXCPU:
      throw failed(
        localized(
          "it used more than \(limits.processorTime) second of processor time",
          plural: "it used more than \(limits.processorTime) seconds of processor time",
          count: Int(clamping: limits.processorTime)))
    default: break
    }
    guard status & 0x7f == 0 else {
      throw failed(localized("it crashed (\(String(cString: strsignal(status & 0x7f))))"))
    }
    guard code == 0 else {
      let words = errors.lastLine
      throw failed(words.isEmpty ? localized("it ended with the status \(code)") : words)
    }
  }

  private static func size(of file: URL) -> Int {
    var facts = stat()
    return lstat(file.path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// The limits of this run. A file may have eight times the movie's length: an editor that writes a better format has
  /// room, and one that never ends doesn't fill the disk.
  ///
  /// - Parameter movie: The one that it gets.
  private func limits(movie: URL?) -> SupervisedProgram.Limits {
    let length = movie.map { UInt64(max(0, Self.size(of: $0))) } ?? 0
    let processors = Double(max(1, ProcessInfo.processInfo.processorCount))
    return SupervisedProgram.Limits(
      memory: `extension`.memoryLimit ?? SupervisedProgram.Limits.usualMemory,
      fileSize: max(Self.leastFileLimit, min(length, Self.longestMovie) * 8),
      processorTime: UInt64((`extension`.timeLimit * processors).rounded(.up)) + 1)
  }

  // MARK: Output

  private func result(
    wantsPhoto: Bool, wantsMovie: Bool, _ limits: SupervisedProgram.Limits
  ) throws(PhotoLibraryError) -> Result {
    var result = Result(
      adjustment: AdjustmentData(
        formatIdentifier: `extension`.formatIdentifier, formatVersion: `extension`.formatVersions[0], data: Data()))
    if wantsPhoto { result.photo = try photo() }
    if FileManager.default.fileExists(atPath: file("output.mp4").path) {
      result.movie = try movie(atMost: limits.fileSize)
    } else if wantsMovie {
      throw failed(localized("it created no video"))
    }
    if let settings = try content(of: file("output-adjustment"), atMost: Self.largestAdjustment) {
      result.adjustment.data = settings
    }
    return result
  }

  private func content(of file: URL, atMost limit: Int) throws(PhotoLibraryError) -> Data? {
    var facts = stat()
    guard lstat(file.path, &facts) == 0 else { return nil }
    // A link could lead to any file, and a pipe would never end.
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw failed(localized("“\(file.lastPathComponent)” isn’t a regular file"))
    }
    guard facts.st_size <= limit else {
      throw failed(localized("“\(file.lastPathComponent)” is larger than \(limit.localizedMemory)"))
    }
    do { return try Data(contentsOf: file) } catch {
      throw failed(localized("“\(file.lastPathComponent)” can’t be read (\(error.localizedDescription))"))
    }
  }

  private func photo() throws(PhotoLibraryError) -> Data {
    guard let jpeg = try content(of: file("output.jpg"), atMost: Self.largestPhoto), !jpeg.isEmpty else {
      throw failed(localized("it created no photo"))
    }
    do throws(PhotoLibraryError) {
      try ScaledJPEG.check(jpeg, path: `extension`.name)
      return jpeg
    } catch {
      guard case .unusableFile(_, let reason) = error else { throw error }
      throw failed(localized("its output isn’t a complete JPEG (\(reason))"))
    }
  }

  private func movie(atMost limit: UInt64) throws(PhotoLibraryError) -> URL {
    let url = file("output.mp4")
    var facts = stat()
    guard lstat(url.path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw failed(localized("“\(url.lastPathComponent)” isn’t a regular file"))
    }
    guard UInt64(max(0, facts.st_size)) <= limit else {
      throw failed(localized("it created a video larger than \(limit.localizedMemory)"))
    }
    do throws(PhotoLibraryError) {
      let movie = try ReadableFile(url.path, disk: Disk())
      guard let head = try MP4Head(movie, range: 0..<movie.size), head.size != nil, (head.duration ?? 0) > 0,
        head.mediaRange != nil
      else { throw .unusableFile(path: url.path, reason: "") }
      return url
    } catch {
      throw failed(localized("its output isn’t an MP4 video"))
    }
  }
}
