// A live photo from the press to the undone deletion, by a screen reader's means: names, roles, states and keys.

import Foundation
import Testing

@testable import PhotoMe

@Suite(
  "With a screen reader", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: AccessibilityBus.isInstalled, "at-spi2-core is not installed"),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct AccessibilityStoryTests {
  @Test("A live photo is taken, opened, edited, reverted, deleted and brought back, by names and keys only")
  func story() async throws {
    let reader = try await AccessibleSession()
    try await reader.input.focus(PhotoMeSession.mainWindow)
    try await takeLivePhoto(reader)
    let file = try #require(reader.session.pictures.first)
    #expect(reader.session.pictures.count == 1 && file.lastPathComponent.hasSuffix(".MP.jpg"))
    let original = try Data(contentsOf: file)

    // The strip is a stop, and Enter opens its picture.
    let way = try #require(try await reader.press("shift+Tab") { $0.role == .listItem })
    #expect(way.last?.name.hasPrefix("Live photo, ") == true)
    try await reader.input.press("Return")
    let page = try await reader.find(.panel) { $0.name.hasPrefix("Live photo, ") && $0.isFocused }
    #expect(!page.name.contains("edited"))

    try await makeComic(reader)
    #expect(try Data(contentsOf: try #require(reader.session.pictures.first)) != original)

    // The focus is where it was, on the picture's page, which says that it is edited.
    try await reader.input.focus(PhotoMeSession.mainWindow)
    try await reader.find(.panel) { $0.name.hasPrefix("Live photo, edited, ") && $0.isFocused }
    try await reader.press(.button, "Item Menu")
    try await reader.press(.menuItem, "Revert to Original")
    try await reader.find(.panel) { $0.name == page.name }
    #expect(try Data(contentsOf: try #require(reader.session.pictures.first)) == original)

    try await reader.press(.button, "Delete")
    // The last picture is gone: the camera is in front again, and the shutter has the focus.
    try await reader.find(.button, "Take Photo", where: \.isFocused)
    #expect(reader.session.pictures.isEmpty)
    try await reader.find(.button, "Undo")
    try await reader.input.press("ctrl+z")
    try await reader.find(.listItem) { $0.name == page.name }
    #expect(try Data(contentsOf: try #require(reader.session.pictures.first)) == original)
    try await reader.end()
  }

  private func takeLivePhoto(_ reader: AccessibleSession) async throws {
    let shutter = try await reader.find(.button, "Take Photo", where: \.isFocused)
    #expect(shutter.isSensitive)
    let live = try await reader.find(.button, "Live")
    #expect(!live.states.contains(.pressed) && live.text.contains("before and after each photo"))
    try await reader.press(.button, "Live")
    try await reader.find(.button, "Live") { $0.states.contains(.pressed) }
    try await reader.press(.button, "Take Photo")
    try await reader.hear("Photo taken")
    try await reader.hear("Live photo saved")
    try await reader.find(.listItem) { $0.name.hasPrefix("Live photo, ") && !$0.name.contains("being saved") }
  }

  /// Opens the editor from the viewer, chooses Comic, and saves.
  private func makeComic(_ reader: AccessibleSession) async throws {
    try await reader.press(.button, "Edit")
    try await reader.input.focus(PhotoMeSession.editorWindow)
    let none = try await reader.find(.button, "Original", where: \.isFocused)
    #expect(none.states.contains(.pressed))
    let strength = try await reader.find(.slider, "Effect Strength")
    #expect(!strength.isSensitive)
    try await reader.press("Right") { $0.name == "Comic" }
    try await reader.find(.button, "Comic") { $0.states.contains(.pressed) }
    try await reader.find(.slider, "Effect Strength") { $0.isSensitive && $0.text == "100%" }
    let isUndo = { (object: AccessibleObject) in object.role == .button && object.name == "Undo" }
    try await reader.find(.button) { isUndo($0) && $0.isSensitive }
    try await reader.press(.button, "Done")
    try await reader.photoMe.wait(for: "edit-state", "closed")
    // It is saved in the background.
    try await reader.photoMe.wait(for: "undo-title", "Undo Edit")
  }

  @Test("The countdown, a photo, and an error are announced, once each")
  func announcements() async throws {
    let reader = try await AccessibleSession()
    try await reader.input.focus(PhotoMeSession.mainWindow)
    try await reader.find(.button, "Take Photo", where: \.isFocused)
    try await reader.photoMe.activate("countdown", "3")
    try await reader.photoMe.wait(for: "countdown", "3")
    try await reader.input.press("space")
    var heard: [String] = []
    repeat { heard.append(try await reader.hear { !$0.isEmpty && $0 != heard.last }) } while heard.last != "Photo taken"
    #expect(heard.suffix(4) == ["3", "2", "1", "Photo taken"])
    try await reader.photoMe.activate("open-picture", "none")
    try await reader.hear { $0.contains("isn’t showing an item") && $0.contains("none") }
    try await reader.end()
  }
}
