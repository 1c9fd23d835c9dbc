// The library's sidebar under real input: albums are dragged, and moved by the context menu.

import TestSupport
import Testing

@testable import PhotoMe

@Suite(
  "The library's sidebar under real input", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: AccessibilityBus.isInstalled, "at-spi2-core is not installed"),
  .enabled(if: InputDriver.isInstalled && Command.areInstalled("python3"), "xdotool or Python is not installed"))
struct SidebarInputTests {
  private static let titles = ["A", "B", "C"]

  /// The rows of the albums in the sidebar, from top to bottom.
  private func rows(_ reader: AccessibleSession) async throws -> [(title: String, part: ScreenPart)] {
    var rows: [(title: String, part: ScreenPart)] = []
    for object in try await reader.bus.tree().objects where object.role == .listItem {
      guard let title = Self.titles.first(where: { object.name == "\($0), 0 items" }),
        let part = try await reader.bus.frame(of: object), part.width > 0
      else { continue }
      rows.append((title, part))
    }
    return rows.sorted { $0.part.y < $1.part.y }
  }

  /// Waits until the albums are in an order, and returns their rows.
  @discardableResult
  private func wait(
    for order: String, _ reader: AccessibleSession
  ) async throws -> [(title: String, part: ScreenPart)] {
    try await reader.look { _ in
      let (rows, again) = (try await rows(reader), try await rows(reader))
      // They are in their places once they are laid out.
      guard rows.map(\.title).joined() == order, rows.allSatisfy({ $0.part.height == rows[0].part.height }),
        rows.map(\.part) == again.map(\.part)
      else { return nil }
      return rows
    }
  }

  /// Drags an album to a place, once the line there says that it can be dropped.
  private func drag(
    _ row: ScreenPart, to end: ScreenPoint, line: Int, _ reader: AccessibleSession
  ) async throws {
    try await reader.input.beginDrag(at: middle(row))
    // A drag begins with questions to the X server; what the pointer does meanwhile isn't heard of. The accessibility bus
    // measures without the shadow around the window.
    var (isMarked, step) = (false, 0)
    while !isMarked {
      step += 1
      try await reader.input.move(to: ScreenPoint(x: end.x + step % 3, y: end.y))
      #expect(try await reader.photoMe.state(of: "status") != nil)
      let screen = try reader.session.desktop.screenshot()
      isMarked = (line - 10...line + 10).contains { y in
        screen.runs(inRow: y) { $0 == Self.accent }.contains { $0.count > Self.lineWidth }
      }
    }
    try await reader.input.drop()
  }

  /// In pixels: less than what the picture under the pointer leaves of the line.
  private static let lineWidth = 50
  /// The accent's color in the light style.
  private static let accent: UInt32 = 0xA84400

  private func middle(_ part: ScreenPart, height: Double = 0.5) -> ScreenPoint {
    ScreenPoint(x: part.x + part.width / 2, y: part.y + Int(Double(part.height) * height))
  }

  @Test("An album is dragged between others, moved by its menu, and all are by name again")
  func arranging() async throws {
    let reader = try await AccessibleSession()
    let (photoMe, input) = (reader.photoMe, reader.input)
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page-shown", "library")
    for title in Self.titles { try await photoMe.activate("new-album", title) }
    try await photoMe.wait(for: "albums", "3")
    var rows = try await wait(for: "ABC", reader)
    try await input.focus(PhotoMeSession.mainWindow)
    try await input.markAsManaged(PhotoMeSession.mainWindow)
    let first = rows[0].part
    try await drag(rows[2].part, to: middle(first, height: 0.2), line: first.y, reader)
    rows = try await wait(for: "CAB", reader)
    try await photoMe.wait(for: "undo-title", "Undo Moving “C”")
    let second = rows[1].part
    try await drag(rows[0].part, to: middle(second, height: 0.8), line: second.y + second.height, reader)
    rows = try await wait(for: "ACB", reader)

    try await input.clickRight(middle(rows[0].part))
    try await reader.press(.menuItem, "Move Down")
    rows = try await wait(for: "CAB", reader)
    try await photoMe.activate("undo")
    rows = try await wait(for: "ACB", reader)
    try await input.clickRight(middle(rows[2].part))
    try await reader.press(.menuItem, "Sort by Name")
    try await wait(for: "ABC", reader)
    try await photoMe.wait(for: "undo-title", "Undo Sorting Albums by Name")
    try await reader.end()
  }
}
