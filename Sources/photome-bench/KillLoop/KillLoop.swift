// Repeated kills of processes that change a library, and the check of the result.

import CameraCore
import Foundation
import PhotoLibrary

/// One library, many deaths.
///
/// In each run one or two workers change the library, and in some the camera of `photomectl capture` takes photos. All are
/// killed with SIGKILL. Then the library is opened as after a crash, and compared with everything the killed processes had
/// reported as safe: see `SurvivalLedger`. The files are checked without the library, too, and by `photomectl library verify`.
struct KillLoop {
  private(set) var place: KillPlace
  let seed: UInt64
  /// Kills after lines, not after times, and leaves the camera out: a short form that does the same on every machine.
  let isShort: Bool
  let beside: Companions
  /// The folder of photomectl and photome-bench.
  let programs: URL
  var random: SeededGenerator
  private(set) var ledger = SurvivalLedger()
  private var foreignLedger = ForeignLedger()
  /// Problems that opening the library couldn't repair.
  private var unrecovered: [String] = []
  var files = WholeFiles()
  private(set) var summary = KillSummary()
  /// How much longer than on a fast machine the start of a process takes; lifetimes are as much longer.
  private var slowness = 1.0

  /// The totals of all runs.
  struct KillSummary {
    var killed = 0
    /// Assets in the library after the last run.
    var assets = 0
    /// Completed work by kind.
    var done: [String: Int] = [:]
    /// Operations whose process was killed: those of which nothing was left, and those of which all was.
    var interrupted = (before: 0, after: 0)
    /// Shots saved and remains removed at the starts afterwards.
    var recovered = 0
    var indexesLost = 0
    /// Completed work of the foreign editor by kind.
    var foreign: [String: Int] = [:]
    /// Whether `photomectl library verify` ran too.
    var canVerify = false

    private var edits: String {
      foreign.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    }

    var text: String {
      let works = done.sorted { $0.key < $1.key }.map { "  \($0.value) × \($0.key)" }.joined(separator: "\n")
      return """
        \(killed) processes killed; works reported finished, and found:
        \(works)
        Killed in the middle of \(interrupted.before + interrupted.after) works: \(interrupted.before) had not happened \
        afterwards, \(interrupted.after) had, all of them wholly.
        \(recovered) shots and remains were put right at the next start; \(indexesLost) times the index was removed as well.
        \(foreign.isEmpty ? "No other program edited files." : "Beside it: \(edits).")
        \(assets) assets in the library in the end. \
        \(canVerify ? "photomectl library verify was clean each time." : "photomectl has no “library verify” to be asked.")
        """
    }
  }

  /// The other programs at work on the same library.
  struct Companions {
    /// A program that edits files in the library's folder.
    var hasEditor = false
    /// A second process of ours in each run, and photomectl where it can see the disk.
    var hasSecond = false
    /// A command of the shell that is run after each death, as one that mounts the disk again.
    var remount: String?
  }

  init(place: KillPlace, seed: UInt64, isShort: Bool, beside: Companions = Companions(), programs: URL) {
    (self.place, self.seed, self.isShort, self.beside) = (place, seed, isShort, beside)
    self.programs = programs
    random = SeededGenerator(seed: seed)
  }

  /// Makes what the workers need.
  mutating func prepare() async throws {
    for folder in [place.data, place.disk] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    // This process opens the library after each death: it must have the same Trash, or it leaves deletions unfinished.
    for (name, value) in ["XDG_DATA_HOME": place.data.path, "HOME": place.url.path] { setenv(name, value, 1) }
    let workshop = place.url.appendingPathComponent("samples")
    let library = try await PhotoLibrary.open(
      at: workshop.appendingPathComponent("Pictures"), index: workshop.appendingPathComponent("index.sqlite"))
    try await LargeLibrary.sample(SmallPictures().picture(0), in: library).write(to: place.sample)
    if isShort {
      try LiveMovie.empty.write(to: place.movie)
    } else {
      try FileManager.default.moveItem(at: try await LiveMovie.make(in: workshop), to: place.movie)
    }
    let movie = workshop.appendingPathComponent("paired.mp4")
    try FileManager.default.copyItem(at: place.movie, to: movie)
    try await LargeLibrary.sample(SmallPictures().picture(1), movie: movie, in: library).write(to: place.liveSample)
    await library.close()
    try FileManager.default.removeItem(at: workshop)
    // The fastest of some: a first start reads the program from the disk.
    var (help, fastest): (String?, Double) = (nil, .infinity)
    for _ in 0..<3 {
      let began = ContinuousClock.now
      help = ChildProcess.output(
        of: Array(verification.prefix(3)) + ["--help"], environment: environment, folder: place.url)
      fastest = min(fastest, began.milliseconds)
    }
    slowness = min(max(1, fastest / 100), 20)
    summary.canVerify = help?.contains("library verify") == true
  }

