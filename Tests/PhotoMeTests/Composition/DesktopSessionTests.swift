// The program in a session that is locked, and on a machine that goes to sleep.

import Foundation
import Testing

@Suite("The desktop session", .serialized, .timeLimit(.minutes(30)))
struct DesktopSessionTests {
  /// The program with the test camera and a simulated logind and screen saver.
  private func start() async throws -> (SimulatedSession, TestDesktop, RunningPhotoMe) {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let session = try SimulatedSession(address: address)
    let library = desktop.folder.appendingPathComponent("pictures").path
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    try await photoMe.wait(for: "status", "running")
    return (session, desktop, photoMe)
  }

  @Test("A locked screen turns the camera off, and unlocking turns it on")
  func lock() async throws {
    let (session, desktop, photoMe) = try await start()
    for await _ in session.granted { break }
    session.setLocked(true)
    try await photoMe.wait(for: "status", "suspended")
    session.setLocked(false)
    try await photoMe.wait(for: "status", "running")
    #expect(try await photoMe.quit() == 0)
    withExtendedLifetime(desktop) {}
  }

  @Test("Sleep waits until the camera is closed and a live photo is saved; afterwards the camera is there again")
  func sleep() async throws {
    let (session, desktop, photoMe) = try await start()
    for await _ in session.granted { break }
    try await photoMe.activate("toggle-live")
    try await photoMe.wait(for: "toggle-live", "true")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "activity", "1")
    session.setAsleep(true)
    await session.waitUntilReleased()
    #expect(try await photoMe.state(of: "status") == "suspended")
    #expect(try await photoMe.state(of: "activity") == "0")
    session.setAsleep(false)
    try await photoMe.wait(for: "status", "running")
    for await _ in session.granted { break }
    #expect(session.grantedCount == 2)
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
    withExtendedLifetime(desktop) {}
  }
}
