// Files given to the built program, at its start and while it runs; the first-run page.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite("Opening files", .serialized, .timeLimit(.minutes(30)))
struct OpeningWindowTests {
  /// A picture outside of the library.
  private func makePicture(_ name: String, on desktop: TestDesktop) throws -> URL {
    let url = desktop.folder.appendingPathComponent(name)
    let screenshots = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../data/screenshots")
      .standardized
    try FileManager.default.copyItem(at: screenshots.appendingPathComponent("viewer.png"), to: url)
    return url
  }

  @Test("A file is shown without the camera, a second start shows another one, and one is added to the library")
  func files() async throws {
    let desktop = try await TestDesktop()
    let library = desktop.folder.appendingPathComponent("pictures")
    let (first, second) = (
      try makePicture("first.png", on: desktop), try makePicture("second photo.png", on: desktop)
    )
    let options = ["--camera", "test", "--library", library.path]
    let photoMe = try await RunningPhotoMe(on: desktop, options + [first.path])
    try await photoMe.wait(for: "viewing", first.path)
    #expect(try await photoMe.state(of: "page") == "viewer")
    #expect(try await photoMe.state(of: "status") != "running", "nobody asked for the camera")
    try await photoMe.wait(for: "add-to-library", enabled: true)
    for action in ["favorite", "delete", "hide", "edit", "add-to-album"] {
      #expect(try await photoMe.isEnabled(action) == false, "\(action)")
    }
    for action in ["copy", "open-with", "show-in-files", "export"] {
      #expect(try await photoMe.isEnabled(action) == true, "\(action)")
    }
    // By a path that only the second start knows.
    let start = try ChildProcess(
      "env", ["-C", desktop.folder.path, RunningPhotoMe.executable, second.lastPathComponent],
      environment: desktop.environment, in: desktop.folder)
    #expect(try await start.exitStatus() == 0)
    try await photoMe.wait(for: "viewing", second.path)
    try await photoMe.activate("add-to-library")
    try await photoMe.wait(for: "viewing") { $0.hasPrefix(library.path) }
    try await photoMe.wait(for: "favorite", enabled: true)
    try await photoMe.wait(for: "add-to-library", enabled: false)
    try await photoMe.activate("close-viewer")
    try await photoMe.wait(for: "status", "running")
    try await photoMe.activate("open-file", desktop.folder.appendingPathComponent("missing.jpg").path)
    try await photoMe.wait(for: "message") { $0.contains("missing.jpg") }
    // A folder is asked about.
    let empty = desktop.folder.appendingPathComponent("Empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    try await photoMe.activate("open-file", empty.path)
    try await photoMe.wait(for: "message") { $0 == "There are no photos or videos to open in “Empty”." }
    let folder = desktop.folder.appendingPathComponent("Holiday")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: first, to: folder.appendingPathComponent("first.png"))
    try await photoMe.activate("open-file", folder.path)
    try await photoMe.wait(for: "answer-opening", "Import 1 Item From “Holiday”?")
    try await photoMe.activate("answer-opening", "cancel")
    try await photoMe.wait(for: "answer-opening", "")
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
  }

  @Test(
    "The first-run page is shown once, while the camera starts, and Enter closes it",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func welcome() async throws {
    let session = try await PhotoMeSession { desktop in
      try FileManager.default.removeItem(at: desktop.folder.appendingPathComponent("home/config/photome/settings.json"))
    }
    #expect(try await session.photoMe.state(of: "welcome") == "shown")
    try await session.input.focus("Welcome")
    try await session.input.press("Return")
    try await session.photoMe.wait(for: "welcome", "")
    try await session.takePhotos(1)
    try await session.end()
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "status", "running")
    #expect(try await again.state(of: "welcome") == "")
    #expect(try await again.quit() == 0)
  }
}
