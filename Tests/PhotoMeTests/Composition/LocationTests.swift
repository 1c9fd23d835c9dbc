// The place of new photos, from a simulated GeoClue or portal to the file.

import Foundation
import Testing

@Suite("The location of new photos", .serialized, .timeLimit(.minutes(30)))
struct LocationTests {
  /// The program with the test camera, with a location wanted.
  ///
  /// - Parameter service: Makes the service that is asked, on the bus with this address.
  private func start<Service>(
    _ service: (String) throws -> Service
  ) async throws -> (Service, TestDesktop, RunningPhotoMe, URL) {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let made = try service(address)
    let configuration = URL(fileURLWithPath: try #require(desktop.environment["XDG_CONFIG_HOME"]))
    let settings = configuration.appendingPathComponent("photome/settings.json")
    try FileManager.default.createDirectory(
      at: settings.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(#"{"addsLocation":true}"#.utf8).write(to: settings)
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library.path], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    try await photoMe.wait(for: "status", "running")
    return (made, desktop, photoMe, settings)
  }

  /// Takes a photo, and returns its file.
  private func takePhoto(_ photoMe: RunningPhotoMe, on desktop: TestDesktop) async throws -> Data {
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    let files = FileManager.default.enumerator(
      at: desktop.folder.appendingPathComponent("pictures"), includingPropertiesForKeys: nil,
      options: [.skipsHiddenFiles])
    let photo = try #require((files?.allObjects as? [URL])?.first { $0.pathExtension == "jpg" })
    return try Data(contentsOf: photo)
  }

  /// Waits until the location was switched off. Asks again and again; the suite's time limit ends it.
  private func waitUntilSwitchedOff(_ photoMe: RunningPhotoMe, _ settings: URL) async throws {
    while try !String(contentsOf: settings, encoding: .utf8).contains(#""addsLocation" : false"#) {
      try Task.checkCancellation()
      #expect(try await photoMe.state(of: "status") != nil)
    }
    #expect(try await photoMe.state(of: "location") == "off")
  }

  @Test("A photo has the place that GeoClue tells")
  func found() async throws {
    let (geoClue, desktop, photoMe, _) = try await start { try SimulatedGeoClue(address: $0) }
    try await photoMe.wait(for: "location", "found")
    #expect(try await takePhoto(photoMe, on: desktop).range(of: Data("WGS-84".utf8)) != nil)
    #expect(try await photoMe.quit() == 0)
    withExtendedLifetime((geoClue, desktop)) {}
  }

  @Test("Where GeoClue refuses, it is switched off again")
  func refused() async throws {
    let (geoClue, desktop, photoMe, settings) = try await start {
      try SimulatedGeoClue(address: $0, isAllowed: false)
    }
    try await waitUntilSwitchedOff(photoMe, settings)
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
    withExtendedLifetime((geoClue, desktop)) {}
  }

  @Test("Where GeoClue isn't installed, the portal tells the place, as long as the camera is in use")
  func portal() async throws {
    let (portal, desktop, photoMe, _) = try await start {
      try SimulatedLocationPortal(address: $0, isAllowed: true)
    }
    try await photoMe.wait(for: "location", "found")
    #expect(try await takePhoto(photoMe, on: desktop).range(of: Data("WGS-84".utf8)) != nil)
    var calls = portal.calls.makeAsyncIterator()
    let (first, second) = (await calls.next(), await calls.next())
    #expect(first == "CreateSession" && second == "Start")
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "location", "off")
    #expect(await calls.next() == "Close")
    try await photoMe.activate("close-library")
    try await photoMe.wait(for: "location", "found")
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
    withExtendedLifetime(desktop) {}
  }

  @Test("Who says no in the portal's question isn't asked again, by the next start neither")
  func portalRefused() async throws {
    let (portal, desktop, photoMe, settings) = try await start {
      try SimulatedLocationPortal(address: $0, isAllowed: false)
    }
    try await waitUntilSwitchedOff(photoMe, settings)
    #expect(try await photoMe.quit() == 0)
    #expect(portal.questionCount == 1)
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let again = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", desktop.folder.appendingPathComponent("pictures").path],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    try await again.wait(for: "status", "running")
    #expect(try await again.state(of: "location") == "off")
    #expect(try await takePhoto(again, on: desktop).range(of: Data("WGS-84".utf8)) == nil)
    #expect(try await again.quit() == 0)
    #expect(portal.questionCount == 1)
  }
}
