// The camera's page under real input: the shutter, the keys, and the viewfinder in a window that is resized.

import Testing

@testable import PhotoMe

@Suite(
  "The camera's page under real input", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct ViewfinderInputTests {
  @Test("A click on the shutter makes a picture")
  func shutter() async throws {
    let session = try await PhotoMeSession()
    let shutter = try await session.find(PhotoMeSession.shutter)
    for count in 1...2 {
      try await session.input.click(shutter)
      try await session.photoMe.wait(for: "pictures", "\(count)")
    }
    try await session.photoMe.wait(for: "activity", "0")
    #expect(session.pictures.count == 2)
    try await session.end()
  }

  @Test("Space takes a photo, and the letters do what the shortcuts say")
  func keys() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.press("space")
    try await photoMe.wait(for: "pictures", "1")
    try await input.press("f")
    try await photoMe.wait(for: "effects", "true")
    try await input.press("Escape")
    try await photoMe.wait(for: "effects", "false")
    try await input.press("g")
    try await photoMe.wait(for: "page", "library")
    try await photoMe.wait(for: "listed", "1")
    try await session.findNo(PhotoMeSession.shutter)
    // On this page the letters mean something else.
    try await input.press("l", "Escape")
    try await photoMe.wait(for: "page", "camera")
    #expect(try await photoMe.state(of: "toggle-live") == "false")
    try await photoMe.wait(for: "edit", enabled: true)
    _ = try await session.find(PhotoMeSession.shutter)
    try await input.press("e")
    try await photoMe.wait(for: "edit-state", "editing")
    try await input.focus(PhotoMeSession.editorWindow)
    try await input.press("Escape")
    try await photoMe.wait(for: "edit-state", "closed")
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.press("Return")
    try await photoMe.wait(for: "pictures", "2")
    // Last, because without a microphone it shows a toast, which takes the next Escape.
    try await input.press("l")
    try await photoMe.wait(for: "toggle-live", "true")
    try await input.press("l")
    try await photoMe.wait(for: "toggle-live", "false")
    try await session.end()
  }

  @Test("The camera's own button is the shutter, wherever the keyboard's focus is")
  func cameraButton() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    // A control that was reached with the keyboard has the other keys of the shutter for itself.
    try await input.press("Tab")
    try await input.press("XF86WebCam")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    try await photoMe.activate("mode", "video")
    try await photoMe.wait(for: "mode", "video")
    try await input.press("XF86WebCam")
    try await photoMe.wait(for: "movie-length") { !["", "0:00"].contains($0) }
    try await input.press("XF86WebCam")
    try await photoMe.wait(for: "movie", "idle")
    try await photoMe.wait(for: "pictures", "2")
    // On another page it means nothing. Whatever it would take is there before the next one.
    try await photoMe.activate("mode", "photo")
    try await photoMe.wait(for: "mode", "photo")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page", "library")
    try await photoMe.wait(for: "status", "suspended")
    try await input.press("XF86WebCam")
    try await photoMe.activate("close-library")
    try await photoMe.wait(for: "page", "camera")
    try await photoMe.wait(for: "status", "running")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "3")
    try await photoMe.wait(for: "activity", "0")
    #expect(session.pictures.count == 3)
    try await session.end()
  }

  @Test("The viewfinder goes on and fills its room when the window changes its size")
  func resize() async throws {
    let session = try await PhotoMeSession()
    _ = try await session.find(PhotoMeSession.shutter)
    for (width, height) in [(1200, 900), (700, 620), (960, 761)] {
      try await session.input.resize(PhotoMeSession.mainWindow, width: width, height: height)
      // Three different pictures that reach the right edge of the window, and none beyond it.
      var pictures: Set<[UInt32]> = []
      while pictures.count < 3 {
        let picture: [UInt32] = try await session.find { screen in
          let outside = screen.colors(x: (width + 10)..<(width + 60), y: 200..<300)
          let edge = screen.colors(x: (width - 60)..<(width - 10), y: (height / 4)..<(height / 2))
          guard outside.allSatisfy({ $0 == 0 }), Set(edge).count > 3 else { return nil }
          return screen.colors(x: 20..<(width - 20), y: (height / 4)..<(height / 2))
        }
        pictures.insert(picture)
      }
    }
    try await session.end()
  }
}
