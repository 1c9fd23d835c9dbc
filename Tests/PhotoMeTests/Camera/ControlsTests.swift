// Camera controls and zoom in the built program.

import Testing

@testable import PhotoMe

@Suite("Camera controls in the window", .serialized, .timeLimit(.minutes(30)))
struct ControlsTests {
  @Test("The actions zoom, and zooming is kept for the camera")
  func zoom() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.wait(for: "zoom", "1.0×")
    for factor in ["1.1×", "1.2×"] {
      try await photoMe.activate("zoom-in")
      try await photoMe.wait(for: "zoom", factor)
    }
    try await photoMe.activate("zoom-out")
    try await photoMe.wait(for: "zoom", "1.1×")
    try await session.end()
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "zoom", "1.1×")
    try await again.activate("reset-controls")
    try await again.wait(for: "zoom", "1.0×")
    #expect(try await again.quit() == 0)
  }

  @Test("The keys and the wheel zoom", .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func zoomByInput() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await photoMe.wait(for: "zoom", "1.0×")
    try await input.focus(PhotoMeSession.mainWindow)
    for factor in ["1.1×", "1.2×"] {
      try await input.press("plus")
      try await photoMe.wait(for: "zoom", factor)
    }
    try await input.press("minus")
    try await photoMe.wait(for: "zoom", "1.1×")
    try await input.press("0")
    try await photoMe.wait(for: "zoom", "1.0×")
    try await input.turnWheel(.up, at: ScreenPoint(x: 480, y: 300))
    try await photoMe.wait(for: "zoom", "1.1×")
    try await input.turnWheel(.down, at: ScreenPoint(x: 480, y: 300))
    try await photoMe.wait(for: "zoom", "1.0×")
    try await session.end()
  }

  @Test(
    "The popover opens by its action and its key, and Escape closes it",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func popover() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.wait(for: "camera-controls", enabled: true)
    try await photoMe.wait(for: "controls") { $0.contains("brightness=0") && $0.contains("exposure-auto=3") }
    try await session.input.focus(PhotoMeSession.mainWindow)
    try await photoMe.activate("camera-controls")
    try await photoMe.wait(for: "controls-shown", "yes")
    try await session.input.press("Escape")
    try await photoMe.wait(for: "controls-shown", "no")
    try await session.input.press("c")
    try await photoMe.wait(for: "controls-shown", "yes")
    try await session.input.press("Escape")
    try await photoMe.wait(for: "controls-shown", "no")
    // The program goes on.
    try await photoMe.activate("zoom-in")
    try await photoMe.wait(for: "zoom", "1.1×")
    try await session.end()
  }
}
