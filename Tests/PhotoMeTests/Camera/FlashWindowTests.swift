// The screen flash in the built program.

import Testing

@testable import PhotoMe

@Suite("The screen flash", .serialized, .timeLimit(.minutes(30)))
struct FlashWindowTests {
  @Test("The window turns white for a photo, and back")
  func flash() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("flash", "on")
    try await photoMe.wait(for: "flash", "on")
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "flash-lit", "true")
    try await photoMe.wait(for: "flash-lit", "false")
    try await photoMe.wait(for: "pictures", "1")
    try await session.end()
  }
}
