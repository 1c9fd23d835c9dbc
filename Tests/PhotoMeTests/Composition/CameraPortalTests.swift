// Cameras by the desktop's portal, from its question to the picture, with a portal that is simulated.

import CameraCore
import Foundation
import Testing

@testable import PhotoMe

@Suite("The camera portal", .serialized, .timeLimit(.minutes(30)))
struct CameraPortalTests {
  private static let refusal = CameraError.accessDenied.description

  /// The program on a desktop of its own.
  private func start(
    _ desktop: TestDesktop, _ arguments: [String] = ["--camera-portal"], environment: [String: String] = [:]
  ) async throws -> RunningPhotoMe {
    let library = desktop.folder.appendingPathComponent("pictures")
    return try await RunningPhotoMe(
      on: desktop, arguments + ["--library", library.path], environment: environment)
  }

  /// A desktop with a portal, and the program on it.
  private func start(
    _ script: SimulatedCameraPortal.Script
  ) async throws -> (SimulatedCameraPortal, TestDesktop, RunningPhotoMe) {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let portal = try SimulatedCameraPortal(address: address, script)
    return (portal, desktop, try await start(desktop))
  }

  private func end(_ photoMe: RunningPhotoMe) async throws {
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
  }

  @Test("Who says no is asked again by Try Again only, and the page says where it can be changed")
  func refused() async throws {
    let (portal, desktop, photoMe) = try await start(.refuses)
    try await photoMe.wait(for: "status", "permission-denied")
    #expect(try await photoMe.state(of: "problem") == Self.refusal)
    #expect(portal.questionCount == 1)
    var calls = portal.calls.makeAsyncIterator()
    #expect(await calls.next() == "AccessCamera")
    try await photoMe.activate("try-again")
    while let call = await calls.next(), call != "AccessCamera" {}
    try await photoMe.wait(for: "status", "permission-denied")
    #expect(portal.questionCount == 2)
    // The test camera is left, without a question.
    try await photoMe.activate("use-test-camera")
    try await photoMe.wait(for: "status", "running")
    #expect(portal.questionCount == 2)
    try await end(photoMe)
    withExtendedLifetime(desktop) {}
  }

  @Test(
    "A portal that can’t be asked is a failure with words of its own",
    arguments: [
      (SimulatedCameraPortal.Script.hasNoCameras, CameraPortalFailure.noCameras),
      (.answersNonsense, .failed(message: "its answer can’t be understood")),
      (.lacksPipeWire, .noPipeWire(message: "Failed to connect to PipeWire")),
    ])
  func failures(script: SimulatedCameraPortal.Script, failure: CameraPortalFailure) async throws {
    let (portal, desktop, photoMe) = try await start(script)
    try await photoMe.wait(for: "status", "failed")
    #expect(try await photoMe.state(of: "problem") == CameraError.portal(failure).description)
    // It may be mended.
    portal.change(to: .refuses)
    try await photoMe.activate("try-again")
    try await photoMe.wait(for: "status", "permission-denied")
    try await end(photoMe)
    withExtendedLifetime(desktop) {}
  }

  @Test("Cameras that an administrator switched off are refused, and a desktop without a portal says so")
  func switchedOff() async throws {
    let (portal, desktop, photoMe) = try await start(.isSwitchedOff)
    try await photoMe.wait(for: "status", "permission-denied")
    try await end(photoMe)
    withExtendedLifetime((portal, desktop)) {}
    let bare = try await TestDesktop()
    let other = try await start(bare, [], environment: ["PHOTOME_CAMERA_PORTAL": "1"])
    try await other.wait(for: "status", "failed")
    #expect(try await other.state(of: "problem") == CameraError.portal(.noPortal).description)
    try await end(other)
    withExtendedLifetime(bare) {}
  }

  @Test("A question that nobody answers is said, and taken from the screen when the program ends")
  func unanswered() async throws {
    let (portal, desktop, photoMe) = try await start(.waits)
    var calls = portal.calls.makeAsyncIterator()
    #expect(await calls.next() == "AccessCamera")
    try await photoMe.wait(for: "status", "awaiting-permission")
    try await end(photoMe)
    #expect(await calls.next() == "Close")
    // It is no crash of the camera's: the next start asks again.
    let again = try await start(desktop)
    #expect(await calls.next() == "AccessCamera")
    try await again.wait(for: "status", "awaiting-permission")
    try await end(again)
  }

  @Test("A portal that ends with its question is noticed")
  func portalEnds() async throws {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    var portal: SimulatedCameraPortal? = try SimulatedCameraPortal(address: address, .waits)
    let photoMe = try await start(desktop)
    var calls = try #require(portal?.calls.makeAsyncIterator())
    #expect(await calls.next() == "AccessCamera")
    try await photoMe.wait(for: "status", "awaiting-permission")
    portal = nil
    try await photoMe.wait(for: "status", "failed")
    #expect(try await photoMe.state(of: "problem") == CameraError.portal(.closed).description)
    try await end(photoMe)
    withExtendedLifetime(portal) {}
  }

  @Test(
    "A permitted camera runs, is said to be refused when it is taken back, and returns by itself",
    .enabled(if: PipeWireCameras.arePossible, "needs pipewire, wireplumber, photome-bench and no camera in /dev"))
  func lent() async throws {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let runtime = try #require(desktop.environment["XDG_RUNTIME_DIR"])
    let cameras = try await PipeWireCameras(on: desktop)
    try await cameras.plugIn("lent")
    let portal = try SimulatedCameraPortal(address: address, .grants, pipeWire: runtime + "/pipewire-0")
    // Without the portal's connection there would be none.
    let photoMe = try await start(desktop, environment: ["PIPEWIRE_REMOTE": "nowhere"])
    try await photoMe.wait(for: "status", "running")
    #expect(try await photoMe.state(of: "select-camera") == PipeWireCameras.id("lent"))
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    // The camera goes on sending, as with desktops that take nothing away.
    portal.change(to: .refuses)
    try await photoMe.wait(for: "status", "permission-denied")
    #expect(portal.questionCount == 1, "the person has just answered")
    portal.change(to: .grants)
    try await photoMe.activate("try-again")
    try await photoMe.wait(for: "status", "running")
    // The camera goes with the permission.
    portal.change(to: .refuses)
    cameras.unplug("lent")
    try await photoMe.wait(for: "status", "permission-denied")
    portal.change(to: .grants)
    try await cameras.plugIn("lent")
    try await photoMe.wait(for: "status", "running")
    // An unplug is still one.
    cameras.unplug("lent")
    try await photoMe.wait(for: "status", "unplugged")
    try await end(photoMe)
    withExtendedLifetime(desktop) {}
  }

  @Test("A sandbox has its cameras by the portal, unless somebody wants otherwise")
  func choice() {
    for sandbox in [Sandbox.flatpak, .snap] { #expect(LaunchOptions.usesCameraPortal([:], in: sandbox)) }
    #expect(!LaunchOptions.usesCameraPortal([:], in: nil))
    #expect(LaunchOptions.usesCameraPortal(["PHOTOME_CAMERA_PORTAL": "1"], in: nil))
    #expect(!LaunchOptions.usesCameraPortal(["PHOTOME_CAMERA_PORTAL": "0"], in: .flatpak))
    #expect(LaunchOptions.usesCameraPortal(["PHOTOME_CAMERA_PORTAL": "perhaps"], in: .snap))
  }
}
