// The desktop's settings for people who see or move in another way: large text, high contrast, and no animations.

import Foundation
import Testing

@testable import PhotoMe

@Suite(
  "Settings for accessibility", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct DesktopSettingsTests {
  /// A session on a desktop with GTK's settings.
  private func start(_ settings: String, environment: [String: String] = [:]) async throws -> PhotoMeSession {
    try await PhotoMeSession(environment: environment) { desktop in
      let folder = desktop.folder.appendingPathComponent("home/config/gtk-4.0")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("[Settings]\n\(settings)\n".utf8).write(to: folder.appendingPathComponent("settings.ini"))
    }
  }

  @Test("Pages slide, and stand still where the desktop wants no animations", arguments: [true, false])
  func motion(isAnimated: Bool) async throws {
    let session = try await start("gtk-enable-animations=\(isAnimated)")
    let photoMe = session.photoMe
    try await photoMe.wait(for: "page-shown", "camera")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page-shown", "library")
    #expect(try await photoMe.state(of: "page-slides") == (isAnimated ? "1" : "0"))
    try await session.end()
  }

  @Test("With text of half its size more, every page fits into a window that is half as wide more")
  func largeText() async throws {
    // In 1024ths of a dot per inch.
    let session = try await start("gtk-xft-dpi=\(96 * 1024 * 3 / 2)")
    let (photoMe, input) = (session.photoMe, session.input)
    let (width, height) = (540, 720)
    try await session.takePhotos(1)
    // Without a window manager, a window can be made smaller than what it needs.
    func fits(_ window: String) async throws {
      try await input.resize(window, width: width, height: height)
      let need = try await photoMe.minimumWidth()
      #expect(need.width <= width, "\(window): \(need.parts)")
      // The viewer's title, a date and a file name, may be shortened: the details have both in full.
      let cut = try await photoMe.cutTexts().filter { !$0.hasPrefix("IMG_") && !$0.contains(" at ") }
      #expect(cut.isEmpty, "\(window): \(cut)")
    }
    try await fits(PhotoMeSession.mainWindow)
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page-shown", "library")
    try await fits(PhotoMeSession.mainWindow)
    try await photoMe.activate("select-all")
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page-shown", "viewer")
    try await fits(PhotoMeSession.mainWindow)
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    try await fits(PhotoMeSession.editorWindow)
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-state", "closed")
    try await session.end()
  }

  /// The rows of the shutter's ring above its white disc, in the color of text; `nil` when there is no such disc.
  private static func ring(_ screen: Screenshot) -> Int? {
    for x in stride(from: 300, to: screen.width - 300, by: 8) {
      let isWhite = { (y: Int) in screen.pixel(x: x, y: y) == 0xFFFFFF }
      let isDark = { (y: Int) in
        let color = screen.pixel(x: x, y: y) ?? 0xFFFFFF
        return [16, 8, 0].allSatisfy { color >> $0 & 0xFF < 0x70 }
      }
      for y in 620..<screen.height - 60 where isDark(y - 1) && (y + 5..<y + 40).allSatisfy(isWhite) {
        return (1...8).prefix { isDark(y - $0) }.count
      }
    }
    return nil
  }

  @Test("In high contrast, the shutter has a ring in the color of text, and not only in the accent's")
  func highContrast() async throws {
    let session = try await start("", environment: ["ADW_DEBUG_HIGH_CONTRAST": "1"])
    #expect(try await session.find(Self.ring) >= 3)
    try await session.end()
    let usual = try await start("")
    try await usual.photoMe.wait(for: "page-shown", "camera")
    _ = try await usual.find(PhotoMeSession.shutter)
    #expect(Self.ring(try usual.desktop.screenshot()) == nil)
    try await usual.end()
  }
}
