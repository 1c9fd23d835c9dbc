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
    func isWhite(_ screen: Screenshot) -> Bool? {
      // Several points: the scene has white places as well, but they move.
      let points = [ScreenPoint(x: 480, y: 300), ScreenPoint(x: 300, y: 200), ScreenPoint(x: 650, y: 350)]
      return points.allSatisfy { screen.pixel(x: $0.x, y: $0.y) == 0xFFFFFF } ? true : nil
    }
    // The light lasts half a second; a busy machine may need several to be looked at.
    var count = 0
    var wasWhite = false
    while !wasWhite {
      count += 1
      try await photoMe.activate("press-shutter")
      try await photoMe.wait(for: "flashes", "\(count)")
      wasWhite = isWhite(try session.desktop.screenshot()) != nil
      try await photoMe.wait(for: "pictures", "\(count)")
      try Task.checkCancellation()
    }
    // The window has its picture again.
    try await session.findNo(isWhite)
    try await session.end()
  }
}
