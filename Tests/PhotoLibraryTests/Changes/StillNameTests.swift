// Names of live photos that become stills, and live photos again.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct StillNameTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func names() -> [String] { scratch.files().filter { $0.hasPrefix("2026-11/") } }

  private func edit(_ id: Asset.ID, _ library: PhotoLibrary, movie: URL? = nil) async throws {
    var request = AssetChangeRequest(for: id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 10), pairedVideo: movie,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  @Test func aLongExposureIsNamedAsAStill() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library),
        photoDisplayTime: 1.5))
    let live = "2026-11/IMG_20261121_073106_123.MP.jpg"
    let still = "2026-11/IMG_20261121_073106_123.jpg"
    #expect(names() == [live])
    let original = try Data(contentsOf: asset.url)
    try await edit(asset.id, library)
    #expect(names() == [still])
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.url.lastPathComponent == "IMG_20261121_073106_123.jpg" && !edited.isLive && edited.isEdited)
    // Live again, by another edit and by the original.
    try await edit(asset.id, library, movie: Samples.movie(in: library, name: "again.mp4"))
    #expect(names() == [live])
    try await edit(asset.id, library)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(names() == [live])
    #expect(try Data(contentsOf: scratch.pictures.appendingPathComponent(live)) == original)
    #expect(try await library.fetchAssets().map(\.id) == [asset.id])
    #expect(try await library.verify().isClean)
  }

  @Test func aTakenNameIsLeftAlone() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library),
        photoDisplayTime: 1.5))
    let other = try Samples.jpeg(shade: 200)
    let taken = try scratch.put(other, "2026-11/IMG_20261121_073106_123.jpg")
    try await edit(asset.id, library)
    #expect(try Data(contentsOf: taken) == other)
    #expect(names() == ["2026-11/IMG_20261121_073106_123.jpg", "2026-11/IMG_20261121_073106_123_2.jpg"])
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(names().count == 2 && names().contains { $0.hasSuffix(".MP.jpg") })
  }

  /// Names that other cameras gave, and photos that are no live photos, stay.
  @Test func otherNamesStay() async throws {
    let library = try await scratch.library()
    try scratch.put(Samples.jpeg(), "2026-11/odd.MP.jpg")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    try await edit(asset.id, library)
    #expect(names() == ["2026-11/odd.MP.jpg"])
  }
}
