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
    try await photoMe.wait(for: "flashes", "1")
    try await photoMe.wait(for: "pictures", "1")
    // The window has its picture again.
    let middle = ScreenPoint(x: 480, y: 300)
    _ = try await session.find { screen in
      screen.pixel(x: middle.x, y: middle.y).flatMap { $0 & 0xFFFFFF == 0xFFFFFF ? nil : true }
    }
    try await session.end()
  }
}
