// The choice of the microphone in the built program, and the level meter of its popover.

import Testing

@testable import PhotoMe

@Suite("The microphone in the window", .serialized, .timeLimit(.minutes(30)))
struct MicrophoneWindowTests {
  @Test("A microphone is chosen by its name, and the choice is kept")
  func choice() async throws {
    let session = try await PhotoMeSession()
    #expect(try await session.photoMe.state(of: "select-microphone") == "automatic")
    for name in ["none", "test"] {
      try await session.photoMe.activate("select-microphone", name)
      try await session.photoMe.wait(for: "select-microphone", name)
    }
    try await session.end()
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "status", "running")
    #expect(try await again.state(of: "select-microphone") == "test")
    #expect(try await again.quit() == 0)
  }

  @Test(
    "The level is measured while the popover is open and Live is on, and at no other time",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func level() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await photoMe.activate("select-microphone", "test")
    try await photoMe.wait(for: "select-microphone", "test")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    #expect(try await photoMe.state(of: "sound-level") == "")
    try await input.focus(PhotoMeSession.mainWindow)
    try await photoMe.activate("choose-microphone")
    // The test tone beeps each second, and the meter falls slowly.
    try await photoMe.wait(for: "sound-level", "heard")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "sound-level", "")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "sound-level", "heard")
    // No microphone is open.
    try await photoMe.activate("select-microphone", "none")
    try await photoMe.wait(for: "sound-level", "")
    try await photoMe.activate("select-microphone", "test")
    try await photoMe.wait(for: "sound-level", "heard")
    try await input.press("Escape")
    try await photoMe.wait(for: "sound-level", "")
    #expect(try await photoMe.state(of: "toggle-live") == "true")
    try await session.end()
  }
}
