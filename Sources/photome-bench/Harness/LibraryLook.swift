// The times of a fresh process that opens and reads a library, step by step.

import ArgumentParser
import Foundation
import PhotoLibrary

/// Times in milliseconds of one process, from its first call of the library on.
struct LibraryLook: Codable {
  /// Only the index has to be there when it returns.
  var open = 0.0
  /// The newest hundred with all that is known of them, while the folder is being looked through in the background.
  var rows = 0.0
  /// Until the folder was looked through.
  var refresh = 0.0
  /// The same in processor time, of all threads.
  var processor = 0.0
  var ids = 0.0
  var search = 0.0
  var album = 0.0
  var moments = 0.0
  /// From another program's rename to the new list, each.
  var additions: [Double] = []
  var removals: [Double] = []
  /// An album of many pictures, until it is durable, and until it is in their own metadata, too.
  var albumChange = 0.0
  var albumMetadata = 0.0
  var albumChanged = 0
  /// An import of many files.
  var importing = 0.0
  var imported = 0
  /// The number of files in the library that are as large as each of those.
  var equalSizes = 0
  /// The number of assets.
  var count = 0
  var found = 0
  var albumCount = 0
  /// Bytes that no file backs in the end, with the list of all held, and the most that were resident.
  var memory = 0
  var peakMemory = 0
}

