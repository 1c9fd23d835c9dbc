// Bursts in the built program: a key that is held, and the bar in the viewer.

import Testing

@testable import PhotoMe

@Suite(
  "Bursts in the window", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct BurstWindowTests {
  @Test("A held key takes a burst, of which one picture can be kept")
  func heldKey() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.hold("space")
    // Not the count of the burst: on a busy machine it may have reached its most, and be gone, before anybody asks.
    try await photoMe.wait(for: "pictures") { (Int($0) ?? 0) >= 3 }
    try await input.release("space")
    try await photoMe.wait(for: "burst-count", "")
    try await photoMe.wait(for: "activity", "0")
    let count = session.pictures.count
    #expect(count >= 3)
    try await photoMe.wait(for: "pictures", "\(count)")
    // One cell of the grid, and one picture that stands for all.
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "1")
    try await photoMe.activate("select-all")
    try await photoMe.activate("delete")
    try await photoMe.wait(for: "listed", "0")
    #expect(session.pictures.isEmpty)
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "listed", "1")
    #expect(session.pictures.count == count)
    try await photoMe.activate("close-library")
    try await photoMe.wait(for: "pictures", "\(count)")
    try await photoMe.activate("open-selected")
    // Whether it is the best shot as well depends on the faces that a detector has had time to find.
    try await photoMe.wait(for: "burst-shown") { $0.contains(" of \(count)") && $0.hasSuffix("key photo") }
    // A key goes through its pictures, and another one can stand for all.
    let before = try #require(try await photoMe.state(of: "burst-shown"))
    try await input.press(before.hasPrefix("Burst, \(count) ") ? "comma" : "period")
    try await photoMe.wait(for: "burst-shown") { $0 != before && !$0.contains("key photo") }
    try await photoMe.activate("make-key-photo")
    try await photoMe.wait(for: "burst-shown") { $0.hasSuffix(", key photo") && $0 != before }
    // The change is in the list of those that can be undone a moment after the library tells it.
    try await photoMe.wait(for: "undo", enabled: true)
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "burst-shown") { !$0.contains("key photo") }
    try await photoMe.activate("keep-only-shown")
    try await photoMe.wait(for: "pictures", "1")
    #expect(session.pictures.count == 1)
    try await session.end()
  }

  @Test("Another key ends a held burst, and neither release takes another photo")
  func severalPresses() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.press("XF86WebCam")
    try await photoMe.wait(for: "pictures", "1")
    try await input.hold("space")
    try await photoMe.wait(for: "pictures") { (Int($0) ?? 0) >= 4 }
    // The key for the shutter of a camera is another finger.
    try await input.press("XF86WebCam")
    try await photoMe.wait(for: "burst-count", "")
    try await photoMe.wait(for: "activity", "0")
    let count = session.pictures.count
    try await input.release("space")
    // Whatever a release would take is there before the next one.
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "activity", "0")
    try await photoMe.wait(for: "pictures", "\(count + 1)")
    #expect(session.pictures.count == count + 1)
    try await session.end()
  }
}
