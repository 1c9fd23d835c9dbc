// The window in a language that is read from the right.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

/// The translations of GTK itself, one text of which says in what direction people read.
private enum ToolkitCatalog {
  static func isInstalled(for language: String) -> Bool {
    FileManager.default.fileExists(atPath: "/usr/share/locale/\(language)/LC_MESSAGES/gtk40.mo")
  }
}

@Suite(
  "From right to left", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: AccessibilityBus.isInstalled, "at-spi2-core is not installed"),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"),
  .enabled(if: Command.areInstalled("msgfmt"), "gettext is not installed"),
  .enabled(if: ToolkitCatalog.isInstalled(for: "ar"), "GTK is installed without its Arabic translation"))
struct RightToLeftTests {
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("Rows begin at the right with what is first, and the arrow keys go where they point")
  func rows() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-arabic-\(UUID().uuidString)")
    let catalogs = folder.appendingPathComponent("ar/LC_MESSAGES")
    try FileManager.default.createDirectory(at: catalogs, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try Command.run(
      "msgfmt", ["-o", catalogs.appendingPathComponent("photome.mo").path, "data/po/ar.po"], at: Self.project)
    try #require(made.status == 0, "\(made.errors)")
    let reader = try await AccessibleSession(
      environment: ["PHOTOME_LOCALEDIR": folder.path, "LANGUAGE": "ar", "LC_ALL": "C.UTF-8"])
    let (photoMe, session) = (reader.photoMe, reader.session)
    let width = 480
    try await reader.input.resize(PhotoMeSession.mainWindow, width: width, height: 640)
    // More than the strip shows.
    try await session.takePhotos(7)
    let newest = try await reader.look { tree -> ScreenPart? in
      var frames: [ScreenPart] = []
      for item in tree.objects where item.role == .listItem {
        if let frame = try? await reader.bus.frame(of: item) { frames.append(frame) }
      }
      // Left of it are others, and right of it there is no room for one.
      guard frames.count > 4, let last = frames.max(by: { $0.x < $1.x }) else { return nil }
      return last.x + last.width <= width && last.x + last.width > width - 60 ? last : nil
    }
    try await reader.input.focus(PhotoMeSession.mainWindow)
    try await reader.input.click(ScreenPoint(x: newest.x + newest.width / 2, y: newest.y + newest.height / 2))
    try await photoMe.wait(for: "viewing") { !$0.isEmpty }
    try await photoMe.wait(for: "page-shown", "viewer")
    // Photos of the same frame differ by a number after the time.
    let first = try #require(try await photoMe.state(of: "viewing"))
    let times = session.pictures.map { $0.lastPathComponent.prefix(23) }
    #expect(URL(fileURLWithPath: first).lastPathComponent.prefix(23) == times.max())
    try await reader.input.focus(PhotoMeSession.mainWindow)
    try await reader.input.press("Left")
    try await photoMe.wait(for: "viewing") { $0 != first }
    let second = try await photoMe.state(of: "viewing")
    try await reader.input.press("Left")
    try await photoMe.wait(for: "viewing") { $0 != second }
    try await reader.input.press("Right")
    try await photoMe.wait(for: "viewing") { $0 == second }

    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    try await reader.input.resizeAll(width: width, height: 640)
    try await reader.input.focus("تعديل")
    // The effects, of which the first one is chosen and has the focus.
    _ = try await reader.look { tree -> Bool? in
      let first = tree.objects.first { $0.role == .button && $0.isFocused && $0.states.contains(.pressed) }
      guard let first, try await isAtRight(first, of: width, reader) else { return nil }
      return true
    }
    try await reader.input.press("Left")
    try await photoMe.wait(for: "edit-effect", "comic")
    try await reader.input.press("Right")
    try await photoMe.wait(for: "edit-effect", "")
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-state", "closed")
    try await reader.end()
  }

  private func isAtRight(_ object: AccessibleObject, of width: Int, _ reader: AccessibleSession) async throws -> Bool {
    guard let frame = try? await reader.bus.frame(of: object) else { return false }
    return frame.x > width / 2 && frame.x + frame.width <= width && frame.x + frame.width > width - 60
  }
}
