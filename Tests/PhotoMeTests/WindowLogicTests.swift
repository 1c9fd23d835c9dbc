// The small decisions of the window: which page says what, and how the strip's list changes.

import CameraCore
import Testing

@testable import PhotoMe

@Suite("What the window says and shows")
struct WindowLogicTests {
  static let troubles: [CameraStatus] = [
    .noCamera, .permissionDenied, .interrupted(.inUse), .interrupted(.unplugged), .interrupted(.suspended),
    .failed(.notRunning),
  ]

  @Test("Every trouble has a page of its own with words and a way out", arguments: troubles)
  func troublePage(_ status: CameraStatus) throws {
    let page = try #require(StatusPage(status, hasSettings: true))
    #expect(!page.title.isEmpty && !page.text.isEmpty && !page.waysOut.isEmpty)
    let others = Self.troubles.filter { $0 != status }
    #expect(!others.contains { StatusPage($0, hasSettings: true)?.title == page.title })
  }

  @Test("States have names of their own on the bus")
  func reportNames() {
    let names = (Self.troubles + [.starting]).map(\.reportName)
    #expect(Set(names).count == names.count)
  }

  @Test("A start has no page of trouble")
  func starting() { #expect(StatusPage(.starting, hasSettings: true) == nil) }

  @Test("Settings are offered where there are any")
  func settings() {
    #expect(StatusPage(.permissionDenied, hasSettings: true)?.waysOut.first == .openSettings)
    #expect(StatusPage(.permissionDenied, hasSettings: false)?.waysOut.contains(.openSettings) == false)
  }

  @Test("A failure says what the error says")
  func failure() {
    let error = CameraError.unknownCamera(id: "x", known: ["test"])
    #expect(StatusPage(.failed(error), hasSettings: false)?.text == error.description)
  }

  @Test(
    "A microphone's name on the bus means the same choice",
    arguments: [MicrophoneChoice.automatic, .none, .device("alsa_input.usb")])
  func microphone(_ choice: MicrophoneChoice) {
    #expect(MicrophoneChoice(reportName: choice.reportName) == choice)
  }

  @Test(
    "The list's one change makes the old list into the new one",
    arguments: [
      ("", "a"), ("b", "ab"), ("abc", "bc"), ("abc", "ac"), ("abc", "ab"), ("abc", ""), ("abcd", "xbcd"),
      ("abcd", "abxd"), ("aab", "ab"), ("abab", "ab"), ("ab", "ba"), ("abc", "xyz"),
    ])
  func listChange(_ old: String, _ new: String) throws {
    let before = old.map(String.init)
    let after = new.map(String.init)
    let change = try #require(ListChange(from: before, to: after))
    var list = before
    list.replaceSubrange(change.position..<(change.position + change.removedCount), with: change.inserted)
    #expect(list == after)
  }

  @Test("A picture at the front changes nothing else")
  func newest() {
    #expect(ListChange(from: ["b", "c"], to: ["a", "b", "c"])?.inserted == ["a"])
    #expect(ListChange(from: ["b", "c"], to: ["b", "c"]) == nil)
  }
}
