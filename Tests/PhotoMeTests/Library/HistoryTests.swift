// Undo, Recently Deleted and the lock on hidden pictures in the running program.

import Foundation
import Testing

@Suite("Undo and Recently Deleted", .serialized, .timeLimit(.minutes(30)))
struct HistoryTests {
  @Test("Deleted pictures are listed, restored and deleted for good, and undo works after a restart")
  func restart() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await session.takePhotos(3)
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "3")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "delete", enabled: true)
    try await photoMe.activate("delete")
    try await photoMe.wait(for: "listed", "0")
    try await photoMe.activate("select-collection", "trash")
    try await photoMe.wait(for: "listed", "3")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "restore-deleted", enabled: true)
    #expect(try await photoMe.isEnabled("favorite") == false)
    #expect(try await photoMe.isEnabled("delete") == false)
    try await photoMe.activate("restore-deleted")
    try await photoMe.wait(for: "listed", "0")
    #expect(session.pictures.count == 3)
    try await photoMe.wait(for: "undo-title", "Undo Restore of 3 Pictures")
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "listed", "3")
    try await photoMe.wait(for: "redo-title", "Redo Restore of 3 Pictures")
    #expect(try await photoMe.quit() == 0)

    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "undo-title", "Undo Delete of 3 Pictures")
    #expect(try await again.isEnabled("redo") == false)
    try await again.activate("undo")
    try await again.wait(for: "pictures", "3")
    #expect(session.pictures.count == 3)
    try await again.activate("open-library")
    try await again.wait(for: "listed", "3")
    try await again.activate("select-all")
    try await again.wait(for: "delete", enabled: true)
    try await again.activate("delete")
    try await again.wait(for: "listed", "0")
    try await again.activate("select-collection", "trash")
    try await again.wait(for: "listed", "3")
    try await again.activate("select-all")
    try await again.wait(for: "ask-delete-permanently", enabled: true)
    try await again.activate("ask-delete-permanently")
    try await again.wait(for: "delete-permanently", enabled: true)
    try await again.activate("delete-permanently")
    try await again.wait(for: "listed", "0")
    #expect(try await again.quit() == 0)
    #expect(!again.errorText.contains("CRITICAL"), "\(again.errorText)")
  }

  @Test("Where no polkit answers, hidden pictures can't be locked, and a message says so")
  func lock() async throws {
    let session = try await PhotoMeSession(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
    try await session.photoMe.activate("lock-hidden")
    #expect(try await session.photoMe.state(of: "hidden-lock") == "off")
    #expect(try await session.photoMe.state(of: "lock-hidden") == "false")
    try await session.end()
  }
}