/// `photome-bench look`: opens a library in a process of its own and prints the time of each step.
struct LookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "look", abstract: "Open and read a library once.", shouldDisplay: false)

  @Option var library: String
  /// By default the place of PhotoMe's own index.
  @Option var index: String?
  @Option var search: String
  /// The number of pictures that are moved away and back again.
  @Option var moves = 0
  /// The number of pictures of a new album, which is deleted again.
  @Option var albumOf = 0
  /// The number of new pictures, which are deleted again.
  @Option var imports = 0
  @Flag(help: "Query SQLite directly, without PhotoMe.") var floor = false

  func run() async throws {
    let look = try await look()
    print(String(decoding: try JSONEncoder().encode(look), as: UTF8.self))
  }

  private func look() async throws -> LibraryLook {
    guard floor else { return try await ownLook() }
    let sqlite = SQLiteLook(index: index ?? "", search: search)
    var look = try sqlite.result()
    if albumOf > 0 { look.albumChange = try sqlite.fillAlbum(with: albumOf) }
    if imports > 0 {
      let card = LargeImport(library: URL(fileURLWithPath: library), count: imports)
      (_, look.importing) = try await card.run { try sqlite.copy($0, to: $0.appendingPathExtension("copies")) }
      look.equalSizes = try sqlite.count(ofSize: card.fileSize)
    }
    return look
  }

  private func ownLook() async throws -> LibraryLook {
    var look = LibraryLook()
    let folder = URL(fileURLWithPath: library, isDirectory: true)
    let began = ContinuousClock.now
    let library = try await PhotoLibrary.open(at: folder, index: index.map { URL(fileURLWithPath: $0) })
    look.open = began.milliseconds
    look.rows = try await timed {
      let list = try await library.fetch(FetchOptions(limit: 100))
      _ = try list.assets(in: 0..<list.count)
    }
    try await library.refresh()
    look.refresh = began.milliseconds
    look.processor = Double(clock()) * 1000 / Double(CLOCKS_PER_SEC)
    var all = try await library.fetch()
    look.ids = try await timed { all = try await library.fetch() }
    look.count = all.count
    // As far as someone scrolls.
    for start in stride(from: 0, to: all.count, by: max(100, all.count / 50)) {
      _ = try all.assets(in: start..<min(start + 100, all.count))
    }
    var options = FetchOptions()
    options.text = search
    look.search = try await timed { look.found = try await library.fetch(options).count }
    if let album = try await library.fetchAlbums().first {
      look.album = try await timed { look.albumCount = try await library.fetch(in: album).count }
    }
    look.moments = try await timed { _ = try await library.fetchMoments() }
    if albumOf > 0 { try await fillAlbum(in: library, all, &look) }
    if imports > 0 { try await importPictures(into: library, &look) }
    all = try await move(in: library, all, &look)
    // As it is at rest: a look through the folder gives back what is not used any more.
    try await library.refresh()
    look.memory = ProcessUsage.ownMemory()
    look.peakMemory = ProcessUsage.ownPeakMemory()
    // Held until here.
    look.count = all.count
    await library.close()
    return look
  }

  /// Puts pictures into a new album, and deletes it.
  private func fillAlbum(
    in library: PhotoLibrary, _ all: FetchResult, _ look: inout LibraryLook
  ) async throws {
    let members = try all.assets(in: 0..<min(albumOf, all.count)).compactMap { $0?.id }
    let began = ContinuousClock.now
    try await library.performChanges { changes in
      let album = changes.createAlbum(title: "Many")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: members))
    }
    look.albumChange = began.milliseconds
    try await Self.waitForMetadata(of: library)
    look.albumMetadata = began.milliseconds
    guard let album = try await library.fetchAlbums().first(where: { $0.title == "Many" }) else {
      throw BenchError("The new album isn't there.")
    }
    look.albumChanged = try await library.fetch(in: album).count
    try await library.performChanges { $0.deleteAlbums([album.id]) }
    try await Self.waitForMetadata(of: library)
  }

  /// Returns when the pictures' own metadata say what the last change did: its lists are gone then.
  private static func waitForMetadata(of library: PhotoLibrary) async throws {
    let lists = library.folder.appendingPathComponent(".photome/pending").path
    while FileManager.default.fileExists(atPath: lists),
      try !FileManager.default.contentsOfDirectory(atPath: lists).isEmpty
    { try await Task.sleep(nanoseconds: 10_000_000) }
  }

  /// Imports new pictures of one size, and deletes them.
  private func importPictures(into library: PhotoLibrary, _ look: inout LibraryLook) async throws {
    let card = LargeImport(library: library.folder, count: imports)
    let (report, time) = try await card.run { try await library.importAssets(from: [$0], move: false) { _ in } }
    let added = report.imported.map(\.asset.id)
    look.importing = time
    look.imported = added.count
    try await library.performChanges { $0.deletePermanently(added) }
  }

  /// Takes pictures out of the folder and puts them back, as a file manager would, and follows the list of all.
  ///
  /// - Returns: The list in the end.
  private func move(
    in library: PhotoLibrary, _ all: consuming FetchResult, _ look: inout LibraryLook
  ) async throws -> FetchResult {
    let aside = library.folder.appendingPathExtension("aside")
    guard moves > 0 else { return all }
    try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: true)
    var shown = all
    var changes = library.changes().makeAsyncIterator()
    for number in 0..<moves {
      guard let asset = try shown.asset(at: shown.count * number / moves) else { continue }
      let away = aside.appendingPathComponent(asset.url.lastPathComponent)
      for (from, to) in [(asset.url, away), (away, asset.url)] {
        let began = ContinuousClock.now
        guard rename(from.path, to.path) == 0 else { throw BenchError("\(from.path) could not be moved.") }
        var isTold = false
        while !isTold, let change = await changes.next() {
          isTold = (to == away ? change.removed : change.inserted).contains(asset.id)
        }
        let details = try await library.changeDetails(for: shown)
        let time = began.milliseconds
        guard details.inserted.count + details.removed.count == 1 else {
          throw BenchError("The notice of \(from.path) says something else.")
        }
        shown = details.after
        if to == away { look.removals.append(time) } else { look.additions.append(time) }
      }
    }
    rmdir(aside.path)
    return shown
  }
}

extension ContinuousClock.Instant {
  /// Since then.
  var milliseconds: Double { (ContinuousClock.now - self) / .milliseconds(1) }
}

/// The time of a call, in milliseconds.
func timed(_ body: () async throws -> Void) async rethrows -> Double {
  let began = ContinuousClock.now
  try await body()
  return began.milliseconds
}
