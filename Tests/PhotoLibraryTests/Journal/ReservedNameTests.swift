// Names that a rename had reserved where nothing can be renamed without replacing, found while a library is open.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ReservedNameTests {
  /// Another program died between the reservation of the name and the rename; this one finds its hidden file first.
  @Test func aReservedNameGoesWithItsFile() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let token = LibraryFolder.makeToken()
    let left = [".IMG_1.MP.jpg.\(token).2.tmp", "IMG_1.jpg", "IMG_1_2.jpg"]
    let empty = "IMG_12.jpg"
    for name in left { try scratch.put(name.hasPrefix(".") ? Data("half".utf8) : Data(), "2026-11/\(name)") }
    try scratch.put(Data(), "2026-11/\(empty)")
    try await library.refresh()
    #expect(
      Set(scratch.files().filter { $0.hasPrefix("2026-11/") })
        == ["2026-11/\(asset.url.lastPathComponent)", "2026-11/\(empty)"])
    await library.close()
  }
}
