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
    // A countdown, so that the light begins when nothing else is waited for. It lasts half a second or more, which the
    // screen is looked at without asking the program. A machine that is busy just then gets another chance.
    try await photoMe.activate("countdown", "3")
    try await photoMe.wait(for: "countdown", "3")
    var (count, wasWhite) = (0, false)
    while !wasWhite, count < 10 {
      count += 1
      try await photoMe.activate("press-shutter")
      let wanted = "\(count)"
      try await photoMe.waitForChange(of: "flashes") { $0 == wanted }
      // The light is out when the photo is there.
      while !wasWhite, session.pictures.count < count {
        wasWhite = isWhite(try session.desktop.screenshot()) != nil
        try Task.checkCancellation()
        await Task.yield()
      }
      try await photoMe.wait(for: "pictures", wanted)
    }
    #expect(wasWhite, "never in \(count) photos")
    // The window has its picture again.
    try await session.findNo(isWhite)
    try await session.end()
  }
}
