// Closing a library: what happens to its folder afterwards is none of its business.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LibraryClosingTests {
  /// Somebody moves the folder away at the end of the first look, which lists it then.
  @Test func aLookThatWasBegunHasEnded() async throws {
    for _ in 0..<20 {
      let scratch = try Scratch()
      let library = try await scratch.library()
      let asset = try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
      library.lookAgain()
      await library.close()
      let away = scratch.url.appendingPathComponent("away")
      try FileManager.default.moveItem(at: scratch.pictures, to: away)
      // The index is as it was.
      for _ in 0..<20 { #expect(try await library.asset(id: asset.id) != nil) }
    }
  }
}
