// The editor of the built program, driven through its actions: from Comic and back to the original.

import Foundation
import Testing

@testable import PhotoMe

@Suite("The editor", .serialized, .timeLimit(.minutes(30)))
struct EditorTests {
  @Test("A photo becomes a comic and the photo again, byte for byte, and the editor asks before anything is lost")
  func comic() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    #expect(try await photoMe.isEnabled("edit") == false)
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "edit", enabled: true)
    try await photoMe.wait(for: "activity", "0")
    let url = try #require(session.pictures.first)
    let original = try Data(contentsOf: url)

    // Changed, undone, changed again, and discarded.
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    #expect(try await photoMe.isEnabled("edit-undo") == false)
    #expect(try await photoMe.isEnabled("edit-revert") == false)
    try await photoMe.activate("edit-effect", "noir")
    try await photoMe.wait(for: "edit-effect", "noir")
    try await photoMe.activate("edit-undo")
    try await photoMe.wait(for: "edit-effect", "")
    for tab in ["adjust", "crop", "effects"] {
      try await photoMe.activate("edit-tab", tab)
      try await photoMe.wait(for: "edit-tab", tab)
    }
    // There is no movie.
    try await photoMe.activate("edit-tab", "live")
    try await photoMe.activate("edit-adjust", "warmth", "0.5")
    try await photoMe.wait(for: "edit-recipe") { $0.contains("warmth") }
    #expect(try await photoMe.state(of: "edit-tab") == "effects")
    try await photoMe.activate("edit-copy")
    // Neither Cancel nor quitting loses changes.
    try await photoMe.activate("quit")
    try await photoMe.wait(for: "edit-asking", "discard")
    try await photoMe.activate("edit-dismiss")
    try await photoMe.wait(for: "edit-asking", "")
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-asking", "discard")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    #expect(try Data(contentsOf: url) == original)

    // Saved, and opened again.
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    try await photoMe.activate("edit-effect", "comic")
    try await photoMe.activate("edit-paste")
    try await photoMe.wait(for: "edit-recipe") { $0.contains("warmth") && !$0.contains("comic") }
    try await photoMe.activate("edit-effect", "comic")
    try await photoMe.activate("edit-strength", "0.75")
    try await photoMe.activate("edit-turn-right")
    try await photoMe.wait(for: "edit-recipe") { $0.contains("90") }
    try await photoMe.activate("edit-done")
    try await photoMe.wait(for: "edit-state", "closed")
    try await photoMe.wait(for: "undo-title", "Undo Edit")
    try await photoMe.wait(for: "edits-saving", "0")
    #expect(try Data(contentsOf: url) != original)
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    let recipe = try #require(try await photoMe.state(of: "edit-recipe"))
    #expect(recipe.contains("comic") && recipe.contains("0.75") && recipe.contains("90") && recipe.contains("warmth"))

    // And back.
    try await photoMe.activate("edit-revert")
    try await photoMe.wait(for: "edit-asking", "revert")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    #expect(try Data(contentsOf: try #require(session.pictures.first)) == original)
    try await session.end()
  }

  @Test("Auto is a switch, and a look is saved as a preset, set again, shared and deleted")
  func presets() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "edit", enabled: true)
    try await photoMe.wait(for: "activity", "0")
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    #expect(try await photoMe.isEnabled("save-preset") == false, "there is no look yet")
    try await photoMe.activate("edit-adjust", "exposure", "-1.75")
    try await photoMe.wait(for: "edit-recipe") { $0.contains("-1.75") }
    try await photoMe.activate("edit-auto")
    try await photoMe.wait(for: "edit-recipe") { !$0.contains("-1.75") }
    try await photoMe.activate("edit-undo")
    try await photoMe.wait(for: "edit-recipe") { $0.contains("-1.75") }
    try await photoMe.activate("edit-effect", "noir")
    try await photoMe.wait(for: "save-preset", enabled: true)
    try await photoMe.activate("save-preset", "Evening")
    try await photoMe.wait(for: "edit-presets", "Evening")
    try await photoMe.activate("edit-effect", "")
    try await photoMe.wait(for: "edit-effect", "")
    try await photoMe.activate("edit-preset", "Evening")
    try await photoMe.wait(for: "edit-effect", "noir")
    let file = session.library.deletingLastPathComponent().appendingPathComponent("Evening.photome-preset")
    try await photoMe.activate("export-preset", "Evening", file.path)
    try await photoMe.activate("delete-preset", "Evening")
    try await photoMe.wait(for: "edit-presets", "")
    try await photoMe.activate("import-preset", file.path)
    try await photoMe.wait(for: "edit-presets", "Evening")
    try Data("{}".utf8).write(to: file)
    try await photoMe.activate("import-preset", file.path)
    try await photoMe.wait(for: "edit-problem") { $0.contains("Evening.photome-preset") }
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-asking", "discard")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    try await session.end()
  }

  @Test("A live photo has a page for its movie, and its picture is on the screen")
  func live() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    for tab in ["live", "crop", "adjust"] {
      try await photoMe.activate("edit-tab", tab)
      try await photoMe.wait(for: "edit-tab", tab)
    }
    try await photoMe.activate("edit-effect", "thermal")
    // The window is at the top left of the screen, and its picture in its upper half.
    _ = try await session.find { Set($0.colors(x: 340..<840, y: 400..<401, step: 50)).count >= 4 ? true : nil }
    #expect(try await photoMe.state(of: "edit-problem") == "")
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-asking", "discard")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    try await session.end()
  }
}
