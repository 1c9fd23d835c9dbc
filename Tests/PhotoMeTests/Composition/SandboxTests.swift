// The program in a sandbox like Flatpak's: without devices, and with the desktop's services behind portals.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite(
  "In a sandbox", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: Bubblewrap.isPossible, "bubblewrap is not installed, or can't make a sandbox here"))
struct SandboxTests {
  @Test("The portal is asked for cameras, without an option; who is refused gets the page with the way to the settings")
  func refused() async throws {
    let desktop = try await TestDesktop()
    let portal = try SimulatedCameraPortal(address: #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"]), .refuses)
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--library", library.path], launcher: Bubblewrap.launcher(in: desktop.folder))
    try await photoMe.wait(for: "status", "permission-denied")
    #expect(portal.questionCount == 1)
    #expect(try await photoMe.state(of: "problem") == CameraError.accessDenied.description)
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
  }

  @Test("A live photo is taken, deleted and brought back without any device")
  func story() async throws {
    let desktop = try await TestDesktop()
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library.path], launcher: Bubblewrap.launcher(in: desktop.folder))
    try await photoMe.wait(for: "status", "running")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page", "viewer")
    let file = try #require(try await photoMe.state(of: "viewing"))
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    try await photoMe.activate("delete")
    try await photoMe.wait(for: "pictures", "0")
    #expect(!FileManager.default.fileExists(atPath: file))
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "pictures", "1")
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
  }

  @Test("The desktop is told why the program goes on after its window has been closed")
  func background() async throws {
    let desktop = try await TestDesktop()
    let (calls, sink) = AsyncStream.makeStream(of: String.self)
    let portal = try SimulatedService(
      address: #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"]), names: ["org.freedesktop.portal.Desktop"]
    ) { call in
      guard ["RequestBackground", "SetStatus"].contains(call.member) else { return .unknown }
      sink.yield("\(call.member) \(call.arguments)")
      guard call.member == "RequestBackground" else { return .reply(nil) }
      let answer = SimulatedService.Signal(
        path: call.requestPath, interface: "org.freedesktop.portal.Request", name: "Response",
        parameters: "(@u 0, {'background': <true>, 'autostart': <false>})")
      return .reply("(objectpath '\(call.requestPath)',)", then: [answer])
    }
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library.path], launcher: Bubblewrap.launcher(in: desktop.folder))
    try await photoMe.wait(for: "status", "running")
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    // A live photo needs more than a second after the press.
    try await photoMe.activate("take-photo")
    #expect(try await photoMe.quit() == 0)
    sink.finish()
    var told: [String] = []
    for await call in calls { told.append(call) }
    #expect(told.contains { $0.hasPrefix("SetStatus") && $0.contains("Saving photos and videos") }, "\(told)")
    #expect(told.contains { $0.hasPrefix("RequestBackground") && $0.contains("Saving photos and videos") }, "\(told)")
    #expect(told.count == 2)
    withExtendedLifetime(portal) {}
  }
}
