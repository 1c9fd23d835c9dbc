// The window in a language that doesn't exist: each text is longer, accented and in brackets.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite(
  "A pseudo-language", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: AccessibilityBus.isInstalled, "at-spi2-core is not installed"),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"),
  .enabled(if: Command.areInstalled("python3", "xgettext", "msgfmt"), "needs python3 and gettext"))
struct PseudoLanguageTests {
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The narrowest window: 360 pixels, and the border that it has without a compositor.
  private static let narrow = 370

  /// Texts that are the same in every language, and those of GTK and libadwaita, which have catalogs of their own.
  private static let untranslated: Set<String> = [
    "photome", "Minimize", "Minimize the window", "Maximize", "Maximize the window", "Close", "Close the window",
    "Restore", "Restore the window", "No Results Found", "Try a different search.", "Back", "Search",
    // Names, also the one that the test camera writes into its files.
    "JPEG", "HEIC", "AVIF", "PNG", "Test Camera",
    // Of GTK's window of shortcuts, and its names of keys.
    "Shortcuts", "Search Results", "Try a different search", "Ctrl", "Shift", "Alt", "Escape", "Delete", "Enter",
    "Space", "Left", "Right", "Home", "End", "Tab", "Menu",
  ]

  /// By place, a tab and values beside subtitles, which libadwaita shortens. Texts of real languages have room.
  private static let shortened: [String: Set<String>] = [
    "preferences": ["[Šöüñd åñd Vîdéö~~~~~~]", "[Bålåñçéd~~~]", "[Ñö Lîmît~~~]", "[Öff~]"],
    "export": ["[Çürréñt Véršîöñ~~~~~~]"],
  ]

  /// The part of a text that isn't in brackets.
  static func outside(_ text: String) -> String {
    var (depth, rest) = (0, "")
    for character in text {
      if character == "[" { depth += 1 }
      if depth == 0 { rest.append(character) }
      if character == "]" { depth = max(0, depth - 1) }
    }
    return rest
  }

