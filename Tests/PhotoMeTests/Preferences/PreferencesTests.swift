// The preferences window of the built program.

import Foundation
import Testing

@Suite("The preferences", .serialized, .timeLimit(.minutes(30)))
struct PreferencesTests {
  @Test("They open by their action, close by Escape, and open again")
  func opening() async throws {
    let session = try await PhotoMeSession()
    for _ in 0..<2 {
      try await session.photoMe.activate("preferences")
      try await session.input.focus("Preferences")
      try await session.input.press("Escape")
      try await session.photoMe.wait(for: "preferences-shown", "no")
      // The camera's keys are with the window again.
      try await session.input.focus(PhotoMeSession.mainWindow)
    }
    try await session.end()
  }

  @Test("The button for another folder of the library opens the dialog")
  func changingTheFolder() async throws {
    let session = try await PhotoMeSession()
    try await session.photoMe.activate("preferences")
    try await session.photoMe.wait(for: "preferences-shown", "yes")
    try await session.input.focus("Preferences")
    try await session.photoMe.activate("use-preference", "change_folder", "press")
    #expect(try await session.photoMe.state(of: "message")?.hasPrefix("The preference “change_folder”") != true)
    try await session.input.focus("Choose Library Folder")
    try await session.input.press("Escape")
    try await session.input.focus("Preferences")
    try await session.end()
  }

  @Test("Messages that the closed preferences can't show anymore are shown by the window")
  func toasts() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("preferences")
    try await session.input.focus("Preferences")
    // One after another: the last waits for the others.
    for row in ["a", "b", "c"] { try await photoMe.activate("use-preference", row, "on") }
    func line(_ place: String) -> String { "\(place): The preference “c” can’t be changed now." }
    try await photoMe.wait(for: "toasts") { $0.contains(line("preferences")) }
    // Escape would only close the first toast.
    try await session.input.press("ctrl+w")
    try await photoMe.wait(for: "preferences-shown", "no")
    try await photoMe.wait(for: "toasts") { $0.contains(line("camera")) && !$0.contains(line("preferences")) }
    try await session.end()
  }

  /// What is done with a row, by its ID, and the path of the setting that it changes. In an order in which each can be used.
  private static let uses: [(row: String, value: String, setting: String)] = [
    ("photo_quality", "0", "photoQuality"), ("photo_format", "1", "photoFormat"), ("countdown", "1", "capture.delay"),
    ("booth", "1", "capture.booth"), ("interval", "1", "capture.interval"),
    ("interval_count", "1", "capture.intervalCount"), ("flash", "1", "capture.flash"),
    ("shutter_sounds", "off", "capture.playsSounds"), ("codes", "off", "capture.looksForCodes"),
    ("guides", "2", "capture.guides"), ("mirror_files", "on", "capture.savesAsPreviewed"),
    ("mirror", "off", "isMirrored"), ("microphone", "1", "microphone"), ("movie_quality", "0", "movieQuality"),
    ("movie_codec", "1", "movieCodec"), ("stabilize", "on", "stabilizesMovies"), ("location", "on", "addsLocation"),
    ("appearance", "1", "appearance"),
    ("high_resolution", "on", "cameras"),
    ("resolution", "0", "cameras"), ("frame_rate", "2", "cameras"), ("raw", "on", "savesRaw"), ("hdr", "on", "cameras"),
  ]

  /// The rows that need a second camera, and the answer to a password prompt.
  private static let others = ["camera", "lock_hidden"]

  /// A setting in the file as JSON; `nil` where there is none.
  private static func setting(_ path: String, in file: URL) -> String? {
    guard let data = try? Data(contentsOf: file), var value = try? JSONSerialization.jsonObject(with: data) else {
      return nil
    }
    for key in path.split(separator: ".") {
      guard let next = (value as? [String: Any])?[String(key)] else { return nil }
      value = next
    }
    let json = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    return json.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The chosen style is on the screen at once")
  func appearance() async throws {
    let session = try await PhotoMeSession()
    try await session.photoMe.activate("preferences")
    try await session.photoMe.wait(for: "preferences-shown", "yes")
    // The rows' order is that of `Appearance`: dark, and as the desktop, which has no preference.
    for (choice, ground) in [("2", UInt32(0x1A1A1A)), ("0", Screenshot.windowGround)] {
      try await session.photoMe.activate("use-preference", "appearance", choice)
      _ = try await session.find { screen in
        let rows = stride(from: 0, to: screen.height, by: 20)
        return rows.contains { screen.runs(inRow: $0) { $0 == ground }.contains { $0.count > 60 } } ? true : nil
      }
    }
    try await session.end()
  }

  @Test("Every row changes the file of the settings")
  func rows() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    let configuration = try #require(session.desktop.environment["XDG_CONFIG_HOME"])
    let file = URL(fileURLWithPath: configuration).appendingPathComponent("photome/settings.json")
    // From the first change on the file has all settings.
    try await photoMe.activate("guides", "cross")
    while Self.setting("capture.guides", in: file) != "\"cross\"" { _ = try await photoMe.state(of: "status") }
    try await photoMe.activate("preferences")
    try await photoMe.wait(for: "preferences-shown", "yes")
    for use in Self.uses {
      let before = Self.setting(use.setting, in: file)
      try await photoMe.activate("use-preference", use.row, use.value)
      while Self.setting(use.setting, in: file) == before {
        let message = try await photoMe.state(of: "message")
        #expect(message?.hasPrefix("The preference “\(use.row)”") == false)
        if message?.hasPrefix("The preference “\(use.row)”") != false { break }
      }
      // Some open the camera again.
      try await photoMe.wait(for: "status", "running")
    }
    try await session.end()
  }

  @Test("The rows of the layout are those that are tested")
  func layout() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let layout = try String(contentsOf: root.appendingPathComponent("data/ui/preferences.ui"), encoding: .utf8)
    let ids = layout.matches(of: #/class="(?:AdwComboRow|GtkSwitch)" id="([^"]*)"/#).map { String($0.1) }
    #expect(Set(ids) == Set(Self.uses.map(\.row) + Self.others))
  }
}
