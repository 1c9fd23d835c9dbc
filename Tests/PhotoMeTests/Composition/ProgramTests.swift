// The built program on a desktop of its own, driven like a user or a script would.

import Foundation
import Testing

@Suite("The program on a desktop", .serialized, .timeLimit(.minutes(30)))
struct ProgramTests {
  @Test("The version is printed without a desktop")
  func version() async throws {
    let result = try await RunningPhotoMe.run(["--version"])
    #expect(result.status == 0)
    #expect(result.output.first?.hasPrefix("PhotoMe ") == true)
  }

  @Test("The program ends without the destructors of libraries, which its threads may still be in")
  func end() async throws {
    let loader = try await RunningPhotoMe.run(["--version"], environment: ["LD_DEBUG": "files"]).errors
    #expect(loader.contains("calling init: "))
    #expect(!loader.contains("calling fini: "))
  }

  @Test("Without its own files the program says so, and where it looked")
  func missingData() async throws {
    let result = try await RunningPhotoMe.run([], environment: ["PHOTOME_DATADIR": "/nonexistent"])
    #expect(result.status == 1)
    #expect(result.errors.contains("/nonexistent"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("A press over the bus makes a picture, and the picture is on screen meanwhile")
  func photo() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    let pictures = session.pictures
    #expect(pictures.count == 1)
    #expect(pictures.first?.pathExtension == "jpg")

    _ = try await session.find { Set($0.colors(x: 340..<840, y: 480..<481, step: 50)).count >= 2 ? true : nil }
    #expect(try await photoMe.quit() == 0)
  }

