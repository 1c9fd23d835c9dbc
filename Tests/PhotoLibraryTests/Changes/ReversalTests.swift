// Reversing changes of marks, albums and folders: exactly, and only what nobody has changed since.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ReversalTests {
  private func shot(_ library: PhotoLibrary, second: Double = 0) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
  }

  /// The records of pictures and albums, by path.
  private func records(_ scratch: Scratch) throws -> [String: String] {
    var records: [String: String] = [:]
    for file in scratch.files() where file.hasSuffix(".json") {
      // A picture that is written anew has another inode number.
      records[file] = try String(contentsOf: scratch.pictures.appendingPathComponent(file), encoding: .utf8)
        .replacing(/"number" ?: ?-?\d+/, with: "number")
    }
    return records
  }

  /// The keywords in a picture's file.
  private func subjects(of asset: Asset) throws -> [String] {
    try MetadataRewriter.standardMetadata(of: ReadableFile(asset.url.path, disk: Disk())).subjects
  }

  @Test func marksAreReversedByteForByte() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (one, two) = (try await shot(library), try await shot(library, second: 1))
    try await library.performChanges { $0.change(AssetChangeRequest(for: two.id, isFavorite: true)) }
    let (bytes, before) = (try Data(contentsOf: one.url), try records(scratch))
    let (_, change) = try await library.performReversibly { changes in
      for id in [one.id, two.id] { changes.change(AssetChangeRequest(for: id, isFavorite: true, isHidden: true)) }
    }
    // The second one was a favorite already.
    #expect(change.count == 2 && change.assets[two.id]?.favorite == nil && change.hidesPictures)
    let reversal = try await library.reverse(change)
    #expect(reversal.missing == 0 && reversal.overridden == 0 && !reversal.change.hidesPictures)
    #expect(try Data(contentsOf: one.url) == bytes)
    #expect(try records(scratch) == before)
    #expect(try await library.fetchAssets().map(\.isFavorite) == [true, false])
    // And forward again.
    let again = try await library.reverse(reversal.change)
    #expect(try await library.fetch(in: AssetCollection(.hidden)).count == 2)
    #expect(again.change == change)
  }

  @Test func anAlbumComesBackWithItsPicturesAndTheirTimes() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = [try await shot(library), try await shot(library, second: 1), try await shot(library, second: 2)]
    let ids = assets.map(\.id)
    let (list, album) = try await library.performChanges { changes in
      let list = changes.createList(title: "Trips")
      let album = changes.createAlbum(title: "Sea", in: .list(list.id))
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: ids))
      return (list.id, album.id)
    }
    let before = try records(scratch)
    let first = try await library.performReversibly { $0.deleteLists([list]) }.change
    let second = try await library.performReversibly { $0.deleteAlbums([album]) }.change
    #expect(try await library.fetchAlbums().isEmpty)
    #expect(try await library.fetchLists().isEmpty)
    #expect(try subjects(of: assets[0]).isEmpty)
    _ = try await library.reverse(second)
    _ = try await library.reverse(first)
    #expect(try records(scratch) == before)
    #expect(try subjects(of: assets[0]) == ["Sea"])
    var options = FetchOptions()
    options.sort = FetchOptions.Sort(.added, isAscending: true)
    let sea = try #require(try await library.fetchAlbums().first)
    #expect(sea.id == album && sea.listID == list)
    #expect(try await library.fetch(options, in: sea).allAssets().map(\.id) == ids)
    // Both at once, in whatever order their ids have: the folder is there when the album is put into it.
    for _ in 0..<8 {
      let (outer, inner, creation) = try await nested(library)
      let both = try await library.performReversibly { changes in
        changes.deleteAlbums([inner])
        changes.deleteLists([outer])
      }.change
      _ = try await library.reverse(both)
      #expect(try await library.fetchAlbums().first { $0.id == inner }?.listID == outer)
      _ = try await library.reverse(creation)
    }
    #expect(try records(scratch) == before)
  }

  /// A folder with an album.
  private func nested(_ library: PhotoLibrary) async throws -> (list: String, album: String, ReversibleChange) {
    let (ids, change) = try await library.performReversibly { changes in
      let list = changes.createList(title: "Outer")
      return (list.id, changes.createAlbum(title: "Inner", in: .list(list.id)).id)
    }
    return (ids.0, ids.1, change)
  }

  @Test func createdAlbumsGoAndMovesAndTitlesComeBack() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let empty = try records(scratch)
    let (album, creation) = try await library.performReversibly { changes in
      let album = changes.createAlbum(title: "Sea")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [asset.id]))
      return album.id
    }
    let list = try await library.performChanges { $0.createList(title: "Trips").id }
    let move = try await library.performReversibly {
      $0.change(AssetCollectionChangeRequest(for: album, title: "Ocean", place: .list(list)))
    }.change
    let moved = try await library.reverse(move)
    let sea = try #require(try await library.fetchAlbums().first)
    #expect(sea.title == "Sea" && sea.listID == nil && moved.overridden == 0)
    #expect(try subjects(of: asset) == ["Sea"], "the keyword follows the title")
    _ = try await library.reverse(creation)
    try await library.performChanges { $0.deleteLists([list]) }
    #expect(try records(scratch) == empty)
    // What is undone can be done again, with the same id.
    let gone = try await library.reverse(creation)
    #expect(gone.change.isEmpty && gone.missing == 1)
  }

  @Test func whatWasChangedSinceStays() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let album = try await library.performChanges { $0.createAlbum(title: "Sea").id }
    let rename = try await library.performReversibly {
      $0.change(AssetCollectionChangeRequest(for: album, title: "Ocean"))
    }.change
    let favorite = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: asset.id, isFavorite: true, isHidden: true))
    }.change
    // Another program.
    try await library.performChanges { changes in
      changes.change(AssetCollectionChangeRequest(for: album, title: "Lake"))
      changes.change(AssetChangeRequest(for: asset.id, isFavorite: false))
    }
    let title = try await library.reverse(rename)
    #expect(title.change.isEmpty && title.overridden == 1)
    #expect(try await library.fetchAlbums().map(\.title) == ["Lake"])
    let marks = try await library.reverse(favorite)
    // The favorite is as it was before already; the picture is shown again.
    #expect(marks.overridden == 0 && marks.change.assets[asset.id]?.favorite == nil)
    #expect(try await library.asset(id: asset.id)?.isHidden == false)
  }

  @Test func whatIsGoneIsCountedAndTheRestIsReversed() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (one, two) = (try await shot(library), try await shot(library, second: 1))
    let album = try await library.performChanges { $0.createAlbum(title: "Sea").id }
    let change = try await library.performReversibly { changes in
      changes.change(AssetCollectionChangeRequest(for: album, addAssets: [one.id, two.id]))
    }.change
    let removal = try await library.performReversibly { changes in
      changes.change(AssetCollectionChangeRequest(for: album, removeAssets: [one.id, two.id]))
    }.change
    try await library.performChanges { changes in
      changes.deletePermanently([one.id])
      changes.deleteAlbums([album])
    }
    let reversal = try await library.reverse(removal)
    #expect(reversal.change.isEmpty && reversal.missing == 1 && reversal.overridden == 1, "\(reversal)")
    #expect(try await library.fetchAlbums(of: two.id).isEmpty)
    #expect(try await library.reverse(change).change.isEmpty)
    #expect(scratch.files().allSatisfy { !$0.contains(one.id) }, "no record of what was deleted for good")
  }

  @Test func aPictureInTheTrashIsReversedThere() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let change = try await library.performReversibly {
      $0.change(AssetChangeRequest(for: asset.id, isHidden: true))
    }.change
    let trashed = try await library.trash([asset.id])
    let reversal = try await library.reverse(change)
    #expect(!reversal.change.isEmpty && reversal.missing == 0)
    try await library.restore(trashed)
    #expect(try await library.asset(id: asset.id)?.isHidden == false)
  }

  @Test func aChangeSurvivesItsFile() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library)
    let change = try await library.performReversibly { changes in
      let list = changes.createList(title: "“Trips”")
      let album = changes.createAlbum(title: "Sea", in: .list(list.id))
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [asset.id]))
      changes.change(AssetChangeRequest(for: asset.id, isFavorite: true))
    }.change
    let data = try JSONEncoder().encode(change)
    #expect(try JSONDecoder().decode(ReversibleChange.self, from: data) == change)
    // Untrusted input: ids become names of files.
    let text = String(decoding: data, as: UTF8.self).replacing(asset.id, with: "../../evil")
    let evil = try JSONDecoder().decode(ReversibleChange.self, from: Data(text.utf8))
    let record = try #require(scratch.files().first { $0.hasSuffix("\(asset.id).json") })
    let victim = scratch.pictures.appendingPathComponent(record).deletingLastPathComponent()
      .appendingPathComponent("../../evil.json").standardizedFileURL
    try FileManager.default.copyItem(at: scratch.pictures.appendingPathComponent(record), to: victim)
    let bytes = try Data(contentsOf: victim)
    let reversal = try await library.reverse(evil)
    #expect(reversal.missing == 1)
    #expect(try Data(contentsOf: victim) == bytes, "a file outside of the records")
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
  }
}
