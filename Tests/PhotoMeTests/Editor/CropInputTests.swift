// The editor's crop under real input: dragging its handles and its inside, and the arrow keys.

import Testing

@testable import PhotoMe

@Suite(
  "The editor's crop under real input", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct CropInputTests {
  /// The corners of the crop: its handles are thick white lines, longer than any letter's.
  private static func corners(_ screen: Screenshot) -> (topLeft: ScreenPoint, bottomRight: ScreenPoint)? {
    let rows = (60..<560).map { y in
      (y: y, runs: screen.runs(inRow: y) { $0 == 0xFFFFFF }.filter { (18...30).contains($0.count) })
    }.filter { !$0.runs.isEmpty }
    guard let top = rows.first?.y, let bottom = rows.last?.y, bottom - top > 100,
      let left = rows.compactMap(\.runs.first?.lowerBound).min(),
      let right = rows.compactMap(\.runs.last?.upperBound).max()
    else { return nil }
    return (ScreenPoint(x: left + 2, y: top + 2), ScreenPoint(x: right - 2, y: bottom - 1))
  }

  /// A number of the crop in a recipe; `nil` if the recipe doesn't have it.
  private static func crop(_ name: String, in recipe: String) -> Double? {
    recipe.firstMatch(of: /"crop":\{([^}]*)\}/).flatMap { crop in
      crop.1.split(separator: ",").first { $0.hasPrefix("\"\(name)\":") }
        .flatMap { Double($0.drop { $0 != ":" }.dropFirst()) }
    }
  }

  @Test("Dragging a handle changes the crop, dragging inside and arrow keys move it")
  func drags() async throws {
    let session = try await PhotoMeSession()
    let (photoMe, input) = (session.photoMe, session.input)
    try await session.takePhotos(1)
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    try await photoMe.activate("edit-tab", "crop")
    let (topLeft, bottomRight) = try await session.find(Self.corners)
    let (width, height) = (bottomRight.x - topLeft.x, bottomRight.y - topLeft.y)

    // Removes a quarter on the right, and half at the bottom.
    try await input.drag(
      from: bottomRight, to: ScreenPoint(x: bottomRight.x - width / 4, y: bottomRight.y - height / 2))
    func near(_ name: String, _ wanted: Double) -> (String) -> Bool {
      { recipe in Self.crop(name, in: recipe).map { abs($0 - wanted) < 0.02 } ?? false }
    }
    try await photoMe.wait(for: "edit-recipe") { near("width", 0.75)($0) && near("height", 0.5)($0) }
    let middle = ScreenPoint(x: topLeft.x + width * 3 / 8, y: topLeft.y + height / 4)
    try await input.drag(from: middle, to: ScreenPoint(x: middle.x + width / 10, y: middle.y + height / 4))
    try await photoMe.wait(for: "edit-recipe") { near("x", 0.1)($0) && near("y", 0.25)($0) && near("width", 0.75)($0) }

    // Each drag is one step.
    try await photoMe.activate("edit-undo")
    try await photoMe.wait(for: "edit-recipe") { near("x", 0)($0) && near("width", 0.75)($0) }
    try await input.focus(PhotoMeSession.editorWindow)
    try await input.press("Right", "Right", "shift+Left")
    try await photoMe.wait(for: "edit-recipe") { near("x", 0.02)($0) && near("width", 0.74)($0) }
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-asking", "discard")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    try await session.end()
  }
}
