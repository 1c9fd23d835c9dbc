// The names of everything that can be used, and the stops of Tab, on every page and in every window.

import Foundation
import Testing

@testable import PhotoMe

@Suite(
  "Accessible names", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: AccessibilityBus.isInstalled, "at-spi2-core is not installed"),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"))
struct AccessibleNamesTests {
  /// What can have the focus, or is chosen from a menu or a list.
  private static func isUsable(_ object: AccessibleObject) -> Bool {
    // A scrolled area has the focus only when nothing in it can.
    if object.role == .scrollPane { return false }
    // The text on a drop-down's button is a list item to GTK.
    if object.name == "GtkListItemWidget" { return false }
    return object.states.contains(.focusable) || object.role == .menuItem || object.role == .cell
  }

  /// Whether an object is a picture in the strip or the grid: two of the same minute differ by their places.
  private static func isPicture(_ object: AccessibleObject) -> Bool {
    object.name.hasPrefix("Photo, ") || object.name.hasPrefix("Live photo, ")
  }

  private func check(_ tree: AccessibleTree, _ place: String) {
    #expect(tree.objects.count > 100, "\(place)")
    let nameless = tree.objects.filter { Self.isUsable($0) && ($0.name.isEmpty || $0.isNamedByType) }
    // GTK reads a button's name and then the label in it.
    let doubled = tree.objects.filter { $0.role == .button && $0.name.wholeMatch(of: #/(.+) \1/#) != nil }
    #expect(doubled.isEmpty, "\(place): \(doubled)")
    #expect(nameless.isEmpty, "\(place): \(nameless.map(tree.line(of:)).joined(separator: "\n"))")
    for parent in tree.objects {
      let used = tree.children(of: parent).filter { Self.isUsable($0) && !Self.isPicture($0) }
      let names = Dictionary(grouping: used) { "\($0.roleNumber) \($0.name)" }
      let twins = names.values.filter { $0.count > 1 }.map { $0[0] }
      #expect(twins.isEmpty, "\(place): \(twins.map(tree.line(of:)).joined(separator: "\n"))")
    }
  }

  @Test("Whatever can be used has a name of its own, on every page and in every window")
  func names() async throws {
    let reader = try await AccessibleSession()
    let photoMe = reader.photoMe
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await reader.session.takePhotos(1)
    for (action, shown) in [
      ("shutter-options", "Countdown"), ("camera-controls", "Brightness"), ("choose-camera", "Test Camera"),
    ] {
      try await photoMe.activate(action)
      let tree = try await reader.look { tree in tree.objects.contains { $0.name.hasPrefix(shown) } ? tree : nil }
      check(tree, action)
      if action == "shutter-options" { try await photoMe.activate(action) }
    }
    try await photoMe.activate("effects")
    try await photoMe.wait(for: "effect-pictures") { Int($0) ?? 0 > 4 }
    check(try await bus(reader), "effects")
    try await photoMe.activate("effects")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "1")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "1")
    check(try await bus(reader), "library")
    try await reader.showExport { check($0, "export") }
    for action in ["ask-date", "ask-place"] { try await reader.showAdjustment(action) { check($0, action) } }
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page", "viewer")
    try await photoMe.activate("show-info")
    try await photoMe.wait(for: "show-info", "true")
    check(try await bus(reader), "viewer")
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    for tab in ["adjust", "crop", "live"] {
      try await photoMe.activate("edit-tab", tab)
      try await photoMe.wait(for: "edit-tab", tab)
    }
    check(try await bus(reader), "editor")
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-state", "closed")
    for action in ["preferences", "shortcuts", "about"] {
      let count = try await bus(reader).windowCount
      try await photoMe.activate(action)
      let tree = try await reader.look { $0.windowCount > count ? $0 : nil }
      check(tree, action)
    }
    try await reader.end()
  }

  private func bus(_ reader: AccessibleSession) async throws -> AccessibleTree { try await reader.bus.tree() }

  /// Presses Tab until the focus is where it was after the first press, and looks at the stops.
  private func goRound(_ reader: AccessibleSession, _ window: String, atLeast count: Int) async throws {
    try await reader.input.focus(window)
    _ = try await reader.look { tree in tree.window(window).first(where: \.isFocused) }
    for key in ["Tab", "shift+Tab"] {
      // Where the focus is at first, on the viewer's page, isn't always a stop.
      // Nor is a row of the sidebar that goes when its places arrive.
      _ = try await reader.press(key) { _ in true }
      let first = try #require(try await reader.press(key) { _ in true }?.first)
      // A row that is made anew when its list gets another one has another path, and is the same stop.
      let stops = try #require(
        try await reader.press(key) { $0.path == first.path || $0.role == first.role && $0.name == first.name })
      #expect(stops.count >= count && Set(stops.map(\.path)).count == stops.count, "\(window): \(stops)")
      for stop in stops {
        #expect(!stop.name.isEmpty && !stop.isNamedByType && stop.role != .scrollPane, "\(window): \(stops)")
      }
    }
  }

  @Test("Tab and Shift+Tab go round through the camera, the library, the viewer and the editor, by names")
  func rounds() async throws {
    let reader = try await AccessibleSession()
    let photoMe = reader.photoMe
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await reader.session.takePhotos(2)
    try await goRound(reader, PhotoMeSession.mainWindow, atLeast: 10)
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "2")
    try await goRound(reader, PhotoMeSession.mainWindow, atLeast: 5)
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "2")
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page", "viewer")
    try await goRound(reader, PhotoMeSession.mainWindow, atLeast: 6)
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    try await goRound(reader, PhotoMeSession.editorWindow, atLeast: 6)
    try await photoMe.activate("edit-tab", "live")
    try await photoMe.wait(for: "edit-tab", "live")
    try await goRound(reader, PhotoMeSession.editorWindow, atLeast: 8)
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-state", "closed")
    try await reader.end()
  }
}
