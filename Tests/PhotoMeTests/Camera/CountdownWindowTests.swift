// The countdown in the built program: chosen, counted, canceled by its key, and followed by a photo.

import TestSupport
import Testing

@testable import PhotoMe

@Suite("The countdown in the window", .serialized, .timeLimit(.minutes(30)))
struct CountdownWindowTests {
  @Test("A photo follows the countdown, and the choice is kept")
  func photo() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("countdown", "3")
    try await photoMe.wait(for: "countdown", "3")
    try await photoMe.activate("press-shutter")
    try await photoMe.waitForChange(of: "counting") { !$0.isEmpty }
    try await photoMe.waitForChange(of: "counting") { $0.isEmpty }
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.activate("countdown", "10")
    try await photoMe.activate("press-shutter")
    try await photoMe.waitForChange(of: "counting") { !$0.isEmpty }
    try await photoMe.activate("open-library")
    try await photoMe.waitForChange(of: "counting") { $0.isEmpty }
    try await session.end()
    let again = try await RunningPhotoMe(
      on: session.desktop, ["--camera", "test", "--library", session.library.path])
    try await again.wait(for: "countdown", "10")
    #expect(try await again.quit() == 0)
  }

  @Test(
    "T chooses, Space begins, Escape cancels", .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func keys() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await photoMe.activate("countdown", "5")
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.press("t")
    try await photoMe.wait(for: "countdown", "10")
    for end in ["Escape", "space"] {
      try await input.press("space")
      try await photoMe.waitForChange(of: "counting") { !$0.isEmpty }
      try await input.press(end)
      try await photoMe.waitForChange(of: "counting") { $0.isEmpty }
    }
    #expect(session.pictures.isEmpty)
    try await session.end()
  }
}
