// The desktop's power saver, from a simulated daemon to what the preview leaves out.

import Testing

@testable import PhotoMe

@Suite("The power saver", .serialized, .timeLimit(.minutes(30)))
struct PressureWindowTests {
  @Test("Power is saved while the desktop's power saver is on, and no longer")
  func powerSaver() async throws {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let profiles = try SimulatedPowerProfiles(address: address, profile: "power-saver")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", desktop.folder.appendingPathComponent("pictures").path],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    // Not the level alone: a busy machine has reasons of its own for one.
    func isSaving(_ factors: String) -> Bool { factors.split(separator: " ").contains("powerSaver") }
    try await photoMe.wait(for: "pressure-factors", isSaving)
    try await photoMe.wait(for: "pressure") { $0 != "nominal" }
    profiles.choose("balanced")
    try await photoMe.wait(for: "pressure-factors") { !isSaving($0) }
    profiles.choose("power-saver")
    try await photoMe.wait(for: "pressure-factors", isSaving)
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
    withExtendedLifetime((profiles, desktop)) {}
  }
}
