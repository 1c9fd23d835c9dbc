// Figures: a library of a hundred thousand pictures, or of a million.

import Foundation

extension Bench {
  /// - Parameter count: Of the assets; by default 100,000.
  func measureLibrary(of count: Int? = nil) async throws -> [Figure] {
    let assetCount = count ?? (isQuick ? 5000 : 100_000)
    let cache = options.cache.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? folder
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
    let library = LargeLibrary(count: assetCount, in: cache)
    say("A library of \(assetCount) pictures\(isQuick && count == nil ? ", not of 100,000: --quick" : "")")
    try await library.make(say: say)
    try await LargeLibrary(count: assetCount / 10, in: cache).make(say: say)
    // Of a million pictures the first look takes so long that the index is worth keeping with them.
    let isKept = options.cache != nil
    let index = isKept ? library.folder.appendingPathExtension("sqlite") : folder.appendingPathComponent("index.sqlite")
    var figures: [Figure] = []
    let name = "library of \(library.count)"
    if isKept, FileManager.default.fileExists(atPath: index.path) {
      say("  the index is there, so no first look is measured: \(index.path)")
    } else {
      figures += part("\(name): index made anew") { [try indexing(library, index: index)] }
    }
    figures += part("\(name), looked at") { try looking(library, index: index) }
    figures += part("\(name), changed") { try changing(library, index: index) }
    figures += part("\(name): grid, scrolled") { [try scrolling(library, index: index)] }
    return figures
  }

  // MARK: The first time

  /// Builds the index of a new library, and walks over the same files without PhotoMe.
  private func indexing(_ library: LargeLibrary, index: URL) throws -> Figure {
    say("  a first look at all files")
    try FileWalk.forget(library.folder)
    let walk = try FileWalk.read(library.folder)
    try FileWalk.forget(library.folder)
    let look = try look(at: library, index: index)
    guard look.count == library.count else {
      throw BenchError("The index has \(look.count) assets instead of \(library.count).")
    }
    let rate = Double(look.count) / look.refresh * 1000
    return Figure(
      "library: index of \(library.count) files made anew", value: look.refresh / 1000, unit: "s",
      peer: walk.seconds, peerName: "stat and read", peerCommand: "readdir, lstat, open, read 64 KiB of every file",
      note: "\(Figure.number(rate)) files a second, \(Figure.number(look.processor / 1000)) s of processor time, at "
        + "most \(Figure.number(Double(look.peakMemory) / 1e6)) MB; \(walk.count) files read by the walk; neither had "
        + "the files in memory")
  }

  // MARK: Every time

  private func looking(_ library: LargeLibrary, index: URL) throws -> [Figure] {
    say("  fresh processes look at it")
    var looks: [LibraryLook] = []
    var floors: [LibraryLook] = []
    for _ in 0..<(isQuick ? 5 : 11) {
      looks.append(try look(at: library, index: index, moves: 20))
      floors.append(try look(at: library, index: index, isFloor: true))
    }
    let smallLooks = try looking(atTenthOf: library)
    guard looks.allSatisfy({ $0.count == library.count && $0.albumCount == library.albumCount }) else {
      throw BenchError("Not every process saw all of the library.")
    }
    func figure(
      _ name: String, _ time: KeyPath<LibraryLook, Double>, goal: Goal? = nil, hasFloor: Bool = true,
      note: String? = nil
    ) -> Figure {
      let times = looks.map { $0[keyPath: time] }
      let most = "\(times.count) processes, at most \(Figure.number(times.max() ?? 0)) ms"
      return Figure(
        "library of \(library.count): \(name)", value: times.median, unit: "ms",
        peer: hasFloor ? floors.map { $0[keyPath: time] }.median : nil, peerName: hasFloor ? "SQLite itself" : nil,
        goal: goal, note: note.map { "\($0); \(most)" } ?? most)
    }
    let additions = looks.flatMap(\.additions)
    let removals = looks.flatMap(\.removals)
    return [
      figure("open", \.open, goal: .atMost(50)),
      figure(
        "first 100 rows", \.rows, goal: .atMost(5), note: "while the folder is looked through in the background"),
      Figure(
        "library of \(library.count): one change notice", value: additions.median, unit: "ms", goal: .atMost(5),
        note: "from another program's rename into the folder to the new list; \(additions.count) times, 95 of 100 "
          + "under \(Figure.number(additions.percentile(0.95) ?? 0)) ms; a file taken away: "
          + "\(Figure.number(removals.median ?? 0)) ms"),
      figure("the ids of all", \.ids),
      figure("search", \.search, note: "\(looks[0].found) found"),
      figure("an album", \.album, note: "\(looks[0].albumCount) in it"),
      figure("days and places", \.moments, hasFloor: false),
      figure(
        "unchanged folder looked through, in the background", \.refresh, hasFloor: false,
        note: "until the end, counted from the start"),
      memory(looks, smallLooks),
    ]
  }

