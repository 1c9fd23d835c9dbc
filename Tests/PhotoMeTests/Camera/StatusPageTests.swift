// The pages that stand in for the viewfinder, and the names of states on the bus.

import CameraCore
import Testing

@testable import PhotoMe

@Suite("Status pages")
struct StatusPageTests {
  static let troubles: [CameraStatus] = [
    .noCamera, .permissionDenied, .interrupted(.inUse), .interrupted(.unplugged), .interrupted(.suspended),
    .failed(.notRunning),
  ]

  @Test("Every trouble has a page of its own with words and a way out", arguments: troubles)
  func troublePage(_ status: CameraStatus) throws {
    let page = try #require(StatusPage(status, hasSettings: true))
    #expect(!page.title.isEmpty && !page.text.isEmpty && !page.remedies.isEmpty)
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
    #expect(StatusPage(.permissionDenied, hasSettings: true)?.remedies.first == .openSettings)
    #expect(StatusPage(.permissionDenied, hasSettings: false)?.remedies.contains(.openSettings) == false)
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
}
