// The options at the viewfinder of the built program.

import Foundation
import Testing

@testable import PhotoMe

@Suite("The options at the viewfinder", .serialized, .timeLimit(.minutes(30)))
struct OptionsWindowTests {
  @Test("The rows follow the mode and the interval, and their actions change the settings")
  func rows() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    let photo = "booth flash mirror guides photo-quality photo-format raw"
    try await photoMe.wait(for: "options", "countdown interval \(photo)")
    try await photoMe.activate("interval", "60")
    try await photoMe.wait(for: "options", "countdown interval interval-count \(photo)")
    try await photoMe.activate("mode", "video")
    try await photoMe.wait(for: "options", "countdown mirror guides movie-quality stabilization")
    try await photoMe.activate("stabilize")
    try await photoMe.wait(for: "stabilize", "true")
    try await photoMe.activate("mode", "photo")
    try await photoMe.activate("photo-quality", "quality")
    try await photoMe.wait(for: "photo-quality", "quality")
    try await photoMe.activate("photo-format", "png")
    try await photoMe.wait(for: "photo-format", "png")
    try await photoMe.activate("interval", "0")
    try await photoMe.wait(for: "interval", "0")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    #expect(session.pictures.map(\.pathExtension) == ["png"])
    try await session.end()
  }

  @Test("The resolution can be chosen, but not while a video is recorded")
  func resolution() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.wait(for: "resolution", "automatic")
    try await photoMe.activate("resolution", "640x480")
    try await photoMe.wait(for: "resolution", "640x480")
    try await photoMe.wait(for: "status", "running")
    try await photoMe.activate("mode", "video")
    try await photoMe.wait(for: "mode", "video")
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "movie", "recording")
    try await photoMe.wait(for: "resolution", enabled: false)
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "movie", "idle")
    try await photoMe.wait(for: "resolution", enabled: true)
    try await photoMe.activate("resolution", "automatic")
    try await photoMe.wait(for: "resolution", "automatic")
    try await session.end()
  }

  @Test(
    "The popover opens by its action and its key, also in a narrow window",
    .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
  func popover() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await input.focus(PhotoMeSession.mainWindow)
    for (width, height) in [(960, 796), (360, 600)] {
      try await input.resize(PhotoMeSession.mainWindow, width: width, height: height)
      try await photoMe.activate("shutter-options")
      try await photoMe.wait(for: "options-shown", "yes")
      try await input.press("Escape")
      try await photoMe.wait(for: "options-shown", "no")
      try await input.press("o")
      try await photoMe.wait(for: "options-shown", "yes")
      try await input.press("Escape")
      try await photoMe.wait(for: "options-shown", "no")
    }
    try await session.end()
  }

  @Test("Popovers that scroll fade at their edges instead of cutting a row")
  func fading() throws {
    let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("data")
    let layout = try String(contentsOf: data.appendingPathComponent("ui/window.ui"), encoding: .utf8)
    let scrolled = layout.components(separatedBy: "<object class=\"GtkScrolledWindow\"").dropFirst()
      .compactMap { $0.components(separatedBy: "<object ").first }
      .filter { $0.contains("max-content-height") }
    #expect(scrolled.count == 2 && scrolled.allSatisfy { $0.contains("<class name=\"fading\"/>") })
    let style = try String(contentsOf: data.appendingPathComponent("style.css"), encoding: .utf8)
    for edge in ["top", "bottom"] { #expect(style.contains(".fading > undershoot.\(edge) {")) }
  }
}