  /// One run.
  ///
  /// - Throws: `BenchError` with all that is wrong afterwards.
  mutating func run(_ number: Int) async throws {
    place.mount = UInt64(2 * number)
    var doomed = [try worker(0)]
    let hasSecond = Int.random(in: 0..<3, using: &random) == 0
    if hasSecond || beside.hasSecond { doomed.append(try worker(1)) }
    if !isShort, !place.isSimulated, Int.random(in: 0..<3, using: &random) == 0 { doomed.append(try camera()) }
    let editor = beside.hasEditor ? try editor() : nil
    let command = beside.hasSecond && !place.isSimulated ? try command() : nil
    try DoomedProcess.run(doomed + [editor, command?.process].compactMap(\.self))
    for one in doomed { ledger.take(try one.lines.map { try note($0, of: one) }) }
    if let editor {
      let notes = try editor.lines.map { try note($0, of: editor) }
      foreignLedger.take(notes)
      for note in notes where note.isDone { summary.foreign[note.work, default: 0] += 1 }
    }
    if let command { ledger.take(try command.notes) }
    summary.killed += doomed.count + (editor == nil ? 0 : 1) + (command?.process.exitStatus == nil ? 0 : 1)
    place.mount += 1
    try remount()
    // The index is a cache: without it everything must be there as well.
    if Int.random(in: 0..<8, using: &random) == 0 {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.index.path + suffix) }
      summary.indexesLost += 1
    }
    var found = try await look()
    var faults = ledger.compare(with: found)
    faults += try await importAgain(&found)
    if !foreignLedger.isEmpty { faults += foreignLedger.compare(with: try allPictures()) }
    faults += unrecovered
    faults += leftovers()
    summary.assets = found.values.count { $0[.there] == "yes" && $0[.picture] != nil }
    faults += try verify()
    summary.done = ledger.done
    summary.interrupted = ledger.interrupted
    guard faults.isEmpty else {
      throw BenchError("Run \(number), seed \(seed):\n" + faults.map { "  \($0)" }.joined(separator: "\n"))
    }
  }

  // MARK: The doomed

  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_DATA_HOME"] = place.data.path
    environment["HOME"] = place.url.path
    return environment
  }

  private mutating func worker(_ worker: Int) throws -> DoomedProcess {
    let doom: Doom =
      isShort ? .lines(.random(in: 1...60, using: &random)) : lifetime(in: 0.05...1.5)
    return try DoomedProcess(
      "worker \(worker)",
      [
        programs.appendingPathComponent("photome-bench").path, "kill-worker", "--worker", "\(worker)", "--seed",
        "\(UInt64.random(in: .min ... .max, using: &random))",
      ] + place.arguments, environment: environment, log: place.url.appendingPathComponent("worker-\(worker).log"),
      doom: doom)
  }

  private mutating func camera() throws -> DoomedProcess {
    let isLive = Bool.random(using: &random)
    var command = [programs.appendingPathComponent("photomectl").path, "capture", "--camera", "test"]
    command += ["--count", "10000", "--interval", isLive ? "0.4" : "0.05", "--json", "--library", place.library.path]
    if isLive { command += ["--live", "--microphone", "test"] }
    return try DoomedProcess(
      "photomectl capture", command, environment: environment, log: place.url.appendingPathComponent("camera.log"),
      doom: lifetime(in: 0.5...(isLive ? 6 : 2)))
  }

  /// A random lifetime.
  ///
  /// - Parameter seconds: The range on a fast machine.
  mutating func lifetime(in seconds: ClosedRange<Double>) -> Doom {
    .time(.random(in: seconds, using: &random) * slowness)
  }

  private func note(_ line: Data, of one: DoomedProcess) throws -> SurvivalNote {
    if let note = try? JSONDecoder().decode(SurvivalNote.self, from: line) { return note }
    guard let shot = try? JSONDecoder().decode(Shot.self, from: line) else {
      throw BenchError("\(one.name) says what can't be understood: \(String(decoding: line, as: UTF8.self))")
    }
    return SurvivalNote(isDone: true, number: 0, work: "shot of the camera", facts: [shot.id: [.there: "yes"]])
  }

  /// The output of `photomectl capture --json`.
  private struct Shot: Decodable { var id: String }

  // MARK: What is left

  /// Repeats an interrupted import, as a person would: then everything is there, and nothing twice.
  private mutating func importAgain(_ found: inout [String: SurvivalNote.Facts]) async throws -> [String] {
    let cards = try place.interruptedCards()
    guard !cards.isEmpty else { return [] }
    var faults: [String] = []
    let library = try await place.open()
    for (card, _) in cards {
      let report = try await library.importAssets(from: [card])
      if report.end != .complete || !report.refused.isEmpty {
        faults.append("\(card.path) can't be imported again: \(report.end), \(report.refused)")
      }
    }
    await library.close()
    func isThere(_ entry: (key: String, value: SurvivalNote.Facts)) -> Bool {
      entry.value[.there] == "yes" && entry.value[.picture] != nil
    }
    let before = Set(found.filter(isThere).keys)
    found = try await look()
    let after = Set(found.filter(isThere).keys)
    let wanted = cards.reduce(into: Set<String>()) { $0.formUnion($1.ids) }
    for id in wanted.subtracting(after) { faults.append("\(id) was imported again and is not there.") }
    for id in after.subtracting(before.union(wanted)) {
      faults.append("\(id) came from importing again, and is a second one.")
    }
    let new = found.filter { after.subtracting(before).contains($0.key) }
    ledger.take([SurvivalNote(isDone: true, number: 0, work: "import again", facts: new)])
    faults += ledger.compare(with: found)
    for (card, _) in cards { try FileManager.default.removeItem(at: card) }
    return faults
  }

  /// Opens the library as the next start does, and sees everything that is in it.
  private mutating func look() async throws -> [String: SurvivalNote.Facts] {
    let library = try await place.open()
    summary.recovered += library.recovery.count
    for note in library.recovery { if case .couldNotRecover = note { unrecovered.append(note.description) } }
    try await library.refresh()
    var options = FetchOptions()
    options.includesHidden = true
    var found: [String: SurvivalNote.Facts] = [:]
    var paths: Set<String> = []
    var foreign: Set<Asset.ID> = []
    for asset in try await library.fetch(options).allAssets() {
      paths.insert(asset.url.path)
      if ForeignEditor.isOwn(asset.url.path) {
        foreign.insert(asset.id)
        continue
      }
      let file = try files.file(asset.url.path)
      let original = try await library.originalURL(of: asset)
      let edit = try await library.adjustmentData(for: asset.id)
      let albums = try await library.fetchAlbums(of: asset.id).map(\.title).sorted()
      found[asset.id] = [
        .there: "yes", .picture: file.picture, .movie: file.movie, .favorite: "\(asset.isFavorite)",
        .hidden: "\(asset.isHidden)", .albums: albums.joined(separator: ", "), .trashed: "no",
        .edit: edit.map { String(decoding: $0.data, as: UTF8.self) } ?? "",
        .original: try files.file(original.path).picture,
      ]
    }
    for album in try await library.fetchAlbums() { found[album.id] = [.there: "yes", .albums: album.title] }
    // Killed early enough, nobody has made the folder yet, and there is nothing to verify.
    if !found.isEmpty, place.isSimulated || beside.hasEditor {
      // photomectl sees another disk, and complains about what the editor has destroyed, or was writing when it was
      // killed. That may have become an original, and the edited picture may be gone.
      unrecovered += try await library.verify().problems.filter { problem in
        if problem.path.lowercased().contains("/editor-") { return false }
        guard let id = problem.assetID else { return true }
        return !foreign.contains(id) && !ForeignEditor.isOwn(asset: id, in: place.library)
      }.map(\.description)
    }
    await library.close()
    // Files that the library doesn't know must be whole as well.
    for path in Self.files(below: place.library.path, hidden: false)
    where !paths.contains(path) && !ForeignEditor.isOwn(path) {
      _ = try files.file(path)
    }
    try addTrash(to: &found)
    return found
  }

  /// Says of those that are gone whether they are in the Trash. Several may have the same picture, as two shots of one
  /// frame have: each file there stands for one of them.
  private mutating func addTrash(to found: inout [String: SurvivalNote.Facts]) throws {
    var trash: [String: Int] = [:]
    for folder in place.trashes {
      for path in Self.files(below: folder.appendingPathComponent("files").path, hidden: true) {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let info = folder.appendingPathComponent("info/\(name).trashinfo").path
        guard FileManager.default.fileExists(atPath: info) else {
          throw BenchError("The Trash has “\(name)” and doesn't know where it came from.")
        }
        if !ForeignEditor.isOwn(path) { trash[try files.file(path).picture, default: 0] += 1 }
      }
    }
    let underWay = Set(ledger.open.flatMap(\.facts.keys))
    // First those that are known to be there, last those that were deleted for good.
    func rank(_ id: String, _ facts: SurvivalNote.Facts) -> Int {
      facts[.trashed] == "yes" ? 0 : underWay.contains(id) ? 1 : 2
    }
    for (id, facts) in ledger.certain.sorted(by: { rank($0.key, $0.value) < rank($1.key, $1.value) })
    where found[id] == nil {
      let count = trash[facts[.picture] ?? ""] ?? 0
      trash[facts[.picture] ?? ""] = count - 1
      found[id] = [.there: "no", .trashed: count > 0 ? "yes" : "no"]
    }
    for id in underWay where found[id] == nil { found[id] = [.there: "no", .trashed: "no"] }
  }

  /// Files that should have been removed.
  private func leftovers() -> [String] {
    let hidden = place.library.path + "/.photome"
    let all = Self.files(below: place.library.path, hidden: true)
    return all.filter { path in
      path.hasSuffix(".tmp") || path.hasSuffix(".aside")
        || ["/incoming/", "/journal/"].contains { path.hasPrefix(hidden + $0) }
    }.map { "\($0) was left over." }
  }

  private var verification: [String] {
    [programs.appendingPathComponent("photomectl").path, "library", "verify", "--library", place.library.path]
  }

  /// Runs `photomectl library verify`, where there is one.
  private func verify() throws -> [String] {
    guard summary.canVerify, summary.assets > 0, !place.isSimulated, !beside.hasEditor else { return [] }
    let command = verification.joined(separator: " ")
    let log = place.url.appendingPathComponent("verify.log")
    defer { try? FileManager.default.removeItem(at: log) }
    let child = try ChildProcess(verification + ["--json"], environment: environment, log: log)
    defer { child.end() }
    guard waitUntil(seconds: 600, { !child.isRunning }) else { return ["\(command) hangs."] }
    return child.exitStatus == 0 ? [] : ["\(command) finds faults: \(child.lastWords)"]
  }

  static func files(below folder: String, hidden: Bool) -> [String] {
    let options: FileManager.DirectoryEnumerationOptions = hidden ? [] : .skipsHiddenFiles
    let all = FileManager.default.enumerator(
      at: URL(fileURLWithPath: folder, isDirectory: true), includingPropertiesForKeys: nil, options: options)
    var files: [String] = []
    while let url = all?.nextObject() as? URL {
      var status = stat()
      if lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { files.append(url.path) }
    }
    return files
  }
}
