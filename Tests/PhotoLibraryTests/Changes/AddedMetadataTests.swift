// Ratings and keywords in pictures: what PhotoMe added is taken back, what was there before stays.

import CameraCore
import Foundation
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AddedMetadataTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func standard(_ url: URL) throws -> StandardMetadata {
    try MetadataRewriter.standardMetadata(of: ReadableFile(url.path, disk: Disk()))
  }

  /// A picture with a rating and the keywords “sea” and “Bern”, in the library.
  private func picture(_ library: PhotoLibrary, rating: Int?) async throws -> Asset {
    try scratch.put(TaggedPicture(rating: rating).data(), "a.jpg")
    try await library.refresh()
    return try #require(try await library.fetchAssets().first)
  }

  private func setFavorite(_ isFavorite: Bool, _ asset: Asset, _ library: PhotoLibrary) async throws {
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: isFavorite)) }
  }

  private func album(_ title: String, _ asset: Asset, _ library: PhotoLibrary) async throws -> AssetCollection.ID {
    try await library.performChanges { changes in
      let album = changes.createAlbum(title: title)
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [asset.id]))
      return album.id
    }
  }

  private func edit(_ asset: Asset, _ library: PhotoLibrary, shade: UInt8 = 10) async throws {
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: shade),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  @Test(arguments: [nil, 1, 4, 5]) func aFavoriteGivesTheRatingBack(rating: Int?) async throws {
    let library = try await scratch.library()
    let asset = try await picture(library, rating: rating)
    let before = try Data(contentsOf: asset.url)
    try await setFavorite(true, asset, library)
    #expect(try standard(asset.url).rating == 5)
    try await setFavorite(false, asset, library)
    #expect(try standard(asset.url).rating == rating.map(Double.init))
    #expect(try Data(contentsOf: asset.url) == before)
    #expect(scratch.files().filter { $0.hasPrefix(".photome/assets") } == [])
  }

  @Test func anAlbumLeavesTheKeywordThatWasThereBefore() async throws {
    let library = try await scratch.library()
    let asset = try await picture(library, rating: nil)
    let before = try Data(contentsOf: asset.url)
    let bern = try await album("Bern", asset, library)
    let thun = try await album("Thun", asset, library)
    #expect(try standard(asset.url).subjects == ["sea", "Bern", "Thun"])
    // A new title comes, and the old one, which was theirs, stays.
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: bern, title: "Basel")) }
    #expect(try standard(asset.url).subjects == ["sea", "Bern", "Thun", "Basel"])
    try await library.performChanges { $0.deleteAlbums([bern, thun]) }
    #expect(try Data(contentsOf: asset.url) == before)
  }

  @Test func whatWasAddedIsKnownThroughEditsAndReverts() async throws {
    let library = try await scratch.library()
    let asset = try await picture(library, rating: 5)
    let before = try Data(contentsOf: asset.url)
    let bern = try await album("Bern", asset, library)
    let thun = try await album("Thun", asset, library)
    try await setFavorite(true, asset, library)
    try await edit(asset, library)
    #expect(try standard(asset.url) == StandardMetadata(rating: 5, subjects: ["sea", "Bern", "Thun"]))
    try await edit(asset, library, shade: 77)
    try await setFavorite(false, asset, library)
    try await library.performChanges { $0.deleteAlbums([bern, thun]) }
    #expect(try standard(asset.url) == StandardMetadata(rating: 5, subjects: ["sea", "Bern"]))
    // The original is as it was when it was edited: with the title of an album that is gone.
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try standard(asset.url) == StandardMetadata(rating: 5, subjects: ["sea", "Bern", "Thun"]))
    // That is still known to be PhotoMe's, and goes with the next change.
    try await setFavorite(true, asset, library)
    try await setFavorite(false, asset, library)
    #expect(try Data(contentsOf: asset.url) == before)
  }

  @Test func whatOthersRemovedAndAddedAgainIsTheirs() async throws {
    let library = try await scratch.library()
    let asset = try await picture(library, rating: nil)
    let before = try Data(contentsOf: asset.url)
    let thun = try await album("Thun", asset, library)
    // Another program takes our keyword away; PhotoMe looks at the picture; the person adds it again.
    try before.write(to: asset.url)
    try await library.refresh()
    try await setFavorite(true, asset, library)
    let file = try ReadableFile(asset.url.path, disk: Disk())
    guard
      case .possible(_, _, let bytes?) = try MetadataRewriter.rewrite(
        file, StandardMetadataChange(addedSubjects: ["Thun"]))
    else {
      Issue.record("The change is impossible.")
      return
    }
    let old = try Data(contentsOf: asset.url)
    try bytes.joined(with: old).write(to: asset.url)
    try await library.refresh()
    try await library.performChanges { $0.deleteAlbums([thun]) }
    #expect(try standard(asset.url).subjects == ["sea", "Bern", "Thun"])
  }

  /// Records of earlier versions don't say what was added, except that a rating was replaced.
  @Test(arguments: [nil, 3.0]) func oldRecordsAreTakenConservatively(ratingBefore: Double?) async throws {
    let library = try await scratch.library()
    let asset = try await picture(library, rating: 5)
    let album = String(repeating: "1", count: 32)
    try scratch.put(
      Data(#"{"version": 1, "kind": "album", "title": "Bern", "created": 5}"#.utf8), ".photome/albums/\(album).json")
    let rating = ratingBefore.map { #", "ratingBefore": \#(Int($0))"# } ?? ""
    try scratch.put(
      Data(#"{"version": 1, "favorite": true, "albums": {"\#(album)": 5}\#(rating)}"#.utf8),
      ".photome/assets/\(asset.id).json")
    try await library.refresh()
    try await library.performChanges { changes in
      changes.change(AssetChangeRequest(for: asset.id, isFavorite: false))
      changes.deleteAlbums([album])
    }
    // Nobody knows whose five stars and whose keyword those were, unless they replaced another rating.
    #expect(try standard(asset.url) == StandardMetadata(rating: ratingBefore ?? 5, subjects: ["sea", "Bern"]))
  }

  @Test func importFindsItsFileBehindWhatWasAdded() async throws {
    let library = try await scratch.library()
    let source = scratch.url.appendingPathComponent("card.jpg")
    try TaggedPicture(rating: 5).data().write(to: source)
    let report = try await library.importAssets(from: [source])
    let asset = try #require(report.imported.first?.asset)
    _ = try await album("Bern", asset, library)
    _ = try await album("Thun", asset, library)
    try await setFavorite(true, asset, library)
    let again = try await library.importAssets(from: [source])
    #expect(again.imported.isEmpty && again.duplicates.map(\.assetID) == [asset.id])
  }
}
