// One edit by an outside program: what it is given, how it is watched, and what is taken from it.

import CameraCore
import EngineInterface
import Foundation
import LinuxShim
import MediaFormats
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs an extension once.
///
/// The program is started in an empty folder of its own, which is removed afterwards, with these environment variables:
///
/// - `PHOTOME_PROTOCOL`: `1`.
/// - `PHOTOME_INPUT_PHOTO`: the untouched original's picture, a JPEG; not set for a movie.
/// - `PHOTOME_INPUT_MOVIE`: the untouched original's movie, an MP4; not set for a photo that has none.
/// - `PHOTOME_PHOTO_TIME`: when the movie of a live photo shows what the picture does, in seconds.
/// - `PHOTOME_INPUT_ADJUSTMENT`: the settings of its own edit that the picture shows now; not set when there is none.
/// - `PHOTOME_INPUT_VERSION`: the format version of those settings.
/// - `PHOTOME_OUTPUT_PHOTO`, `PHOTOME_OUTPUT_MOVIE`: where it writes the rendered JPEG (upright) and the MP4.
/// - `PHOTOME_OUTPUT_ADJUSTMENT`: where it writes its settings, at most 1 MiB; anything that it can read again, or nothing.
///
/// A line `progress 0.4` on its standard output says how far it is. It ends with status 0 when everything is written; any
/// other status is a failure, whose reason is the last line on its standard error. `SIGTERM` asks it to stop: it is
/// cancelled, or took longer than its time limit; two seconds later it and all that it started are killed.
///
/// What it wrote is looked at before anything is changed: a JPEG must be decodable to its last row, an MP4 must have a
/// picture and a length. A live photo whose extension writes no movie keeps its own.
struct ExtensionRun: Sendable {
  let `extension`: EditingExtension
  /// An empty folder for this run.
  let folder: URL

  /// What came of it.
  struct Result {
    var photo: Data?
    var movie: URL?
    var adjustment: AdjustmentData
  }

