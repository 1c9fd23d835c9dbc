// Indexes, records and journals of earlier versions are read without loss.

import CameraCore
import Foundation
import GRDB
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct FrozenFileTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Frozen").standardizedFileURL
  private static let migrations = [
    "1 assets", "2 records and albums", "3 days and places", "4 digests and departures",
    "5 identities", "6 disks", "7 numbers in records", "8 bursts", "9 key photos", "10 sheets", "11 search", "12 pairs",
    "13 order", "14 history", "15 arranged albums", "16 marks in the history",
  ]
  private static let album = String(repeating: "1", count: 32)
  private static let list = String(repeating: "2", count: 32)

  private static func id(_ letter: Character) -> Asset.ID { String(repeating: letter, count: 32) }

  private static func data(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent(name))
  }

  private func copyIndex(_ version: Int, to scratch: Scratch) throws {
    try Self.data("index-\(version).sqlite").write(to: scratch.index)
  }

  /// Every object of a schema but those of SQLite and of the migrator.
  private static func schema(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations' ORDER BY name
        """)
  }

  /// Every row of a table, by these columns.
  private static func rows(
    _ table: String, columns: [String], _ db: Database
  ) throws -> Set<[String: DatabaseValue]> {
    Set(
      try Row.fetchAll(db, sql: "SELECT \(columns.joined(separator: ", ")) FROM \(table)").map { row in
        Dictionary(row.map { ($0.0, $0.1) }) { first, _ in first }
      })
  }

  // MARK: The index

  @Test func everyMigrationHasAFrozenIndex() {
    #expect(IndexSchema.migrator.migrations == Self.migrations)
  }

  /// A migration that was published never changes: it makes what it made then.
  @Test(arguments: 2...16) func migrationsMakeWhatTheyAlwaysMade(version: Int) throws {
    let scratch = try Scratch()
    try copyIndex(version, to: scratch)
    let frozen = try DatabaseQueue(path: scratch.index.path)
    let fresh = try DatabaseQueue()
    try IndexSchema.migrator.migrate(fresh, upTo: Self.migrations[version - 1])
    #expect(try frozen.read(Self.schema) == fresh.read(Self.schema))
    let applied = try frozen.read(IndexSchema.migrator.appliedIdentifiers)
    #expect(applied == Set(Self.migrations.prefix(version)))
  }

  @Test(arguments: 1...16) func anOldIndexGetsTheSchemaOfToday(version: Int) throws {
    let scratch = try Scratch()
    try copyIndex(version, to: scratch)
    let names = [
      "asset", "unusable", "record", "membership", "collection", "change", "digest", "departed", "binding", "unbound",
      "deliberate", "property",
    ]
    let queue = try DatabaseQueue(path: scratch.index.path)
    let before = try queue.read { db in
      try names.filter { try db.tableExists($0) }.map { name in
        let columns = try db.columns(in: name).map(\.name)
        return (name, columns, try Self.rows(name, columns: columns, db))
      }
    }
    try IndexSchema.migrator.migrate(queue)
    let fresh = try DatabaseQueue()
    try IndexSchema.migrator.migrate(fresh)
    #expect(try queue.read(Self.schema) == fresh.read(Self.schema))
    // Version 1 is read from the files again.
    for (table, columns, rows) in before {
      #expect(!rows.isEmpty, "\(table)")
      if version == 1 {
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0, "\(table)")
      } else {
        // Since pairs are one asset, files of other programs are read again, and movies since their time zones count.
        let expected = Set(
          rows.map { row in
            var row = row
            let isMovie: Bool = row["isVideo"] == true.databaseValue
            let isForeign: Bool = row["isOwn"] == false.databaseValue
            if table == "asset", isForeign, version < 12 || version < 13 && isMovie {
              row["changed"] = FileState.outdated.databaseValue
            }
            // The records of albums are read again since they have positions.
            if table == "collection", version < 15 { row["changed"] = FileState.outdated.databaseValue }
            return row
          })
        #expect(try queue.read { try Self.rows(table, columns: columns, $0) } == expected, "\(table)")
      }
    }
  }

  /// The files are those of today, with the ids that the frozen index and the frozen records know.
  @Test(arguments: 1...16) func aLibraryWithAnOldIndexHasAllItHad(version: Int) async throws {
    let scratch = try Scratch()
    for (number, letter) in "abc".enumerated() {
      let metadata = try Samples.metadata(date: Samples.date.addingTimeInterval(Double(number)))
      let photo = try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: metadata, id: Self.id(letter))
      try scratch.put(photo, "2026-11/\(LibraryFolder.stem(metadata)).jpg")
      if letter == "c" { try scratch.put(photo, ".photome/originals/\(Self.id(letter)).jpg") }
    }
    try scratch.put(Samples.mp4(), "2026-11/VID_20261121_073200_000.mp4")
    for (letter, name) in [("a", "favorite"), ("b", "hidden"), ("c", "edited")] {
      try scratch.put(Self.data("records/asset-\(name).json"), ".photome/assets/\(Self.id(Character(letter))).json")
    }
    try scratch.put(Self.data("records/album.json"), ".photome/albums/\(Self.album).json")
    try scratch.put(Self.data("records/folder.json"), ".photome/albums/\(Self.list).json")
    try copyIndex(version, to: scratch)

    let library = try await scratch.library()
    #expect(library.recovery.isEmpty)
    try await library.refresh()
    #expect(try await library.count() == 4)
    let favorite = try #require(try await library.asset(id: Self.id("a")))
    #expect(favorite.isFavorite && !favorite.isHidden && favorite.created == Samples.date)
    #expect(try await library.asset(id: Self.id("b"))?.isHidden == true)
    #expect(try await library.asset(id: Self.id("c"))?.isEdited == true)
    #expect(
      try await library.adjustmentData(for: Self.id("c"))
        == AdjustmentData(
          formatIdentifier: "io.github.photome.recipe", formatVersion: "1", data: Data(#"{"effect":"comic"}"#.utf8)))
    let album = try #require(try await library.fetchAlbums().first)
    #expect(album.id == Self.album && album.title == "Journée à Zürich" && album.listID == Self.list)
    #expect(try await library.fetch(in: album).allAssets().map(\.id) == [favorite.id])
    #expect(try await library.fetchLists().map(\.title) == ["2026"])
    let checked = try await library.verify()
    // The fifth one remembers a picture that isn't among these.
    #expect(checked.problems.map(\.kind) == (version >= 5 ? [.gone] : []), "\(checked.problems)")
    // The movie keeps the id that an index has for it, which isn't that of its content here, by a record of its own.
    #expect(checked.isComplete && checked.records == (version == 1 ? 3 : 4) && checked.albums == 2)
    await library.close()
  }

  // MARK: Records

  @Test func recordsOfAssetsAreReadAndWrittenTheSame() throws {
    var favorite = AssetRecord()
    favorite.isFavorite = true
    favorite.albums = [Self.album: 5]
    favorite.added.ratingBefore = 3
    var hidden = AssetRecord()
    hidden.isHidden = true
    hidden.albums = [Self.album: 6]
    // A newer version's key, which today's keeps.
    hidden.others = ["newer": .object(["list": .array([.integer(1), .number(2.5), .text("x"), .null, .bool(true)])])]
    var edited = AssetRecord()
    edited.edit = .init(
      adjustment: AdjustmentData(
        formatIdentifier: "io.github.photome.recipe", formatVersion: "1", data: Data(#"{"effect":"comic"}"#.utf8)),
      original: "\(Self.id("c")).jpg")
    for (name, expected) in [("favorite", favorite), ("hidden", hidden), ("edited", edited)] {
      let json = try Self.data("records/asset-\(name).json")
      var record = try AssetRecord(json: json, path: name)
      record.others["version"] = nil
      #expect(record == expected, "\(name)")
      #expect(expected.json == json, "\(name)")
    }
  }

  @Test func whatWasAddedIsReadAsItWasWritten() throws {
    var record = AssetRecord()
    record.isFavorite = true
    record.added = AddedMetadata(rating: true, ratingBefore: 2.5, subjects: ["Bern", "Zürich"])
    record.edit = .init(
      adjustment: AdjustmentData(formatIdentifier: "f", formatVersion: "1", data: Data([1])),
      original: "\(Self.id("c")).MP.jpg", added: AddedMetadata(rating: true, ratingBefore: 1, subjects: ["Thun"]),
      placement: PicturePlacement(origin: SIMD2(0, 0.5), right: SIMD2(2, 0), down: SIMD2(0, -1.25)),
      liveEnding: ".MP.jpg")
    record.file = .init(path: "2026-11/a.jpg", content: Self.id("a"), number: .max)
    #expect(try AssetRecord(json: record.json, path: "x") == record)
    // Untrusted input: an ending leads nowhere else, numbers are numbers.
    let text = String(decoding: record.json, as: UTF8.self).replacing(".MP.jpg\",\n    \"o", with: "/../x\",\n    \"o")
      .replacing("-1.25", with: "\"far\"")
    let read = try AssetRecord(json: Data(text.utf8), path: "x")
    #expect(read.edit != nil && read.edit?.liveEnding == nil && read.edit?.placement == nil)
  }

  @Test func recordsOfCollectionsAreReadAndWrittenTheSame() throws {
    let album = CollectionRecord(
      kind: .album, title: "Journée à Zürich", parent: Self.list, created: 1_795_242_666_123)
    let list = CollectionRecord(kind: .folder, title: "2026", parent: nil, created: 1_795_242_666_123)
    for (name, expected) in [("album", album), ("folder", list)] {
      let json = try Self.data("records/\(name).json")
      #expect(try CollectionRecord(json: json, path: name) == expected)
      #expect(expected.json == json)
    }
    // Since albums can be arranged.
    var arranged = album
    arranged.position = -5
    #expect(try CollectionRecord(json: arranged.json, path: "album") == arranged)
    let without = String(decoding: arranged.json, as: UTF8.self).replacing("-5", with: "\"first\"")
    #expect(try CollectionRecord(json: Data(without.utf8), path: "album") == album)
  }

  // MARK: The journal

  private static let token = "0123456789abcdef"

  @Test func everyStepOfAJournalIsUnderstood() throws {
    let journal = try JSONDecoder().decode(Journal.self, from: Self.data("journal.json"))
    let incoming = ".photome/incoming/\(Self.token)"
    #expect(
      journal.steps == [
        .publish(
          temporary: "\(incoming)/.new.\(Self.token).1.tmp", folder: "2026-11", stem: "IMG_20261121_073109_456",
          ending: ".MP.jpg"),
        .replace(
          temporary: "\(incoming)/.record.\(Self.token).2.tmp", path: ".photome/assets/\(Self.id("a")).json"),
        .move(from: "2026-11/old.jpg", to: "2026-12/old.jpg", number: 7),
        .remove(path: "2026-11/gone.jpg", number: 8),
      ])
    #expect(journal.version == 1)
  }

  @Test func everyStepOfAJournalOfVersion2IsUnderstood() throws {
    let scratch = try Scratch()
    let data = try Self.data("journal-2.json")
    let file = try scratch.put(data, "journal.json")
    let journal = try Journal(of: file.path, disk: Disk())
    let incoming = ".photome/incoming/\(Self.token)"
    var mark = FileMark(try #require(Disk().status(file.path)), sample: String(repeating: "d", count: 32))
    (mark.size, mark.modified, mark.changed, mark.number) = (5, 1, 2, 7)
    #expect(
      journal.steps == [
        .publish(
          temporary: "\(incoming)/.new.\(Self.token).1.tmp", folder: "2026-11", stem: "IMG_20261121_073109_456",
          ending: ".MP.jpg"),
        .adopt(
          temporary: "\(incoming)/.original.\(Self.token).2.tmp", path: ".photome/originals/\(Self.id("a")).jpg"),
        .replace(
          temporary: "\(incoming)/.record.\(Self.token).3.tmp", path: ".photome/assets/\(Self.id("a")).json",
          over: .nothing),
        .replace(temporary: "\(incoming)/.edit.\(Self.token).4.tmp", path: "2026-11/a.jpg", over: .file(mark)),
        .move(from: "2026-11/old.jpg", to: "2026-12/old.jpg", number: 7, file: mark),
        .remove(path: "2026-11/gone.jpg", number: 7, file: mark),
      ])
    #expect(journal.machine == MachineIdentity(machine: "a", boot: "b", name: "attic"))
    #expect(try journal.json() == data)
  }

  @Test func aJournalOfANewerVersionIsNotFinished() async throws {
    let scratch = try Scratch()
    try scratch.put(Data(#"{"steps":[{"else":{}}],"version":3}"#.utf8), ".photome/journal/\(Self.token).3.json")
    let library = try await scratch.library()
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { _ = $0.createAlbum(title: "Bern") }
    }
    #expect(error == .unfinishedChange(reason: "a newer version of PhotoMe has begun it; update PhotoMe"))
    await library.close()
  }

  @Test func aJournalOfADeadProcessIsFinished() async throws {
    let scratch = try Scratch()
    let incoming = ".photome/incoming/\(Self.token)"
    try scratch.put(Data("new".utf8), "\(incoming)/.new.\(Self.token).1.tmp")
    let record = try Self.data("records/asset-favorite.json")
    try scratch.put(record, "\(incoming)/.record.\(Self.token).2.tmp")
    // Not the files that the journal means: theirs have other numbers.
    try scratch.put(Data("old".utf8), "2026-11/old.jpg")
    try scratch.put(Data("gone".utf8), "2026-11/gone.jpg")
    try scratch.put(Self.data("journal.json"), ".photome/journal/\(Self.token).3.json")
    let library = try await scratch.library()
    #expect(library.recovery == [.finishedChange])
    #expect(
      // Clearing orphaned records in the background takes the lock.
      scratch.files().filter { $0 != ".photome/lock" } == [
        ".photome/assets/\(Self.id("a")).json", "2026-11/IMG_20261121_073109_456.MP.jpg", "2026-11/gone.jpg",
        "2026-11/old.jpg",
      ])
    #expect(try Data(contentsOf: scratch.pictures.appendingPathComponent(scratch.files()[0])) == record)
    await library.close()
  }
}