  @Test("A live photo over the bus is one file, and quitting waits for it")
  func livePhoto() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "activity", "1")
    #expect(try await photoMe.terminate() == 0)
    let pictures = session.pictures
    #expect(pictures.map(\.lastPathComponent).filter { $0.hasSuffix(".MP.jpg") }.count == 1)
    #expect(pictures.count == 1)
  }

  @Test("The last picture opens in the viewer and closes, and leaves the strip when its file is deleted")
  func viewer() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    #expect(try await photoMe.isEnabled("open-selected") == false)
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "open-selected", enabled: true)
    let picture = try #require(session.pictures.first)
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "viewing", picture.path)
    try await photoMe.activate("close-viewer")
    try await photoMe.wait(for: "viewing", "")
    try FileManager.default.removeItem(at: picture)
    try await photoMe.wait(for: "pictures", "0")
    #expect(try await photoMe.quit() == 0)
  }

  @Test("The library opens, is searched, marked, put into an album, deleted and brought back, all through actions")
  func library() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    for count in 1...2 {
      try await photoMe.activate("take-photo")
      try await photoMe.wait(for: "pictures", "\(count)")
    }
    try await photoMe.wait(for: "activity", "0")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page", "library")
    try await photoMe.wait(for: "listed", "2")
    #expect(try await photoMe.isEnabled("delete") == false)
    try await photoMe.activate("search", "no such name")
    try await photoMe.wait(for: "listed", "0")
    try await photoMe.activate("search", "")
    try await photoMe.wait(for: "listed", "2")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "2")
    try await photoMe.wait(for: "remove-from-favorites", enabled: false)
    try await photoMe.wait(for: "add-to-favorites", enabled: true)
    try await photoMe.activate("add-to-favorites")
    // The empty list in between makes sure that the next two items are those of the new list.
    try await photoMe.activate("search", "no such name")
    try await photoMe.wait(for: "listed", "0")
    try await photoMe.activate("select-collection", "smart:favorites")
    try await photoMe.wait(for: "select-collection", "smart:favorites")
    try await photoMe.activate("search", "")
    try await photoMe.wait(for: "listed", "2")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "2")
    try await photoMe.wait(for: "remove-from-favorites", enabled: true)
    try await photoMe.activate("new-album", "Sea")
    try await photoMe.wait(for: "selected", "0")
    try await photoMe.activate("select-collection", "smart:all")
    try await photoMe.wait(for: "select-collection", "smart:all")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "2")
    try await photoMe.activate("delete")
    try await photoMe.wait(for: "listed", "0")
    #expect(session.pictures.isEmpty)
    try await photoMe.wait(for: "undo-title", "Undo Deleting 2 Items")
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "listed", "2")
    #expect(session.pictures.count == 2)
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page", "viewer")
    let first = try await photoMe.state(of: "viewing")
    try await photoMe.wait(for: "next-picture", enabled: true)
    try await photoMe.activate("next-picture")
    try await photoMe.wait(for: "viewing") { $0 != first && !$0.isEmpty }
    try await photoMe.activate("close-viewer")
    try await photoMe.wait(for: "page", "library")
    try await photoMe.activate("close-library")
    try await photoMe.wait(for: "page", "camera")
    try await session.end()
  }

  @Test("Albums go into folders and out, are renamed and deleted, all through actions")
  func albums() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page", "library")
    try await photoMe.activate("new-album", "Sea")
    try await photoMe.wait(for: "albums", "1")
    let album = try #require(Self.records(in: session.library).first)
    try await photoMe.activate("new-folder", "Trips", "")
    try await photoMe.wait(for: "folders", "1")
    let folder = try #require(Self.records(in: session.library).first { $0 != album })
    try await photoMe.activate("move-collection", album, folder)
    try await photoMe.activate("select-collection", album)
    try await photoMe.wait(for: "select-collection", album)
    try await photoMe.wait(for: "delete-album", enabled: true)
    try await photoMe.activate("rename-collection", album, "Ocean")
    // The folder's contents stay.
    try await photoMe.activate("delete-collection", folder)
    try await photoMe.wait(for: "folders", "0")
    #expect(Self.records(in: session.library) == [album])
    try await photoMe.activate("delete-collection", album)
    try await photoMe.wait(for: "albums", "0")
    try await photoMe.wait(for: "select-collection", "smart:all")
    try await session.end()
  }

  @Test("Where there is no Trash nothing is deleted, and the window asks")
  func noTrash() async throws {
    let session = try await PhotoMeSession { desktop in
      let data = try #require(desktop.environment["XDG_DATA_HOME"])
      try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
      // A file in its place makes the Trash unusable.
      try Data().write(to: URL(fileURLWithPath: data + "/Trash"))
    }
    let photoMe = session.photoMe
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "open-selected", enabled: true)
    let picture = try #require(session.pictures.first)
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page", "viewer")
    try await photoMe.activate("delete")
    try await photoMe.wait(for: "asking") { $0.contains(picture.lastPathComponent) }
    #expect(FileManager.default.fileExists(atPath: picture.path))
    #expect(try await photoMe.quit() == 0)
    #expect(FileManager.default.fileExists(atPath: picture.path))
  }

  @Test("A camera that isn't there gives its state, and the test camera is the way out")
  func unknownCamera() async throws {
    let session = try await PhotoMeSession(camera: "nonsense", status: "failed")
    let photoMe = session.photoMe
    try await photoMe.activate("take-photo")
    try await photoMe.activate("use-test-camera")
    try await photoMe.wait(for: "status", "running")
    #expect(try await photoMe.state(of: "select-camera") == "test")
    #expect(try await photoMe.quit() == 0)
    #expect(session.pictures.isEmpty)
  }

  @Test("Without an encoder Live can't be switched on, and all else works")
  func missingPlugins() async throws {
    let desktop = try await TestDesktop()
    // Pretends that only these plugins are installed.
    let plugins = desktop.folder.appendingPathComponent("plugins")
    try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
    for name in ["coreelements", "app", "videoconvertscale"] {
      let library = try #require(Self.plugin("libgst\(name).so"))
      try FileManager.default.createSymbolicLink(
        at: plugins.appendingPathComponent(library.lastPathComponent), withDestinationURL: library)
    }
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library.path],
      environment: ["GST_PLUGIN_SYSTEM_PATH_1_0": plugins.path])
    try await photoMe.wait(for: "status", "running")
    try await photoMe.wait(for: "toggle-live", enabled: false)
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    #expect(try await photoMe.state(of: "toggle-live") == "false")
    #expect(try await photoMe.quit() == 0)
  }

  /// The path of an installed GStreamer plugin.
  private static func plugin(_ name: String) -> URL? {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
    return (folders.map { "/usr/lib/\($0)/gstreamer-1.0/\(name)" } + ["/usr/lib/gstreamer-1.0/\(name)"])
      .first { FileManager.default.fileExists(atPath: $0) }.map { URL(fileURLWithPath: $0) }
  }

  @Test(
    "Something that is no folder in the library’s place is said in a dialog, which ends the program",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func impossibleLibrary() async throws {
    let desktop = try await TestDesktop()
    let file = desktop.folder.appendingPathComponent("file")
    try Data("no folder".utf8).write(to: file)
    let environment = desktop.environment
    let run = Task {
      try await RunningPhotoMe.run(["--camera", "test", "--library", file.path], environment: environment)
    }
    let input = InputDriver(desktop: desktop)
    try await input.focus(PhotoMeSession.failureDialog)
    try await input.press("Escape")
    let result = try await run.value
    #expect(result.status == 1)
    #expect(result.errors.contains(file.path))
  }

  @Test("A second start brings the first window to the front and ends")
  func secondStart() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    let second = try await RunningPhotoMe.run([], environment: session.desktop.environment)
    #expect(second.status == 0)
    #expect(try await photoMe.state(of: "status") == "running")
    #expect(try await photoMe.quit() == 0)
  }

  /// The IDs of the albums and folders of a library.
  private static func records(in library: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: library.path + "/.photome/albums")) ?? []
    return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { String($0.dropLast(5)) }
  }
}