  private static let largestPhoto = Int(StillSource.largestByteCount)
  private static let largestAdjustment = 1 << 20
  /// Between asking to stop and stopping, in seconds.
  private static let grace = 2.0

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// Blocks until the program has ended and everything was looked at.
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
        throw failed("its settings can't be handed over (\(error.localizedDescription))")
      }
      environment["PHOTOME_INPUT_ADJUSTMENT"] = file("input-adjustment").path
      environment["PHOTOME_INPUT_VERSION"] = adjustment.formatVersion
    }
    if photo != nil { environment["PHOTOME_OUTPUT_PHOTO"] = file("output.jpg").path }
    if movie != nil { environment["PHOTOME_OUTPUT_MOVIE"] = file("output.mp4").path }
    environment["PHOTOME_OUTPUT_ADJUSTMENT"] = file("output-adjustment").path
    try execute(environment, isCancelled, progress)
    return try result(wantsPhoto: photo != nil, wantsMovie: movie != nil && photo == nil)
  }

  private func failed(_ reason: String) -> PhotoLibraryError {
    .extensionFailed(name: `extension`.name, reason: reason)
  }

  // MARK: The program

  private func execute(
    _ environment: [String: String], _ isCancelled: () -> Bool, _ progress: (Double) -> Void
  ) throws(PhotoLibraryError) {
    let (output, errors) = (file("stdout"), file("stderr"))
    let process = try start(environment, output: output, errors: errors)
    let began = ContinuousClock.now
    let limit = `extension`.timeLimit
    var (end, status): (PhotoLibraryError?, Int32) = (nil, 0)
    var killed: ContinuousClock.Instant?
    var lines = OutputLines(output)
    while true {
      let found = waitpid(process, &status, WNOHANG)
      if found == process || (found < 0 && errno != EINTR) { break }
      if end == nil {
        if isCancelled() { end = .cancelled }
        if ContinuousClock.now - began > .seconds(limit) {
          end = failed("it took longer than \(Int(limit)) seconds and was stopped")
        }
        if end != nil {
          kill(-process, SIGTERM)
          killed = .now
        }
      } else if let killed, ContinuousClock.now - killed > .seconds(Self.grace) {
        kill(-process, SIGKILL)
      }
      if let part = lines.latestProgress() { progress(part) }
      usleep(10_000)
    }
    // What it may have left running.
    kill(-process, SIGKILL)
    if let end { throw end }
    guard status & 0x7f == 0 else {
      throw failed("it crashed (\(String(cString: strsignal(status & 0x7f))))")
    }
    let code = status >> 8 & 0xff
    guard code == 0 else {
      let words = lastLine(of: errors)
      throw failed(words.isEmpty ? "it ended with status \(code)" : words)
    }
  }

  private func start(
    _ environment: [String: String], output: URL, errors: URL
  ) throws(PhotoLibraryError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // Nothing that this process has open is for others.
    let prepared = linux_spawn_apart(&actions, folder.path)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // A group of its own, so that what it starts ends with it; and signals as usual.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    posix_spawnattr_setpgroup(&attributes, 0)
    var (all, none) = (sigset_t(), sigset_t())
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    guard prepared == 0 else { throw failed("it can't be started (\(String(cString: strerror(prepared))))") }
    var arguments = `extension`.command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, `extension`.command[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw failed("it can't be started (\(String(cString: strerror(code))))") }
    return process
  }

  private func lastLine(of file: URL) -> String {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return "" }
    defer { try? handle.close() }
    let length = (try? handle.seekToEnd()) ?? 0
    try? handle.seek(toOffset: length > 4096 ? length - 4096 : 0)
    let text = String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) } ?? ""
    // Shown to a person: no control characters, and no novel.
    let words = line.prefix(300).filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
    return String(words).asClause
  }

  // MARK: What it wrote

  private func result(wantsPhoto: Bool, wantsMovie: Bool) throws(PhotoLibraryError) -> Result {
    var result = Result(
      adjustment: AdjustmentData(
        formatIdentifier: `extension`.formatIdentifier, formatVersion: `extension`.formatVersions[0], data: Data()))
    if wantsPhoto { result.photo = try photo() }
    if FileManager.default.fileExists(atPath: file("output.mp4").path) {
      result.movie = try movie()
    } else if wantsMovie {
      throw failed("it wrote no movie")
    }
    if let settings = try content(of: file("output-adjustment"), atMost: Self.largestAdjustment) {
      result.adjustment.data = settings
    }
    return result
  }

  private func content(of file: URL, atMost limit: Int) throws(PhotoLibraryError) -> Data? {
    var facts = stat()
    guard lstat(file.path, &facts) == 0 else { return nil }
    // A link could name any file, and a pipe would never end.
    guard facts.st_mode & S_IFMT == S_IFREG else { throw failed("“\(file.lastPathComponent)” is no plain file") }
    guard facts.st_size <= limit else {
      throw failed("“\(file.lastPathComponent)” has more than \(limit >> 20) MiB")
    }
    do { return try Data(contentsOf: file) } catch {
      throw failed("“\(file.lastPathComponent)” can't be read (\(error.localizedDescription))")
    }
  }

  private func photo() throws(PhotoLibraryError) -> Data {
    guard let jpeg = try content(of: file("output.jpg"), atMost: Self.largestPhoto), !jpeg.isEmpty else {
      throw failed("it wrote no picture")
    }
    do throws(PhotoLibraryError) {
      try ScaledJPEG.check(jpeg, path: `extension`.name)
      return jpeg
    } catch {
      guard case .unusableFile(_, let reason) = error else { throw error }
      throw failed("what it wrote is no whole JPEG (\(reason))")
    }
  }

  private func movie() throws(PhotoLibraryError) -> URL {
    let url = file("output.mp4")
    var facts = stat()
    guard lstat(url.path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw failed("“output.mp4” is no plain file")
    }
    do throws(PhotoLibraryError) {
      let movie = try ReadableFile(url.path, disk: Disk())
      guard let head = try MP4Head(movie, range: 0..<movie.size), head.size != nil, (head.duration ?? 0) > 0,
        head.mediaRange != nil
      else { throw .unusableFile(path: url.path, reason: "") }
      return url
    } catch {
      throw failed("what it wrote is no MP4 movie")
    }
  }
}

/// What a program prints, read as it grows.
private struct OutputLines {
  private let handle: FileHandle?
  private var rest = Data()
  /// A program that prints without end is not read without end.
  private var budget = 1 << 20

  init(_ file: URL) { handle = try? FileHandle(forReadingFrom: file) }

  /// The last progress that it told since the last call, 0…1.
  mutating func latestProgress() -> Double? {
    guard budget > 0, let new = try? handle?.read(upToCount: 64 << 10), !new.isEmpty else { return nil }
    budget -= new.count
    rest += new
    guard let end = rest.lastIndex(of: 0x0A) else { return nil }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest = Data(rest[rest.index(after: end)...])
    var latest: Double?
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("progress ") {
      if let value = Double(line.dropFirst(9).trimmingCharacters(in: .whitespaces)), value.isFinite {
        latest = min(1, max(0, value))
      }
    }
    return latest
  }
}