  /// Fresh processes look at a library of a tenth of the size.
  private func looking(atTenthOf library: LargeLibrary) throws -> [LibraryLook] {
    let small = LargeLibrary(count: library.count / 10, in: library.folder.deletingLastPathComponent())
    let index = folder.appendingPathComponent("small.sqlite")
    // The first makes the index.
    return try (0..<4).map { _ in try look(at: small, index: index, moves: 20) }.suffix(3)
  }

  /// The memory for each asset, from two libraries of which one is ten times as large.
  private func memory(_ looks: [LibraryLook], _ small: [LibraryLook]) -> Figure {
    func memory(_ looks: [LibraryLook]) -> Double { looks.map { Double($0.memory) }.median ?? 0 }
    let growth = (memory(looks) - memory(small)) / Double(looks[0].count - small[0].count)
    return Figure(
      "library of \(looks[0].count): memory for each further asset, beyond its id of 8 bytes", value: growth - 8,
      // A page of the heap that a block holds here and there.
      unit: "bytes", goal: .atMost(4),
      note:
        "memory that no file backs, of processes that have used all of it: \(Figure.number(memory(looks) / 1e6)) MB, with "
        + "\(small[0].count) assets \(Figure.number(memory(small) / 1e6)) MB")
  }

  // MARK: Large changes

  /// An album of many pictures, and an import of many files of one size, each undone again.
  private func changing(_ library: LargeLibrary, index: URL) throws -> [Figure] {
    let members = min(5000, library.count / 2)
    let imports = min(2000, library.count / 5)
    say("  an album of \(members), an import of \(imports)")
    let look = try look(at: library, index: index, album: members, imports: imports)
    let floor = try self.look(at: library, index: index, album: members, imports: imports, isFloor: true)
    return [
      Figure(
        "library of \(library.count): an album made of \(members) pictures", value: look.albumChange, unit: "ms",
        peer: floor.albumChange, peerName: "SQLite itself", peerCommand: "a transaction of \(members) rows",
        note: "durable in \(members) records, not in SQLite alone; \(look.albumChanged) in it afterwards; in the "
          + "pictures' own metadata after \(Figure.number(look.albumMetadata / 1000)) s"),
      Figure(
        "library of \(library.count): import of \(imports) files of one size", value: look.importing, unit: "ms",
        peer: floor.importing, peerName: "copies and SQLite itself",
        peerCommand: "read, write, fsync, rename, and a transaction of one row for each file",
        note: "\(look.imported) imported, none a duplicate; the library has \(floor.equalSizes) files of that size"),
    ]
  }

  // MARK: Processes

  private func look(
    at library: LargeLibrary, index: URL, moves: Int = 0, album: Int = 0, imports: Int = 0, isFloor: Bool = false
  ) throws -> LibraryLook {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let day = CalendarTime(LargeLibrary.date(of: library.count / 2, count: max(1, library.count))).stamp.prefix(8)
    var command = [
      own, "look", "--library", library.folder.path, "--index", index.path, "--search", String(day), "--moves",
      "\(moves)", "--album-of", "\(album)", "--imports", "\(imports)",
    ]
    if isFloor { command.append("--floor") }
    let log = folder.appendingPathComponent("look.log")
    try? FileManager.default.removeItem(at: log)
    let child = try ChildProcess(command, environment: ProcessInfo.processInfo.environment, log: log)
    defer { child.end() }
    guard waitUntil(seconds: 3600, { !child.isRunning }) else { throw BenchError("The look at the library hangs.") }
    guard let line = child.lastWords.split(separator: "\n").last,
      let look = try? JSONDecoder().decode(LibraryLook.self, from: Data(line.utf8))
    else { throw BenchError("The look at the library failed: \(child.lastWords)") }
    return look
  }
}

/// The files of a folder, read without PhotoMe.
private enum FileWalk {
  /// Reads the beginning of every file.
  static func read(_ folder: URL) throws -> (seconds: Double, count: Int) {
    let began = ContinuousClock.now
    var count = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    try visit(folder.path) { descriptor in
      _ = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      count += 1
    }
    return (began.milliseconds / 1000, count)
  }

  /// Has the system drop its page cache of the files, as after a boot.
  static func forget(_ folder: URL) throws {
    sync()
    try visit(folder.path) { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
  }

  private static func visit(_ folder: String, _ body: (Int32) -> Void) throws {
    guard let stream = opendir(folder) else { throw BenchError("\(folder) can't be listed.") }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name == "." || name == ".." { continue }
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        try visit(path, body)
      } else {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        body(descriptor)
        close(descriptor)
      }
    }
  }
}