  /// Whether a text is as the catalog has it, apart from names of files, dates and numbers with units.
  static func isTranslated(_ text: String) -> Bool {
    let rest = outside(text)
      .replacing(#/(IMG|VID)_[\w.]+/#, with: "").replacing(#/(\/[\w.-]+)+/#, with: "").replacing(
        #/\d [kMG]B/#, with: ""
      )
      .replacing(#/\d+:\d\d(:\d\d)?\sP?A?M/#, with: "").replacing(#/, \d+ at /#, with: "")
      .replacing(
        #/((Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep)[a-z]* \d+/#, with: ""
      )
      .replacing(#/((Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, )?(Oct|Nov|Dec)[a-z]* \d+/#, with: "")
    // A single letter is a key, and so is F1.
    return !rest.contains(where: \.isLetter) || rest.count == 1 || rest.wholeMatch(of: #/F\d+/#) != nil
  }

  @Test("What is in brackets is translated")
  func brackets() {
    #expect(Self.isTranslated("[Šåvé [Nöîr~] ås~~], IMG_20261125_225426_676.MP.jpg, 12"))
    #expect(Self.isTranslated("Nov 25, 2026 at 10:54\u{202f}PM"))
    #expect(!Self.isTranslated("Save [~~]") && !Self.isTranslated("[Šåvé~] as"))
  }

  /// Uses the program with the catalog.
  private func withProgram(
    camera: String = "test", status: String = "running", prepare: (TestDesktop) async throws -> Void = { _ in },
    _ use: (AccessibleSession) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-pseudo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try Command.run("data/dev/translations", ["--pseudo", folder.path], at: Self.project)
    try #require(made.status == 0, "\(made.errors)")
    let reader = try await AccessibleSession(
      camera: camera, status: status,
      environment: ["PHOTOME_LOCALEDIR": folder.path, "LANGUAGE": "qps", "LC_ALL": "C.UTF-8"], prepare: prepare)
    try await use(reader)
    try await reader.end()
  }

  @Test("Every text is translated and shown in full, and each page fits into a narrow window")
  func pages() async throws {
    try await withProgram { reader in try await goThroughPages(reader) }
  }

  private func goThroughPages(_ reader: AccessibleSession) async throws {
    let photoMe = reader.photoMe
    // A toast is made for the width that there is.
    try await reader.input.resizeAll(width: Self.narrow, height: 640)
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await reader.session.takePhotos(1)
    try await check(reader, "camera")
    try await photoMe.activate("shutter-options")
    try await photoMe.wait(for: "options-shown", "yes")
    try await check(reader, "shutter options")
    try await photoMe.activate("shutter-options")
    try await photoMe.activate("effects")
    try await photoMe.wait(for: "effect-pictures") { Int($0) ?? 0 > 4 }
    try await check(reader, "effects")
    try await photoMe.activate("effects")
    try await photoMe.activate("mode", "video")
    try await photoMe.wait(for: "mode", "video")
    try await check(reader, "video")
    try await photoMe.activate("mode", "photo")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "1")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "1")
    try await check(reader, "library")
    try await reader.showExport { _ in try await check(reader, "export") }
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page", "viewer")
    try await photoMe.activate("show-info")
    try await photoMe.wait(for: "show-info", "true")
    try await check(reader, "viewer")
    try await photoMe.activate("edit")
    try await photoMe.wait(for: "edit-state", "editing")
    for tab in ["effects", "adjust", "crop", "live"] {
      try await photoMe.activate("edit-tab", tab)
      try await photoMe.wait(for: "edit-tab", tab)
      try await check(reader, "editor: \(tab)")
    }
    try await photoMe.activate("edit-effect", "comic")
    try await photoMe.wait(for: "edit-effect", "comic")
    try await photoMe.activate("edit-cancel")
    try await photoMe.wait(for: "edit-asking", "discard")
    try await check(reader, "a question of the editor")
    try await photoMe.activate("edit-confirm")
    try await photoMe.wait(for: "edit-state", "closed")
    try await photoMe.activate("preferences")
    try await check(reader, "preferences")
  }

  @Test("So is the first-run page, what stands in for the picture and for the library's items, and the shortcuts")
  func otherPages() async throws {
    // A first start has no settings.
    func forget(_ desktop: TestDesktop) throws {
      try FileManager.default.removeItem(at: desktop.folder.appendingPathComponent("home/config/photome/settings.json"))
    }
    try await withProgram(camera: "nonsense", status: "failed", prepare: forget) { reader in
      try await goThroughOtherPages(reader)
    }
  }

  private func goThroughOtherPages(_ reader: AccessibleSession) async throws {
    let photoMe = reader.photoMe
    try await photoMe.wait(for: "welcome", "shown")
    try await check(reader, "welcome")
    try await reader.input.focus(#"\[Wélçömé~~\]"#)
    try await reader.input.press("Escape")
    try await photoMe.wait(for: "welcome", "")
    try await check(reader, "no camera")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "page", "library")
    try await check(reader, "an empty library")
    try await photoMe.activate("search", "nothing")
    try await photoMe.wait(for: "search", "nothing")
    try await check(reader, "nothing found")
    // GTK's window of shortcuts is as wide as it likes.
    let count = try await reader.bus.tree().windowCount
    try await photoMe.activate("shortcuts")
    isTranslated(try await reader.look { $0.windowCount > count ? $0 : nil }, "shortcuts")
  }

  private func check(_ reader: AccessibleSession, _ place: String) async throws {
    try await reader.input.resizeAll(width: Self.narrow, height: 640)
    // Without a window manager, a window can be made smaller than what it needs.
    let tree = try await reader.look { tree -> AccessibleTree? in
      for window in tree.objects where tree.isWindow(window) {
        // One that is gone is looked for again.
        guard let frame = try? await reader.bus.frame(of: window) else { return nil }
        if frame.width > Self.narrow { try await reader.input.resizeAll(width: Self.narrow, height: 640) }
      }
      return tree
    }
    isTranslated(tree, place)
    let cut = try await reader.photoMe.cutTexts().filter { Self.shortened[place]?.contains($0) != true }
    #expect(cut.isEmpty, "\(place)")
    let need = try await reader.photoMe.minimumWidth()
    #expect(need.width <= Self.narrow, "\(place): \(need.parts)")
  }

  private func isTranslated(_ tree: AccessibleTree, _ place: String) {
    for object in tree.objects where !object.isNamedByType && !Self.untranslated.contains(object.name) {
      #expect(Self.isTranslated(object.name), "\(place): \(tree.line(of: object))")
      let text = object.text
      #expect(
        Self.untranslated.contains(text) || Self.isTranslated(text), "\(place): “\(text)” of \(tree.line(of: object))")
    }
  }
}
