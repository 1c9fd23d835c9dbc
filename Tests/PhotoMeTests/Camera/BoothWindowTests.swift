// The photo booth in the built program: four photos and their sheet, which is one picture in the strip.

import TestSupport
import Testing

@testable import PhotoMe

@Suite("The photo booth in the window", .serialized, .timeLimit(.minutes(30)))
struct BoothWindowTests {
  @Test("Four photos become a sheet; a press during a countdown ends it")
  func sheet() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("booth", "strip")
    try await photoMe.wait(for: "booth", "strip")
    try await photoMe.activate("press-shutter")
    for number in 1...4 { try await photoMe.waitForChange(of: "series") { $0 == "Photo \(number) of 4" } }
    try await photoMe.wait(for: "series", "")
    while session.pictures.count < 5 { _ = try await photoMe.state(of: "status") }
    try await photoMe.activate("press-shutter")
    try await photoMe.waitForChange(of: "counting") { !$0.isEmpty }
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "series", "")
    #expect(session.pictures.count == 5)
    try await session.end()
  }
}
