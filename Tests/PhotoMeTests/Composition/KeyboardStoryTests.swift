// A live photo from the press to the undone deletion under a Wayland compositor, by keys alone.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite(
  "By keys under Wayland", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: WaylandDesktop.isPossible && WaylandKeyboard.isInstalled, "sway, grim or wtype is not installed"))
struct KeyboardStoryTests {
  @Test("A live photo is taken, opened, edited, reverted, deleted and brought back")
  func story() async throws {
    let session = try await WaylandSession(isTyping: true)
    let (photoMe, keyboard) = (session.photoMe, try #require(session.keyboard))
    // The window has the keyboard once it is shown.
    _ = try await session.find { $0.findFrameNumber() }
    try await keyboard.press("l")
    try await photoMe.wait(for: "toggle-live", "true")
    try await keyboard.press("space")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    let file = try #require(session.pictures.first)
    #expect(file.lastPathComponent.hasSuffix(".MP.jpg"))
    let original = try Data(contentsOf: file)

    // From the shutter over its options back to the strip.
    try await keyboard.press("shift+Tab", "shift+Tab", "Return")
    try await photoMe.wait(for: "viewing", file.path)
    try await keyboard.press("e")
    try await photoMe.wait(for: "edit-state", "editing")
    try await session.desktop.waitForFocus(on: PhotoMeSession.editorWindow)
    try await keyboard.press("Right")
    try await photoMe.wait(for: "edit-effect", "comic")
    try await keyboard.press("ctrl+z")
    try await photoMe.wait(for: "edit-effect", "")
    try await keyboard.press("ctrl+shift+z")
    try await photoMe.wait(for: "edit-effect", "comic")
    try await keyboard.press("2")
    try await photoMe.wait(for: "edit-tab", "adjust")
    try await keyboard.press("Right")
    try await photoMe.wait(for: "edit-recipe") { $0.contains("exposure") }
    try await keyboard.press("ctrl+s")
    try await photoMe.wait(for: "edit-state", "closed")
    // It is saved in the background.
    try await photoMe.wait(for: "undo-title", "Undo Edit")
    #expect(try Data(contentsOf: file) != original)

    // F10 opens the menu of the page, whose second item reverts.
    try await session.desktop.waitForFocus(on: PhotoMeSession.mainWindow)
    try await photoMe.wait(for: "revert", enabled: true)
    try await keyboard.press("F10", "Down", "Return")
    try await photoMe.wait(for: "revert", enabled: false)
    #expect(try Data(contentsOf: file) == original)
    #expect(try await photoMe.state(of: "viewing") == file.path)

    try await keyboard.press("Delete")
    try await photoMe.wait(for: "pictures", "0")
    try await photoMe.wait(for: "page", "camera")
    #expect(session.pictures.isEmpty)
    try await keyboard.press("ctrl+z")
    try await photoMe.wait(for: "pictures", "1")
    #expect(try Data(contentsOf: file) == original)
    try await session.end()
  }
}
