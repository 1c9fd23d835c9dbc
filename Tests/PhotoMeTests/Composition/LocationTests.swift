// The place of new photos, from a simulated GeoClue to the file.

import Foundation
import Testing

@Suite("The location of new photos", .serialized, .timeLimit(.minutes(30)))
struct LocationTests {
  /// The program with the test camera, with a location wanted.
  private func start(isAllowed: Bool) async throws -> (SimulatedGeoClue, TestDesktop, RunningPhotoMe, URL) {
    let desktop = try await TestDesktop()
    let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    let geoClue = try SimulatedGeoClue(address: address, isAllowed: isAllowed)
    let configuration = URL(fileURLWithPath: try #require(desktop.environment["XDG_CONFIG_HOME"]))
    let settings = configuration.appendingPathComponent("photome/settings.json")
    try FileManager.default.createDirectory(
      at: settings.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(#"{"addsLocation":true}"#.utf8).write(to: settings)
    let library = desktop.folder.appendingPathComponent("pictures")
    let photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library.path], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    try await photoMe.wait(for: "status", "running")
    return (geoClue, desktop, photoMe, settings)
  }

  @Test("A photo has the place that GeoClue tells")
  func found() async throws {
    let (geoClue, desktop, photoMe, _) = try await start(isAllowed: true)
    try await photoMe.wait(for: "location", "found")
    try await photoMe.activate("take-photo")
    try await photoMe.wait(for: "pictures", "1")
    try await photoMe.wait(for: "activity", "0")
    let files = FileManager.default.enumerator(
      at: desktop.folder.appendingPathComponent("pictures"), includingPropertiesForKeys: nil,
      options: [.skipsHiddenFiles])
    let photo = try #require((files?.allObjects as? [URL])?.first { $0.pathExtension == "jpg" })
    #expect(try Data(contentsOf: photo).range(of: Data("WGS-84".utf8)) != nil)
    #expect(try await photoMe.quit() == 0)
    withExtendedLifetime((geoClue, desktop)) {}
  }

  @Test("Where GeoClue refuses, it is switched off again")
  func refused() async throws {
    let (geoClue, desktop, photoMe, settings) = try await start(isAllowed: false)
    // Asked again and again; the suite's time limit ends it.
    while try !String(contentsOf: settings, encoding: .utf8).contains(#""addsLocation" : false"#) {
      try Task.checkCancellation()
      #expect(try await photoMe.state(of: "status") != nil)
    }
    #expect(try await photoMe.state(of: "location") == "off")
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
    withExtendedLifetime((geoClue, desktop)) {}
  }
}
