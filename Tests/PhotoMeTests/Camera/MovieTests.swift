// Movies in the built program: recorded, paused, finished when the window closes, and named after a kill.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite("Movies in the window", .serialized, .timeLimit(.minutes(30)))
struct MovieTests {
  /// Begins a movie, and returns when a second of it has been recorded.
  private func record(_ photoMe: RunningPhotoMe) async throws {
    try await photoMe.activate("mode", "video")
    try await photoMe.wait(for: "mode", "video")
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "movie-length") { !["", "0:00"].contains($0) }
  }

  private func movieFiles(_ session: PhotoMeSession) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: session.library.path)
      .filter { $0.contains("VID_") }.map { URL(fileURLWithPath: $0).lastPathComponent }.sorted()
  }

  @Test("A movie is recorded and paused, with a photo meanwhile, while other controls rest")
  func record() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await record(photoMe)
    for action in ["toggle-live", "effects", "select-camera", "mode", "movie-quality", "movie-codec"] {
      try await photoMe.wait(for: action, enabled: false)
    }
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.activate("pause-movie")
    try await photoMe.wait(for: "movie", "paused")
    try await photoMe.activate("pause-movie")
    try await photoMe.wait(for: "movie", "recording")
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "movie", "idle")
    let path = try #require(try await photoMe.state(of: "movie-path"))
    #expect(session.pictures.map(\.path).contains(path))
    try await photoMe.wait(for: "pictures", "2")
    for action in ["toggle-live", "effects", "select-camera", "mode", "movie-quality", "movie-codec"] {
      try await photoMe.wait(for: action, enabled: true)
    }
    #expect(try await photoMe.isEnabled("pause-movie") == false)
    try await photoMe.activate("movie-quality", "high")
    try await photoMe.wait(for: "movie-quality", "high")
    try await photoMe.activate("movie-codec", "hevc")
    try await photoMe.wait(for: "movie-codec", "hevc")
    try await session.end()
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "status", "running")
    #expect(try await again.state(of: "mode") == "video")
    #expect(try await again.state(of: "movie-quality") == "high")
    #expect(try await again.state(of: "movie-codec") == "hevc")
    #expect(try await again.quit() == 0)
  }

  @Test("Closing the program finishes the movie first")
  func closeWhileRecording() async throws {
    let session = try await PhotoMeSession()
    try await record(session.photoMe)
    try await session.end()
    let files = try movieFiles(session)
    #expect(files.count == 1 && files[0].hasPrefix("VID_") && files[0].hasSuffix(".mp4"), "\(files)")
  }

  @Test("A movie whose program was killed has its name at the next start")
  func kill() async throws {
    let session = try await PhotoMeSession()
    try await record(session.photoMe)
    try await session.photoMe.kill()
    #expect(try movieFiles(session).allSatisfy { $0.hasPrefix(".VID_") })
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "pictures", "1")
    let files = try movieFiles(session)
    #expect(files.count == 1 && files[0].hasPrefix("VID_") && files[0].hasSuffix(".mp4"), "\(files)")
    #expect(try await again.quit() == 0)
  }

  @Test(
    "V, Space and P do what the shortcuts say", .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func keys() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.press("v")
    try await photoMe.wait(for: "mode", "video")
    try await input.press("space")
    try await photoMe.wait(for: "movie", "recording")
    try await input.press("p")
    try await photoMe.wait(for: "movie", "paused")
    try await input.press("p")
    try await photoMe.wait(for: "movie", "recording")
    try await photoMe.wait(for: "movie-length") { !["", "0:00"].contains($0) }
    try await input.press("Return")
    try await photoMe.wait(for: "movie", "idle")
    try await photoMe.wait(for: "pictures", "1")
    try await input.press("v")
    try await photoMe.wait(for: "mode", "photo")
    try await session.end()
  }

  /// A session manager that prints the requests of programs. GTK looks for it when it starts.
  private static let sessionManager = """
    import gi
    from gi.repository import Gio, GLib
    text = "<node><interface name='org.gnome.SessionManager'>" \\
        "<method name='Inhibit'><arg type='s' direction='in'/><arg type='u' direction='in'/>" \\
        "<arg type='s' direction='in'/><arg type='u' direction='in'/><arg type='u' direction='out'/></method>" \\
        "<method name='Uninhibit'><arg type='u' direction='in'/></method></interface></node>"
    def called(bus, sender, path, interface, method, arguments, invocation):
        print(method, *arguments.unpack()[2:] if method == "Inhibit" else arguments.unpack(), flush=True)
        invocation.return_value(GLib.Variant("(u)", (7,)) if method == "Inhibit" else None)
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    bus.register_object("/org/gnome/SessionManager", Gio.DBusNodeInfo.new_for_xml(text).interfaces[0], called, None, None)
    Gio.bus_own_name_on_connection(bus, "org.gnome.SessionManager", 0, lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()
    """

  static let hasPython: Bool = {
    let check = Process()
    check.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    check.arguments = ["-c", "import gi"]
    check.standardError = FileHandle.nullDevice
    guard (try? check.run()) != nil else { return false }
    check.waitUntilExit()
    return check.terminationStatus == 0
  }()

  @Test(
    "The machine neither sleeps nor blanks its screen while a video is recorded",
    .enabled(if: MovieTests.hasPython, "python3-gi is not installed"))
  func sleep() async throws {
    let desktop = try await TestDesktop()
    let manager = try ChildProcess(
      "/usr/bin/python3", ["-c", Self.sessionManager], environment: desktop.environment, in: desktop.folder)
    var requests = manager.lines.makeAsyncIterator()
    let readiness = await requests.next()
    #expect(readiness == "ready", "\(manager.errorText)")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", desktop.folder.appendingPathComponent("pictures").path])
    try await photoMe.wait(for: "status", "running")
    try await record(photoMe)
    // Suspend is 4, idle is 8.
    let request = await requests.next()
    #expect(request == "Inhibit A video is being recorded 12")
    try await photoMe.activate("press-shutter")
    let release = await requests.next()
    #expect(release == "Uninhibit 7")
    try await photoMe.wait(for: "movie", "idle")
    #expect(try await photoMe.quit() == 0)
    manager.terminate()
  }
}
