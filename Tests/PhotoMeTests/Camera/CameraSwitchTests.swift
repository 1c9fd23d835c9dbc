// Several cameras in the built program: the switch beside the shutter, and the picture on the way to another camera.

import TestSupport
import Testing

@testable import PhotoMe

@Suite("Several cameras in the window", .serialized, .timeLimit(.minutes(30)))
struct CameraSwitchTests {
  static let missing: Comment =
    "needs pipewire, wireplumber and photome-bench, and no cameras of the machine's own"

  /// The program with the test camera in front, and cameras beside it.
  private func start(_ names: [String]) async throws -> (PhotoMeSession, PipeWireCameras) {
    var made: PipeWireCameras?
    let session = try await PhotoMeSession { desktop in
      let cameras = try await PipeWireCameras(on: desktop)
      for name in names { try await cameras.plugIn(name) }
      made = cameras
    }
    return (session, try #require(made))
  }

  @Test(
    "One other camera is a button away, several are in a menu, as they come and go",
    .enabled(if: PipeWireCameras.arePossible, CameraSwitchTests.missing))
  func switching() async throws {
    let (session, cameras) = try await start(["left", "right"])
    let photoMe = session.photoMe
    // From the test camera, both are others.
    try await photoMe.wait(for: "camera-switch", "menu")
    try await photoMe.wait(for: "switch-camera", enabled: false)
    try await photoMe.activate("select-camera", PipeWireCameras.id("left"))
    try await photoMe.wait(for: "running-camera", PipeWireCameras.id("left"))
    try await photoMe.wait(for: "camera-switch", "button")
    for name in ["right", "left"] {
      try await photoMe.wait(for: "switch-camera", enabled: true)
      try await photoMe.activate("switch-camera")
      try await photoMe.wait(for: "running-camera", PipeWireCameras.id(name))
      #expect(try await photoMe.state(of: "select-camera") == PipeWireCameras.id(name))
    }
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")

    try await cameras.plugIn("third")
    try await photoMe.wait(for: "camera-switch", "menu")
    try await photoMe.wait(for: "switch-camera", enabled: false)
    cameras.unplug("third")
    try await photoMe.wait(for: "camera-switch", "button")
    cameras.unplug("right")
    try await photoMe.wait(for: "camera-switch", "none")
    try await photoMe.wait(for: "switch-camera", enabled: false)
    #expect(try await photoMe.state(of: "running-camera") == PipeWireCameras.id("left"))
    try await session.end()
  }

  @Test(
    "The last picture stays dimmed until the next camera sends one",
    .enabled(if: PipeWireCameras.arePossible, CameraSwitchTests.missing))
  func dimmedPicture() async throws {
    let (session, cameras) = try await start(["still"])
    let photoMe = session.photoMe
    // One other camera beside the test camera.
    try await photoMe.wait(for: "switch-camera", enabled: true)
    try await photoMe.wait(for: "camera-switch", "button")
    func brightness(_ screen: Screenshot, _ point: ScreenPoint) -> UInt32 {
      let color = screen.pixel(x: point.x, y: point.y) ?? 0
      return max(color >> 16, color >> 8 & 0xFF, color & 0xFF)
    }
    // The sun, below the words in the middle of the picture: it stands still and is bright all around.
    let sun: ScreenPoint = try await session.find { screen in
      for y in stride(from: 340, to: 440, by: 4) {
        let runs = screen.runs(inRow: y) { $0 & 0xFF >= 0xB0 && $0 >> 16 >= 0xE6 && $0 >> 8 & 0xFF >= 0xDC }
        for run in runs where (24...140).contains(run.count) {
          let point = ScreenPoint(x: (run.lowerBound + run.upperBound) / 2, y: y)
          // Not in the middle of the window, where the words of a slow start will be.
          if abs(point.x - 480) > 100 { return point }
        }
      }
      return nil
    }
    cameras.freeze("still")
    try await photoMe.activate("switch-camera")
    try await photoMe.wait(for: "select-camera", PipeWireCameras.id("still"))
    // Two fifths of the light are left. A page of trouble would be even gray.
    _ = try await session.find { screen in
      let colors = Set(screen.colors(x: 60..<300, y: 120..<420))
      return brightness(screen, sun) <= 130 && colors.count > 10 ? true : nil
    }
    #expect(try await photoMe.state(of: "status") == "starting")
    try await photoMe.activate("use-test-camera")
    try await photoMe.wait(for: "running-camera", "test")
    _ = try await session.find { brightness($0, sun) >= 200 ? true : nil }
    try await session.end()
  }

  @Test(
    "The menu of cameras opens by its action, and Escape closes it",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func menu() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    for _ in 0..<2 {
      try await photoMe.activate("choose-camera")
      try await photoMe.wait(for: "camera-menu-shown", "yes")
      try await input.press("Escape")
      try await photoMe.wait(for: "camera-menu-shown", "no")
    }
    try await session.end()
  }
}
