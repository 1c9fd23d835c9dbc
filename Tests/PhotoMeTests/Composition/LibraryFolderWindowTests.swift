// The library's folder as the preferences choose it, in the built program.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite("The chosen library folder", .serialized, .timeLimit(.minutes(30)))
struct LibraryFolderWindowTests {
  @Test(
    "Another folder is used from the next start on, and where it is gone a dialog leads to the usual one",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func folder() async throws {
    let session = try await PhotoMeSession()
    let chosen = session.desktop.folder.appendingPathComponent("chosen", isDirectory: true)
    try FileManager.default.createDirectory(at: chosen, withIntermediateDirectories: true)
    try await session.photoMe.activate("library-folder", chosen.path)
    try await session.photoMe.wait(for: "library-folder", chosen.path)
    try await session.photoMe.wait(for: "message") { $0.hasPrefix("PhotoMe will use “\(chosen.path)”") }
    // The running program stays with its own.
    try await session.takePhotos(1)
    #expect(session.pictures.count == 1)
    try await session.end()

    let second = try await RunningPhotoMe(on: session.desktop, ["--camera", "test"])
    try await second.wait(for: "status", "running")
    try await second.wait(for: "pictures", "0")
    try await second.activate("take-photo")
    try await second.wait(for: "pictures", "1")
    try await second.wait(for: "activity", "0")
    #expect(try await second.quit() == 0)
    let files = try FileManager.default.subpathsOfDirectory(atPath: chosen.path)
    #expect(files.contains { $0.hasSuffix(".jpg") })

    try FileManager.default.removeItem(at: chosen)
    let third = try await RunningPhotoMe(on: session.desktop, ["--camera", "test"])
    let input = InputDriver(desktop: session.desktop)
    try await input.focus(PhotoMeSession.failureDialog)
    try await input.press("alt+u")
    try await third.wait(for: "status", "running")
    #expect(try await third.state(of: "library-folder") == chosen.path, "its disk may be back at the next start")
    #expect(try await third.quit() == 0)
    #expect(third.errorText.contains(chosen.path))
    #expect(!FileManager.default.fileExists(atPath: chosen.path))
  }
}
