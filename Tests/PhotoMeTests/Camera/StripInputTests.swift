// The strip under real input: clicks, Ctrl, Delete, and the undo of it.

import Testing

@testable import PhotoMe

@Suite(
  "The strip under real input", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct StripInputTests {
  /// The middle of the newest picture and of the next one, 84 pixels apart, above the shutter's ring.
  private static func cells(_ screen: Screenshot) -> [ScreenPoint]? {
    let rows = (620..<screen.height).filter { y in !screen.runs(inRow: y) { $0 == 0xE8751A }.isEmpty }
    guard let top = rows.first, let bottom = rows.last, bottom - top > 40 else { return nil }
    let middle = (top + bottom) / 2 - 77
    // The pictures have other colors than the window.
    let points = [48, 48 + 84].map { ScreenPoint(x: $0, y: middle) }
    let isThere = points.allSatisfy { point in
      Set(screen.colors(x: (point.x - 20)..<(point.x + 20), y: (middle - 20)..<(middle + 20))) != [
        Screenshot.windowGround
      ]
    }
    return isThere ? points : nil
  }

  @Test("A click opens a picture; Delete moves the selected ones to the trash, and undo brings them back")
  func strip() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await session.takePhotos(3)
    let newestFirst = Array(session.pictures.map(\.path).reversed())
    #expect(try await photoMe.isEnabled("delete") == false)
    let cells = try await session.find(Self.cells)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.click(cells[1])
    try await photoMe.wait(for: "viewing", newestFirst[1])
    try await session.findNo(Self.cells)
    try await input.press("Escape")
    try await photoMe.wait(for: "page-shown", "camera")
    _ = try await session.find(Self.cells)

    // The one that was opened is selected.
    try await photoMe.wait(for: "delete", enabled: true)
    try await input.click(cells[0], holding: "ctrl")
    try await photoMe.wait(for: "edit", enabled: false)
    try await input.press("Delete")
    try await photoMe.wait(for: "pictures", "1")
    #expect(session.pictures.map(\.path) == [newestFirst[2]])
    try await photoMe.wait(for: "undo-title", "Undo Deleting 2 Items")
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "pictures", "3")
    #expect(Set(session.pictures.map(\.path)) == Set(newestFirst))
    try await session.end()
  }

  @Test("After a right click, Delete is about the picture whose menu was opened")
  func menu() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await session.takePhotos(3)
    let newestFirst = Array(session.pictures.map(\.path).reversed())
    let cells = try await session.find(Self.cells)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.clickRight(cells[1])
    try await photoMe.wait(for: "delete", enabled: true)
    // Above the picture, where the viewfinder isn't white.
    let isMenu = { (screen: Screenshot) in
      screen.pixel(x: cells[1].x + 60, y: cells[1].y - 150) == 0xFFFFFF ? true : nil
    }
    _ = try await session.find(isMenu)
    try await input.press("Escape")
    try await session.findNo(isMenu)
    try await input.press("Delete")
    try await photoMe.wait(for: "pictures", "2")
    #expect(session.pictures.map(\.path) == [newestFirst[2], newestFirst[0]])
    try await session.end()
  }
}
