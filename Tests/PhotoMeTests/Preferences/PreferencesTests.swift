// The preferences window of the built program.

import Foundation
import Testing

@Suite("The preferences", .serialized, .timeLimit(.minutes(30)))
struct PreferencesTests {
  @Test("They open by their action, close by Escape, and open again")
  func opening() async throws {
    let session = try await PhotoMeSession()
    for _ in 0..<2 {
      try await session.photoMe.activate("preferences")
      try await session.input.focus("Preferences")
      try await session.input.press("Escape")
      // The camera's keys are with the window again.
      try await session.input.focus(PhotoMeSession.mainWindow)
    }
    try await session.end()
  }
}
