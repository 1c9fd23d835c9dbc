// The viewfinder's effects in the built program: the page's previews while it is open, and shots that become comics.

import Foundation
import Testing

@testable import PhotoMe

@Suite("The viewfinder's effects", .serialized, .timeLimit(.minutes(30)))
struct EffectsTests {
  @Test("The page has moving pictures while it is open, and a shot gets the effect, which can be taken off")
  func effects() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.wait(for: "effects", enabled: true)
    #expect(try await photoMe.state(of: "effect-pictures") == "0")
    #expect(try await photoMe.state(of: "effect") == "")
    try await photoMe.activate("effects")
    try await photoMe.wait(for: "effect-pictures") { Int($0) ?? 0 > 4 }
    #expect(try await photoMe.state(of: "effects") == "true")
    try await photoMe.activate("effects")
    try await photoMe.wait(for: "effects", "false")
    try await photoMe.wait(for: "effect-pictures", "0")

    try await photoMe.activate("effect", "comic")
    try await photoMe.wait(for: "effect", "comic")
    try await photoMe.activate("effect-strength", "0.75")
    try await photoMe.activate("effect", "no-such-effect")
    #expect(try await photoMe.state(of: "effect") == "comic")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    // The editor opens once the effect has been applied.
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    #expect(try await photoMe.state(of: "effects-waiting") == "0")
    let recipe = try #require(try await photoMe.state(of: "edit-recipe"))
    #expect(recipe.contains("comic") && recipe.contains("0.75"))
    try await photoMe.activate("edit-revert")
    try await photoMe.wait(for: "edit-asking", "revert")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    try await session.end()

    // It is still on after a restart, until it is turned off.
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "status", "running")
    #expect(try await again.state(of: "effect") == "comic")
    try await again.activate("effect", "")
    try await again.wait(for: "effect", "")
    #expect(try await again.quit() == 0)
  }

  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let hasModels = FileManager.default.fileExists(
    atPath: project.appendingPathComponent("data/models/selfie_segmentation.tflite").path)

  @Test(
    "A file becomes the backdrop of viewfinder and shots, and another file a message",
    .enabled(if: hasModels, "the models aren't installed"))
  func ownBackdrop() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.wait(for: "effects", enabled: true)
    try await photoMe.activate("effect", "backdrop")
    try await photoMe.wait(for: "effect-backdrop", "sunset")
    let picture = Self.project.appendingPathComponent("data/screenshots/window.png")
    try await photoMe.activate("effect-backdrop", picture.path)
    try await photoMe.wait(for: "effect-backdrop") { $0.hasPrefix("own:") }
    let name = try #require(try await photoMe.state(of: "effect-backdrop"))
    try await photoMe.activate("effect-backdrop", #filePath)
    try await photoMe.wait(for: "message") { $0.contains("EffectsTests.swift") }
    #expect(try await photoMe.state(of: "effect-backdrop") == name)
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    #expect(try await photoMe.state(of: "edit-recipe")?.contains(name) == true)
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-state", "closed")
    try await session.end()
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "status", "running")
    #expect(try await again.state(of: "effect-backdrop") == name)
    #expect(try await again.quit() == 0)
  }
}
