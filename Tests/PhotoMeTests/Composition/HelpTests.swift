// The help pages: their address, the viewer that gets it, and the message where there is none.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite("Help", .serialized, .timeLimit(.minutes(30)))
struct HelpTests {
  @Test("Pages are named where the viewer finds them by name, and else have the address of their folder")
  func addresses() {
    let shared = ["/a/.local/share", "/usr/local/share/", "/usr/share"]
    func address(_ folder: String, flatpakInfo: String? = nil) -> String {
      HelpPages.address(of: folder, dataFolders: flatpakInfo == nil ? shared : [], flatpakInfo: flatpakInfo)
    }
    #expect(address("/usr/share/help/C/photome") == "help:photome")
    #expect(address("/usr/local/share/help/C/photome") == "help:photome")
    #expect(address("/opt/photome/share/help/C/photome") == "ghelp:/opt/photome/share/help/C/photome")
    #expect(address("/a/photome/data/help/C") == "ghelp:/a/photome/data/help/C")
    // A Flatpak's own files, as the viewer outside sees them.
    let info = "[Application]\nname=a\n\n[Instance]\napp-path=/var/lib/flatpak/app/a/files\nbranch=stable\n"
    #expect(
      address("/app/share/help/C/photome", flatpakInfo: info)
        == "ghelp:/var/lib/flatpak/app/a/files/share/help/C/photome")
    #expect(address("/a/data/help/C", flatpakInfo: info) == "ghelp:/a/data/help/C")
  }

  @Test("Help opens the pages in Yelp, which gets their address")
  func viewer() async throws {
    let desktop = try await TestDesktop()
    let pipe = desktop.folder.appendingPathComponent("asked").path
    try #require(mkfifo(pipe, 0o600) == 0)
    // Yelp's desktop file with a stand-in for the program.
    let viewer = desktop.folder.appendingPathComponent("viewer")
    try Data("#!/bin/sh\necho \"$1\" > '\(pipe)'\n".utf8).write(to: viewer)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: viewer.path)
    let home = desktop.folder.appendingPathComponent("home")
    let programs = home.appendingPathComponent("data/applications")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let entry = """
      [Desktop Entry]
      Type=Application
      Name=Help
      Exec=\(viewer.path) %u
      MimeType=x-scheme-handler/ghelp;x-scheme-handler/help;

      """
    try Data(entry.utf8).write(to: programs.appendingPathComponent("yelp.desktop"))
    try Self.associate("Added", on: desktop)
    let asked = try ChildProcess("cat", [pipe], environment: desktop.environment, in: desktop.folder)
    let photoMe = try await Self.start(on: desktop)
    try await photoMe.activate("help")
    let address = await TestDesktop.firstLine(of: asked)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    #expect(address == "ghelp:\(root)/data/help/C")
    #expect(try await photoMe.quit() == 0)
  }

  @Test("Without Yelp, a message says what to install and where the pages are")
  func noViewer() async throws {
    let desktop = try await TestDesktop()
    try Self.associate("Removed", on: desktop)
    let photoMe = try await Self.start(on: desktop)
    try await photoMe.activate("help")
    try await photoMe.wait(for: "message") { $0.contains("install Yelp") && $0.contains("/data/help/C") }
    #expect(try await photoMe.quit() == 0)
  }

  /// Adds or removes Yelp as a program for help pages, whether it is installed or not.
  private static func associate(_ change: String, on desktop: TestDesktop) throws {
    let configuration = desktop.folder.appendingPathComponent("home/config")
    try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
    let list = "[\(change) Associations]\nx-scheme-handler/help=yelp.desktop;org.gnome.Yelp.desktop;\n"
    try Data(list.utf8).write(to: configuration.appendingPathComponent("mimeapps.list"))
  }

  private static func start(on desktop: TestDesktop) async throws -> RunningPhotoMe {
    let library = desktop.folder.appendingPathComponent("pictures").path
    let photoMe = try await RunningPhotoMe(on: desktop, ["--camera", "test", "--library", library])
    try await photoMe.wait(for: "status", "running")
    return photoMe
  }
}
