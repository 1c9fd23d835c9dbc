// A QR code in the built program's viewfinder.

import Testing

@testable import PhotoMe

@Suite("QR codes in the window", .serialized, .timeLimit(.minutes(30)))
struct CodeWindowTests {
  @Test("The test camera's code is offered, copied, and no longer looked for when that is switched off")
  func offered() async throws {
    let session = try await PhotoMeSession(environment: ["PHOTOME_TEST_CODE": "1"])
    try await session.photoMe.wait(for: "code", "photome.example")
    try await session.photoMe.wait(for: "open-code", enabled: true)
    try await session.photoMe.activate("copy-code")
    try await session.photoMe.wait(for: "copy-code", enabled: false)
    try await session.photoMe.activate("look-for-codes")
    try await session.photoMe.wait(for: "look-for-codes", "false")
    try await session.photoMe.wait(for: "code", "")
    try await session.end()
  }
}
