// Every command of `photomectl library` on real folders, as scripts use it.

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct LibraryCommandTests {
  struct Listed: Decodable {
    struct Adjustment: Decodable {
      var formatIdentifier: String
      var formatVersion: String
      var data: String
    }

    var id: String
    var path: String
    var created: String
    var mediaType: String
    var live: Bool
    var favorite: Bool
    var hidden: Bool
    var albums: [String]
    var edited: Bool
    var adjustment: Adjustment?
  }

  struct Imported: Decodable {
    struct File: Decodable {
      var id: String
      var path: String
      var source: String
    }
    struct Refused: Decodable {
      var path: String
      var reason: String
    }
    var imported: [File]
    var duplicates: [File]
    var refused: [Refused]
  }

  struct Deleted: Decodable {
    var id: String
    var path: String
    var trashedPath: String?
  }

  struct Album: Decodable {
    var id: String
    var title: String
    var count: Int
  }

  struct Checked: Decodable {
    struct Problem: Decodable {
      var kind: String
      var path: String
      var advice: String
    }
    var clean: Bool
    var assets: Int
    var livePhotos: Int
    var originals: Int
    var unchanged: Int
    var problems: [Problem]
  }

  /// Shots of the built-in camera in a library of their own, newest first.
  private func shots(_ place: Place, _ count: Int, live: Bool = false, in folder: String = "Library") throws -> [Listed]
  {
    let library = ["--library", place.folder.path + "/" + folder]
    let sound = live ? ["--live", "--microphone", "none"] : []
    _ = try place.run(
      ["capture", "--camera", "test", "--count", "\(count)", "--resolution", "640x480"] + sound + library)
    return try place.decode([Listed].self, ["library", "list", "--json"] + library)
  }

  private func list(_ place: Place, _ options: String...) throws -> [Listed] {
    try place.decode([Listed].self, ["library", "list", "--json"] + options + place.library)
  }

  // MARK: Extent

  @Test func theListIsTheSameWithoutTheIndex() throws {
    let place = try Place()
    let shots = try shots(place, 3, live: true)
    _ = try place.run(["library", "favorite", shots[0].id] + place.library)
    _ = try place.run(["library", "album", "create", "Zürich"] + place.library)
    _ = try place.run(["library", "album", "create", "Bern & “co”"] + place.library)
    _ = try place.run(["library", "album", "add", "Zürich", shots[0].id, shots[1].path] + place.library)
    _ = try place.run(["library", "album", "add", "bern & “co”", shots[1].id] + place.library)
    // An edit as PhotoMe keeps it.
    let hidden = place.folder.path + "/Library/.photome"
    let original = "\(shots[2].id).MP.jpg"
    try FileManager.default.createDirectory(atPath: hidden + "/originals", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: shots[2].path, toPath: "\(hidden)/originals/\(original)")
    let record = """
      {"version": 1, "edit": {"formatIdentifier": "io.github.photome.adjustment", "formatVersion": "1",
      "data": "e30=", "original": "\(original)"}}
      """
    try Data(record.utf8).write(to: URL(fileURLWithPath: "\(hidden)/assets/\(shots[2].id).json"))
    let before = try place.run(["library", "list", "--json"] + place.library)
    let listed = try JSONDecoder().decode([Listed].self, from: Data(before.utf8))
    #expect(listed.map(\.id) == shots.map(\.id) && listed.allSatisfy(\.live))
    #expect(listed.map(\.favorite) == [true, false, false])
    #expect(listed.map(\.albums) == [["Zürich"], ["Bern & “co”", "Zürich"], []])
    #expect(listed.map(\.edited) == [false, false, true])
    #expect(listed[2].adjustment?.data == "e30=" && listed[2].adjustment?.formatVersion == "1")
    #expect(before.contains("\"adjustment\" : null"))

    try FileManager.default.removeItem(at: place.folder.appendingPathComponent("data/photome"))
    #expect(try place.run(["library", "list", "--json"] + place.library) == before)
    #expect(try place.run(["library", "rebuild", "--json"] + place.library).contains("\"assets\" : 3"))
    #expect(try place.run(["library", "list", "--json"] + place.library) == before)

    // And each filter.
    #expect(try list(place, "--favorites").map(\.id) == [shots[0].id])
    #expect(try list(place, "--edited").map(\.id) == [shots[2].id])
    #expect(try list(place, "--live", "--limit", "2").map(\.id) == shots.prefix(2).map(\.id))
    #expect(try list(place, "--videos").isEmpty && list(place, "--hidden").isEmpty)
    #expect(try list(place, "--album", "zurich").map(\.id) == shots.prefix(2).map(\.id))
    #expect(
      try place.decode([Listed].self, ["library", "search", "ZURICH", "img", "--json"] + place.library).map(\.id)
        == shots.prefix(2).map(\.id))
    let info = try place.run(["library", "info", String(shots[1].id.prefix(10))] + place.library)
    #expect(info.contains("albums: Bern & “co”, Zürich"))
  }

  @Test func albumsAreMadeChangedAndDeleted() throws {
    let place = try Place()
    let shot = try shots(place, 1)[0]
    let made = try place.decode(Album.self, ["library", "album", "create", "One", "--json"] + place.library)
    let full = try place.decode(Album.self, ["library", "album", "add", made.id, shot.id, "--json"] + place.library)
    #expect(full.id == made.id && full.title == "One" && full.count == 1)
    let renamed = try place.decode(
      Album.self, ["library", "album", "rename", "one", "Two", "--json"] + place.library)
    #expect(renamed.id == made.id && renamed.title == "Two")
    let listed = try place.decode([Album].self, ["library", "album", "list", "--json"] + place.library)
    #expect(listed.map(\.title) == ["Two"] && listed.map(\.count) == [1])
    let empty = try place.decode(
      Album.self, ["library", "album", "remove", "Two", shot.path, "--json"] + place.library)
    #expect(empty.count == 0)
    let gone = try place.decode(Album.self, ["library", "album", "delete", "Two", "--json"] + place.library)
    #expect(gone.id == made.id)
    #expect(try place.decode([Album].self, ["library", "album", "list", "--json"] + place.library).isEmpty)
    #expect(try list(place).map(\.id) == [shot.id])
  }

  @Test func aSmartAlbumIsMadeOfASearch() throws {
    let place = try Place()
    let shots = try shots(place, 2)
    _ = try place.run(["library", "favorite", shots[0].id] + place.library)
    _ = try place.run(["library", "album", "create", "Best", "--search", "favorite"] + place.library)
    let found = try place.decode([Listed].self, ["library", "list", "--album", "Best", "--json"] + place.library)
    #expect(found.map(\.id) == [shots[0].id])
    #expect(try place.result(["library", "album", "create", "None", "--search", " "] + place.library).status != 0)
  }

  @Test func anAlbumIsPutInOrder() throws {
    let place = try Place()
    let ids = try shots(place, 3).map(\.id)
    _ = try place.run(["library", "album", "create", "Sea"] + place.library)
    _ = try place.run(["library", "album", "add", "Sea"] + ids + place.library)
    func listed() throws -> [String] {
      try place.decode([Listed].self, ["library", "list", "--album", "Sea", "--json"] + place.library).map(\.id)
    }
    let newest = try listed()
    _ = try place.run(["library", "album", "move", "Sea", newest[2], "--before", newest[0]] + place.library)
    #expect(try listed() == [newest[2], newest[0], newest[1]])
    _ = try place.run(["library", "album", "move", "Sea", newest[2]] + place.library)
    #expect(try listed() == newest)
    _ = try place.run(["library", "album", "remove", "Sea", newest[0]] + place.library)
    let refused = try place.result(
      ["library", "album", "move", "Sea", newest[2], "--before", newest[0]] + place.library)
    #expect(refused.status == 1 && refused.errors.contains("isn’t in the album “Sea”"), "\(refused)")
    #expect(try listed() == [newest[1], newest[2]])
    _ = try place.run(["library", "album", "order", "Sea", "date"] + place.library)
    _ = try place.run(["library", "album", "cover", "Sea", newest[1]] + place.library)
    _ = try place.run(["library", "album", "cover", "Sea", "--first"] + place.library)
    #expect(try place.result(["library", "album", "cover", "Sea"] + place.library).status != 0)
    #expect(try place.result(["library", "album", "order", "Sea", "size"] + place.library).status != 0)
  }

  @Test func whatHasChangedIsListed() throws {
    struct Changes: Decodable {
      struct Details: Decodable {
        var added: [String]
        var changed: [String]
        var removed: [String]
      }
      var token: String
      var pictures: Details?
      var albums: Details?
    }
    let place = try Place()
    let ids = try shots(place, 2).map(\.id)
    func changes(_ options: String...) throws -> Changes {
      try place.decode(Changes.self, ["library", "changes", "--json"] + options + place.library)
    }
    let start = try changes()
    #expect(start.pictures == nil && start.albums == nil)
    let album = try place.decode(Album.self, ["library", "album", "create", "Sea", "--json"] + place.library)
    _ = try place.run(["library", "album", "add", "Sea", ids[0]] + place.library)
    _ = try place.run(["library", "delete", "--permanently", ids[1]] + place.library)
    let new = try #require(try shots(place, 1).map(\.id).first { !ids.contains($0) })
    let later = try changes("--since", start.token)
    #expect(later.pictures?.added == [new] && later.pictures?.removed == [ids[1]])
    #expect(later.pictures?.changed == [ids[0]])
    #expect(later.albums?.added == [album.id] && later.albums?.changed == [] && later.albums?.removed == [])
    let lines = try place.run(["library", "changes", "--since", start.token] + place.library)
    #expect(lines.contains("added    picture  \(new)\n") && lines.hasSuffix("token    \(later.token)\n"))
    #expect(try changes("--since", later.token).pictures?.added == [])

    // Reading all again keeps the history, but a new index has none.
    _ = try place.run(["library", "rebuild"] + place.library)
    #expect(try changes("--since", later.token).pictures?.added == [])
    try FileManager.default.removeItem(at: place.folder.appendingPathComponent("data/photome"))
    let refused = try place.result(["library", "changes", "--since", later.token] + place.library)
    #expect(refused.status == 1 && refused.errors.contains("List everything again"), "\(refused.errors)")
    #expect(try place.result(["library", "changes", "--since", "x"] + place.library).status == 64)
  }

  @Test func datesAndPlacesAreChangedInTheFiles() throws {
    struct Placed: Decodable {
      var id: String
      var created: String
      var latitude: Double?
      var longitude: Double?
    }
    let place = try Place()
    let ids = try shots(place, 2).map(\.id)
    func change(_ words: String...) throws -> [Placed] {
      try place.decode([Placed].self, ["library"] + words + ["--json"] + place.library)
    }
    let dated = try change("date", ids[0], "--to", "2020-05-06 07:08:09", "--zone", "-03:30")
    #expect(dated.map(\.created) == ["2020-05-06T07:08:09.000-0330"])
    let moved = try change("date", ids[0], "--by", "-1h8m9s")
    #expect(moved.map(\.created) == ["2020-05-06T06:00:00.000-0330"])
    let elsewhere = try change("date", ids[0], "--zone", "UTC")
    #expect(elsewhere.map(\.created) == ["2020-05-06T09:30:00.000Z"])
    let placed = try change("place", ids[0], ids[1], "--at", "-46.5,7.25")
    #expect(placed.map(\.latitude) == [-46.5, -46.5] && placed.map(\.longitude) == [7.25, 7.25])
    let removed = try change("place", ids[1], "--remove")
    #expect(removed.map(\.latitude) == [nil])
    for words in [
      ["date", ids[0]], ["date", ids[0], "--to", "soon"], ["date", ids[0], "--by", "1x"],
      ["date", ids[0], "--to", "2020-01-01", "--by", "1h"], ["date", ids[0], "--zone", "Mars"], ["place", ids[0]],
      ["place", ids[0], "--at", "Nowhere at all"],
    ] {
      #expect(try place.result(["library"] + words + place.library).status != 0, "\(words)")
    }
    for (text, reason) in [
      ("-46.5S, 7.25E", "letter"), ("46.5N, −7.25 W", "letter"), ("-46.5S", "letter"), ("0,0", "unknown place"),
    ] {
      let refused = try place.result(["library", "place", ids[0], "--at", text] + place.library)
      #expect(refused.status != 0 && refused.errors.contains(reason), "\(text): \(refused.errors)")
    }
    #expect(try place.run(["library", "verify", "--json"] + place.library).contains("\"clean\" : true"))
  }

  @Test func withoutATrashNothingIsDeletedUnlessItIsSaid() throws {
    let place = try Place()
    let shot = try #require(try shots(place, 1).first)
    // A Trash must be a folder.
    let data = place.folder.appendingPathComponent("data")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try Data().write(to: data.appendingPathComponent("Trash"))
    let refused = try place.result(["library", "delete", shot.id] + place.library)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("library delete --permanently \(shot.id)"), "\(refused.errors)")
    #expect(FileManager.default.fileExists(atPath: shot.path))
    _ = try place.run(["library", "delete", "--permanently", shot.id] + place.library)
    #expect(!FileManager.default.fileExists(atPath: shot.path))
  }

  @Test func deletedPicturesComeBack() throws {
    let place = try Place()
    let shots = try shots(place, 3)
    _ = try place.run(["library", "favorite", shots[0].id] + place.library)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: shots[0].path))
    let deleted = try place.decode(
      [Deleted].self, ["library", "delete", shots[0].id, shots[1].path, "--json"] + place.library)
    #expect(deleted.map(\.path) == shots.prefix(2).map(\.path))
    #expect(deleted.allSatisfy { FileManager.default.fileExists(atPath: $0.trashedPath ?? "") })
    #expect(try list(place).map(\.id) == [shots[2].id])
    let waiting = try place.decode([Deleted].self, ["library", "restore", "--list", "--json"] + place.library)
    #expect(Set(waiting.map(\.id)) == Set(shots.prefix(2).map(\.id)))
    let back = try place.decode(
      [Listed].self, ["library", "restore", String(shots[0].id.prefix(8)), "--json"] + place.library)
    #expect(back.map(\.id) == [shots[0].id] && back[0].favorite && back[0].path == shots[0].path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: shots[0].path)) == bytes)
    #expect(try place.run(["library", "restore", "--all"] + place.library).contains(shots[1].id))
    #expect(try list(place).map(\.id) == shots.map(\.id))
    // The printed command restores them.
    let words = try place.run(["library", "delete", shots[2].id] + place.library)
    #expect(words.contains("photomectl library restore \(shots[2].id)"))
    _ = try place.run(["library", "restore", shots[2].path] + place.library)
    // For good.
    let gone = try place.decode(
      [Deleted].self, ["library", "delete", "--permanently", shots[0].id, "--json"] + place.library)
    #expect(gone.count == 1 && gone[0].trashedPath == nil)
    #expect(!FileManager.default.fileExists(atPath: shots[0].path))
    #expect(try place.decode(Checked.self, ["library", "verify", "--json"] + place.library).clean)
  }

  @Test func filesAreImportedOnce() throws {
    let place = try Place()
    let source = try shots(place, 2, in: "Other")
    let folder = place.folder.appendingPathComponent("my card\nof today")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = ["a b.jpg", "line\nbreak.jpg"]
    for (shot, name) in zip(source, names) {
      try FileManager.default.copyItem(atPath: shot.path, toPath: folder.path + "/" + name)
    }
    let first = try place.decode(Imported.self, ["library", "import", folder.path, "--json"] + place.library)
    #expect(first.imported.map(\.id) == source.map(\.id) && first.duplicates.isEmpty && first.refused.isEmpty)
    #expect(first.imported.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    let again = try place.run(["library", "import", "--move", folder.path] + place.library)
    // A line each, whatever the names are.
    #expect(again.split(separator: "\n").count == 2 && again.contains(#"line\nbreak.jpg"#))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    // By a path with a line break.
    let listed = try place.run(["library", "info", first.imported[1].path] + place.library)
    #expect(listed.contains(first.imported[1].id))
    try Data().write(to: folder.appendingPathComponent("empty.jpg"))
    let refused = try place.result(["library", "import", folder.path, "--json"] + place.library)
    #expect(refused.status == 1 && refused.errors.split(separator: "\n").count == 1)
    #expect(refused.errors.contains("is empty"))
    #expect(try JSONDecoder().decode(Imported.self, from: Data(refused.output.utf8)).refused.count == 1)
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "needs exiftool"))
  func aShotDatedBeforeTheOthersHasItsPlace() throws {
    let place = try Place()
    let shots = try shots(place, 2)
    // As if the clock had been moved back: the same camera, an earlier date.
    let early = place.folder.appendingPathComponent("early.jpg")
    try FileManager.default.copyItem(atPath: shots[0].path, toPath: early.path)
    _ = try place.tool(
      "exiftool",
      [
        "-q", "-overwrite_original", "-ImageUniqueID=\(String(repeating: "a", count: 32))",
        "-AllDates=2001:02:03 04:05:06",
        early.path,
      ])
    _ = try place.run(["library", "import", early.path] + place.library)
    let listed = try list(place)
    #expect(listed.map(\.id) == shots.map(\.id) + [String(repeating: "a", count: 32)])
    #expect(listed[2].created.hasPrefix("2001-02-0"))
    #expect(listed[2].path.contains("/2001-02/"))
    #expect(try place.decode(Checked.self, ["library", "verify", "--json"] + place.library).clean)
  }

  @Test func twoProcessesImportAndChangeAtOnce() throws {
    let place = try Place()
    let shots = try shots(place, 2)
    let source = try self.shots(place, 6, in: "Other")
    let commands = [
      ["import", place.folder.path + "/Other"], ["import", place.folder.path + "/Other"], ["favorite", shots[0].id],
      ["album", "create", "A"], ["favorite", shots[1].id],
    ]
    let (folder, environment, library) = (place.folder, place.environment, place.library)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: commands.count) { number in
      do {
        let result = try Command.run(
          Command.products.appendingPathComponent("photomectl").path, ["library"] + commands[number] + library,
          at: folder, environment: environment)
        if result.status != 0 { failures.withLock { $0.append(result.errors) } }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let listed = try list(place)
    #expect(Set(listed.map(\.id)) == Set(shots.map(\.id) + source.map(\.id)) && listed.count == 8)
    #expect(Set(listed.filter(\.favorite).map(\.id)) == Set(shots.map(\.id)))
    let checked = try place.decode(Checked.self, ["library", "verify", "--json"] + place.library)
    #expect(checked.clean && checked.assets == 8)
  }

  // MARK: What is wrong

  @Test func problemsAreSaidWithAStatus() throws {
    let place = try Place()
    let shots = try shots(place, 2, live: true)
    let clean = try place.result(["library", "verify"] + place.library)
    #expect(clean.status == 0 && clean.output.contains("All is well."))
    // No terminal, no bar.
    #expect(clean.errors.isEmpty)
    let again = try place.decode(Checked.self, ["library", "verify", "--json"] + place.library)
    #expect(again.clean && again.assets == 2 && again.livePhotos == 2 && again.unchanged == 2)
    let url = URL(fileURLWithPath: shots[0].path)
    try Data(contentsOf: url).dropLast(1000).write(to: url)
    let result = try place.result(["library", "verify", "--json"] + place.library)
    #expect(result.status == 1 && result.errors == "photomectl: There is 1 problem.\n")
    let checked = try JSONDecoder().decode(Checked.self, from: Data(result.output.utf8))
    #expect(!checked.clean && checked.problems.map(\.path) == [shots[0].path] && !checked.problems[0].advice.isEmpty)
  }

  @Test func aTerminalGetsABar() throws {
    let place = try Place()
    _ = try shots(place, 1)
    let program = Command.products.appendingPathComponent("photomectl").path
    for (command, word) in [("verify", "checking"), ("rebuild", "reading")] {
      let result = try Command.run(
        "script", ["-qec", "'\(program)' library \(command) --library '\(place.folder.path)/Library'", "/dev/null"],
        at: place.folder, environment: place.environment)
      #expect(result.status == 0 && result.output.contains("\(word) █"), "\(result.output)")
    }
  }

  @Test(arguments: [
    (["library", "verify"], "doesn’t exist", 1), (["library", "rebuild"], "doesn’t exist", 1),
    (["library", "favorite", "nonsense"], "There is no item “nonsense”", 1),
    (["library", "favorite", "two\nlines"], #"There is no item “two\nlines”"#, 1),
    (["library", "album", "add", "nonsense", "x"], "There is no album “nonsense”", 1),
    (["library", "list", "--album", "nonsense"], "There is no album “nonsense”", 1),
    (["library", "restore", "nonsense"], "There is no item “nonsense”", 1),
    (["library", "restore"], "Give ids", 64), (["library", "list", "--limit", "-1"], "--limit", 64),
    (["library", "album", "create", " "], "an album needs a title", 1),
    (["library", "delete", "nonsense"], "There is no item “nonsense”", 1),
    (["library", "import", "nonsense"], "No such file", 1),
  ])
  func everyErrorIsOneLine(arguments: [String], words: String, status: Int32) throws {
    let place = try Place()
    let result = try place.result(arguments + place.library)
    #expect(result.status == status)
    #expect(result.errors.contains(words) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test func theUsualFolderInPlaceOfOneThatCanNotBeReadIsSaid() throws {
    let place = try Place()
    let settings = place.folder.appendingPathComponent("config/photome", isDirectory: true)
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
    try Data(#"{"libraryFolder": "#.utf8).write(to: settings.appendingPathComponent("settings.json"))
    let result = try place.result(["library", "list"])
    #expect(result.errors.contains("PhotoMe uses the default folder, “\(place.folder.path)/"), "\(result.errors)")
    #expect(result.errors.contains("settings.json” isn’t a JSON object"), "\(result.errors)")
    let named = try place.result(["library", "list"] + place.library)
    #expect(!named.errors.contains("default folder"), "\(named.errors)")
  }

  @Test(.enabled(if: Command.canMount, "only root may mount"))
  func aReadOnlyOrFullFolderIsSaid() throws {
    let place = try Place()
    let source = try shots(place, 4, in: "Other")
    let library = place.folder.path + "/Library"
    try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
    let mounted = try Command.run("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", library], at: place.folder)
    #expect(mounted.status == 0, "\(mounted.errors)")
    defer { _ = try? Command.run("umount", ["-l", library], at: place.folder) }
    let full = try place.result(
      ["library", "import", "--move", "--json", place.folder.path + "/Other"] + place.library)
    #expect(full.status == 1 && full.errors.contains("is full"), "\(full.errors)")
    #expect(full.errors.split(separator: "\n").count == 1)
    let imported = try JSONDecoder().decode(Imported.self, from: Data(full.output.utf8)).imported
    let listed = try list(place)
    #expect(Set(imported.map(\.id)) == Set(listed.map(\.id)) && imported.count < 4)
    #expect(source.count { FileManager.default.fileExists(atPath: $0.path) } == 4 - imported.count)
    _ = try Command.run("mount", ["-o", "remount,ro", library], at: place.folder)
    let refused = try place.result(["library", "import", place.folder.path + "/Other"] + place.library)
    #expect(refused.status == 1 && refused.errors.contains("it’s read-only"), "\(refused.errors)")
    let checked = try place.decode(Checked.self, ["library", "verify", "--json"] + place.library)
    #expect(checked.clean && checked.assets == imported.count)
    #expect(try place.run(["library", "rebuild"] + place.library).contains("\(imported.count) item"))
  }
}
