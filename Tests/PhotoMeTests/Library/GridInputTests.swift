// The library's grid under real input: clicks, Ctrl, Shift, the arrow keys and Enter.

import Testing

@testable import PhotoMe

@Suite(
  "The library's grid under real input", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct GridInputTests {
  /// The centers of the cells in the grid's first row.
  private static func cells(_ screen: Screenshot) -> [ScreenPoint]? {
    let row = 130
    let pictures = screen.runs(inRow: row) { $0 != Screenshot.windowGround && $0 != 0 }
      .filter { $0.count >= 140 && $0.count < 260 }
    return pictures.count == 3 ? pictures.map { ScreenPoint(x: ($0.lowerBound + $0.upperBound) / 2, y: row) } : nil
  }

  @Test("A click opens, with Ctrl or Shift it selects, and the arrow keys move the cursor")
  func selecting() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await session.takePhotos(3)
    let newestFirst = Array(session.pictures.map(\.path).reversed())
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "3")
    try await photoMe.wait(for: "page-shown", "library")
    let cells = try await session.find(Self.cells)
    try await input.focus(PhotoMeSession.mainWindow)

    try await input.click(cells[1])
    try await photoMe.wait(for: "viewing", newestFirst[1])
    try await session.findNo(Self.cells)
    // The page has the focus, not its Back button.
    try await input.press("Return", "Right")
    try await photoMe.wait(for: "viewing", newestFirst[2])
    try await input.press("Escape")
    try await photoMe.wait(for: "page-shown", "library")
    _ = try await session.find(Self.cells)

    try await input.click(cells[0], holding: "ctrl")
    try await photoMe.wait(for: "selected", "1")
    #expect(try await photoMe.state(of: "selecting") == "true")
    try await input.click(cells[2], holding: "shift")
    try await photoMe.wait(for: "selected", "3")
    try await input.click(cells[1], holding: "ctrl")
    try await photoMe.wait(for: "selected", "2")
    // While pictures are being selected, a click selects.
    try await input.click(cells[1])
    try await photoMe.wait(for: "selected", "3")
    try await input.press("Escape")
    try await photoMe.wait(for: "selecting", "false")
    try await photoMe.wait(for: "selected", "0")

    // The cursor is on a single picture, and moves the selection along.
    try await input.press("Home", "Right")
    try await photoMe.wait(for: "selected", "1")
    #expect(try await photoMe.state(of: "selecting") == "false")
    try await input.press("Return")
    try await photoMe.wait(for: "viewing", newestFirst[1])
    try await session.findNo(Self.cells)
    try await input.press("Escape")
    try await photoMe.wait(for: "page-shown", "library")
    _ = try await session.find(Self.cells)
    try await input.press("ctrl+a")
    try await photoMe.wait(for: "selected", "3")
    try await input.press("Escape", "Escape")
    try await photoMe.wait(for: "page", "camera")
    try await session.end()
  }
}
