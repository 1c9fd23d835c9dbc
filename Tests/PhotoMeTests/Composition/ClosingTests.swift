// Closing the program on a desktop: no shot is lost, and a start meanwhile shows the window again.

import Foundation
import Testing

@Suite("Closing the program", .serialized, .timeLimit(.minutes(30)))
struct ClosingTests {
  @Test("A start while the last movie is written shows the window again, and the camera goes on")
  func startWhileClosing() async throws {
    let desktop = try await TestDesktop()
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(on: desktop, ["--camera", "test", "--library", library.path])
    try await photoMe.wait(for: "status", "running")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await photoMe.activateAndStartAgain(["take-photo", "quit"])
    try await photoMe.wait(for: "status", "running")
    try await photoMe.wait(for: "activity", "0")
    #expect(try await photoMe.quit() == 0)
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: library.path)) ?? []
    #expect(names.filter { $0.hasSuffix(".MP.jpg") }.count == 1, "\(names)")
  }

  @Test("Quitting while live photos roll loses none of them")
  func quitWhileRolling() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    let presses = 6
    // An action has been performed when its call returns.
    for _ in 0..<presses { try await photoMe.activate("take-photo") }
    #expect(try await photoMe.quit() == 0)
    let names = session.pictures.map(\.lastPathComponent)
    #expect(names.count { $0.hasSuffix(".MP.jpg") } == presses, "\(names)")
    #expect(names.count == presses, "\(names)")
  }
}
