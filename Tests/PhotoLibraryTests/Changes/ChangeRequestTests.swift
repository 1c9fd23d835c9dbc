// Changes of assets and albums: atomic, stored in files, and reverted byte for byte.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ChangeRequestTests {
  private func shot(_ library: PhotoLibrary, second: Double = 0, live: Bool = false) async throws -> Asset {
    let movie = live ? try await Samples.movie(in: library, name: "\(UUID().uuidString).mp4") : nil
    return try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second)),
        pairedVideo: movie, photoDisplayTime: live ? 1.5 : nil))
  }

  private func rating(_ url: URL) throws -> Double? {
    try MetadataRewriter.standardMetadata(of: ReadableFile(url.path, disk: Disk())).rating
  }

  private func subjects(_ url: URL) throws -> [String] {
    try MetadataRewriter.standardMetadata(of: ReadableFile(url.path, disk: Disk())).subjects
  }

  /// The same folder with another index, so that nothing depends on the index alone.
  private func rebuilt(_ scratch: Scratch) async throws -> PhotoLibrary {
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("\(UUID().uuidString).sqlite"), disk: Disk(),
      trash: scratch.trash)
    try await library.refresh()
    return library
  }

  @Test func aFavoriteIsOneEverywhere() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let before = try Data(contentsOf: asset.url)
    var favorites = try await library.fetch(in: AssetCollection(.favorites))
    #expect(favorites.isEmpty)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    favorites = try await library.changeDetails(for: favorites).after
    let favorite = try #require(try favorites.asset(at: 0))
    #expect(favorite.isFavorite && favorite.id == asset.id && favorite.isLive)
    #expect(try rating(asset.url) == 5)
    let other = try await rebuilt(scratch)
    #expect(try await other.fetchAssets() == [favorite])
    // And back: not a byte is different.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    #expect(try Data(contentsOf: asset.url) == before)
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.MP.jpg", ".photome/lock"].sorted())
  }

  @Test func hiddenAssetsAreOutOfSight() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    #expect(try await library.fetch().isEmpty)
    #expect(try await library.fetch(in: AssetCollection(.hidden)).count == 1)
    var options = FetchOptions()
    options.includesHidden = true
    #expect(try await library.fetch(options).count == 1)
  }

  @Test func albumsHoldAssetsAndAreFound() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (one, two) = (try await shot(library), try await shot(library, second: 10))
    let (list, album) = try await library.performChanges { changes in
      let list = changes.createList(title: "Years")
      let album = changes.createAlbum(title: " Zürich ", in: .list(list.id))
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [one.id, two.id]))
      return (list.id, album.id)
    }
    let stored = try #require(try await library.fetchAlbums().first)
    #expect(stored.id == album && stored.title == "Zürich" && stored.listID == list)
    #expect(try await library.fetchLists().map(\.title) == ["Years"])
    #expect(try await library.fetch(in: stored).allAssets().map(\.id) == [two.id, one.id])
    #expect(try await library.fetch(in: AssetCollection(search: "zurich")).count == 2)
    #expect(try await library.fetchAlbums(of: one.id) == [stored])
    #expect(try subjects(one.url) == ["Zürich"])

    try await library.performChanges {
      $0.change(AssetCollectionChangeRequest(for: album, title: "Bern", removeAssets: [two.id]))
    }
    #expect(try subjects(one.url) == ["Bern"])
    #expect(try subjects(two.url).isEmpty)
    let other = try await rebuilt(scratch)
    #expect(try await other.fetchAlbums().map(\.title) == ["Bern"])
    let found = try #require(try await other.fetchAlbums().first)
    #expect(try await other.fetch(in: found).allAssets().map(\.id) == [one.id])

    try await library.performChanges { $0.deleteLists([list]) }
    #expect(try await library.fetchAlbums().first?.listID == nil)
    try await library.performChanges { $0.deleteAlbums([album]) }
    #expect(try await library.fetchAlbums().isEmpty)
    #expect(try await library.fetch().count == 2)
    #expect(try subjects(one.url).isEmpty)
    #expect(scratch.files().filter { $0.hasPrefix(".photome") } == [".photome/lock"])
  }

  @Test func anEditReopensAndRevertsByteForByte() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    let original = try Data(contentsOf: asset.url)
    func edit(_ settings: String, shade: UInt8) async throws {
      let movie = try await Samples.movie(in: library, name: "edited.mp4", seconds: 2)
      var request = AssetChangeRequest(for: asset.id)
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: shade), pairedVideo: movie, photoDisplayTime: 1,
        adjustmentData: AdjustmentData(
          formatIdentifier: "test", formatVersion: "1", data: Data(settings.utf8)))
      let change = request
      try await library.performChanges { $0.change(change) }
    }
    try await edit("comic", shade: 10)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    try await edit("noir", shade: 90)
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.isEdited && edited.isLive && edited.url == asset.url && edited.created == asset.created)
    #expect(edited.duration == 2)
    #expect(try rating(asset.url) == 5)

    let input = try await library.contentEditingInput(for: asset.id) { $0.formatIdentifier == "test" }
    #expect(input.adjustmentData?.data == Data("noir".utf8))
    #expect(try Data(contentsOf: input.url) == original)
    #expect(input.movieRange == asset.movieRange)
    let foreign = try await library.contentEditingInput(for: asset.id) { _ in false }
    #expect(foreign.url == asset.url && foreign.adjustmentData == nil)

    let other = try await rebuilt(scratch)
    #expect(try await other.asset(id: asset.id) == edited)
    #expect(try await other.adjustmentData(for: asset.id)?.data == Data("noir".utf8))

    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    let reverted = try #require(try await library.asset(id: asset.id))
    #expect(!reverted.isEdited && reverted.isFavorite)
    #expect(!scratch.files().contains { $0.contains("originals") })
  }

  @Test func trashedAssetsComeBackAsTheyWere() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, live: true)
    try await library.performChanges { changes in
      changes.change(AssetChangeRequest(for: asset.id, isFavorite: true))
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [asset.id]))
    }
    let before = try #require(try await library.asset(id: asset.id))
    let bytes = try Data(contentsOf: asset.url)
    let trashed = try await library.trash([asset.id])
    #expect(try await library.fetch().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: asset.url.path))
    #expect(trashed.map(\.id) == [asset.id])
    let info = try String(contentsOf: trashed[0].info, encoding: .utf8)
    #expect(info.hasPrefix("[Trash Info]\nPath="))
    // Something else takes the name meanwhile.
    try scratch.put(Samples.jpeg(shade: 3), "2026-11/" + asset.url.lastPathComponent)
    try await library.restore(trashed)
    try await library.refresh()
    let back = try #require(try await library.asset(id: asset.id))
    #expect(back.url.lastPathComponent == "IMG_20261121_073106_123_2.MP.jpg")
    #expect(try Data(contentsOf: back.url) == bytes)
    #expect(back.isFavorite == before.isFavorite && back.created == before.created)
    #expect(try await library.fetchAlbums(of: asset.id).map(\.title) == ["Bern"])
    #expect(!FileManager.default.fileExists(atPath: trashed[0].info.path))
  }

  @Test func filesAreTakenOverAsTheyAre() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let source = scratch.url.appendingPathComponent("My holiday.JPG")
    let bytes = try Samples.jpeg(shade: 77)
    try bytes.write(to: source)
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: source.path)
    let asset = try await library.createAsset(AssetCreationRequest(file: source))
    #expect(asset.url.lastPathComponent == "My holiday.JPG")
    #expect(asset.created == date)
    #expect(try Data(contentsOf: asset.url) == bytes)
    #expect(FileManager.default.fileExists(atPath: source.path))
    let second = try await library.createAsset(AssetCreationRequest(file: source, shouldMoveFile: true))
    #expect(second.url.lastPathComponent == "My holiday_2.JPG")
    #expect(!FileManager.default.fileExists(atPath: source.path))
  }

  @Test func whatIsNotThereIsSaid() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let nobody = String(repeating: "0", count: 32)
    await #expect(throws: PhotoLibraryError.unknownAsset(id: nobody)) {
      try await library.performChanges { changes in
        changes.change(AssetChangeRequest(for: asset.id, isFavorite: true))
        changes.change(AssetChangeRequest(for: nobody, isFavorite: true))
      }
    }
    #expect(try await library.asset(id: asset.id)?.isFavorite == false)
    await #expect(throws: PhotoLibraryError.unknownCollection(id: nobody)) {
      try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: nobody, title: "x")) }
    }
    await #expect(throws: PhotoLibraryError.self) { try await library.performChanges { $0.createAlbum(title: " ") } }
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.jpg", ".photome/lock"].sorted())
  }

  @Test func aRecordOfANewerPhotoMeIsNotWrittenOver() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let record = scratch.pictures.path + "/.photome/assets/\(asset.id).json"
    try FileManager.default.createDirectory(
      atPath: Disk.parent(of: record), withIntermediateDirectories: true)
    let text = Data(#"{"version": 2, "favorite": true}"#.utf8)
    try text.write(to: URL(fileURLWithPath: record))
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: record)) == text)
    // Of the same version, what is not understood stays.
    try Data(#"{"version": 1, "stars": [1, 2.5, null]}"#.utf8).write(to: URL(fileURLWithPath: record))
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let kept = try AssetRecord(json: Data(contentsOf: URL(fileURLWithPath: record)), path: record)
    #expect(kept.isFavorite && kept.others["stars"] == .array([.integer(1), .number(2.5), .null]))
  }
}
