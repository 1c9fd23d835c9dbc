// The program in a language that writes 1,5 for one and a half.

import TestSupport
import Testing

@testable import PhotoMe

@Suite("A locale with decimal commas", .serialized, .timeLimit(.minutes(30)))
struct LocaleTests {
  @Test(
    "A photo, a live photo and a movie are taken, and scripts read numbers as ever",
    .enabled(if: Command.commaLocale != nil, "locales is not installed"))
  func pictures() async throws {
    let session = try await PhotoMeSession(environment: try #require(Command.commaLocale))
    let photoMe = session.photoMe
    try await photoMe.activate("zoom-in")
    try await photoMe.wait(for: "zoom", "1.1×")
    try await photoMe.activate("effect", "comic")
    try await photoMe.wait(for: "effect", "comic")
    try await photoMe.activate("effect-strength", "0.75")
    try await session.takePhotos(1)
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    #expect(try await photoMe.state(of: "edit-recipe")?.contains("0.75") == true)
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-state", "closed")
    try await photoMe.activate("effect", "")
    try await photoMe.wait(for: "effect", "")
    try await photoMe.wait(for: "status", "running")

    try await photoMe.activate("select-microphone", "test")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "2")
    try await photoMe.wait(for: "activity", "0")
    try await photoMe.activate("mode", "video")
    try await photoMe.wait(for: "mode", "video")
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "movie-length") { !["", "0:00"].contains($0) }
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "movie", "idle")
    try await photoMe.wait(for: "pictures", "3")
    let names = session.pictures.map(\.lastPathComponent)
    #expect(names.count == 3 && names.count { $0.hasSuffix(".MP.jpg") } == 1, "\(names)")
    #expect(names.count { $0.hasSuffix(".mp4") } == 1, "\(names)")
    try await session.end()
  }
}
