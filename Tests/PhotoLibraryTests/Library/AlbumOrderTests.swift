// Albums with an order of their own, and with a cover.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AlbumOrderTests {
  /// A library with an album of so many pictures, newest first.
  private func album(
    _ count: Int, _ scratch: Scratch
  ) async throws -> (library: PhotoLibrary, album: AssetCollection.ID, ids: [Asset.ID]) {
    let library = try await scratch.library()
    for number in 0..<count { _ = try await library.addPhoto(second: -Double(number)) }
    let ids = try await library.fetchAssets().map(\.id)
    let album = try await library.performChanges { changes in
      let album = changes.createAlbum(title: "Sea").id
      changes.change(AssetCollectionChangeRequest(for: album, addAssets: ids))
      return album
    }
    return (library, album, ids)
  }

  private func shown(_ library: PhotoLibrary, _ id: AssetCollection.ID) async throws -> [Asset.ID] {
    let album = try #require(try await library.fetchAlbums().first { $0.id == id })
    return try await library.fetch(in: album).allAssets().map(\.id)
  }

  private func move(
    _ library: PhotoLibrary, _ album: AssetCollection.ID, _ ids: [Asset.ID], before next: Asset.ID?
  ) async throws -> ReversibleChange {
    try await library.performReversibly {
      $0.change(AssetCollectionChangeRequest(for: album, move: .init(ids, before: next)))
    }.change
  }

  @Test func picturesAreMovedAndTheOrderIsInTheRecords() async throws {
    let scratch = try Scratch()
    let (library, album, ids) = try await album(5, scratch)
    #expect(try await shown(library, album) == ids)
    let change = try await move(library, album, [ids[4], ids[2]], before: ids[1])
    let expected = [ids[0], ids[4], ids[2], ids[1], ids[3]]
    #expect(try await shown(library, album) == expected)
    #expect(try await library.fetchAlbums().first?.isOrdered == true)
    // Another order can still be asked for.
    let collection = try #require(try await library.fetchAlbums().first)
    var options = FetchOptions()
    options.sort = FetchOptions.Sort(.created, isAscending: true)
    #expect(try await library.fetch(options, in: collection).allAssets().map(\.id) == ids.reversed())
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await shown(again, album) == expected)
    let problems = try await again.verify().problems
    #expect(problems == [])
    // What is added comes last.
    let new = try await again.addPhoto(second: 60)
    try await again.performChanges { $0.change(AssetCollectionChangeRequest(for: album, addAssets: [new.id])) }
    #expect(try await shown(again, album) == expected + [new.id])
    try await again.performChanges { $0.change(AssetCollectionChangeRequest(for: album, removeAssets: [new.id])) }
    let reversal = try await again.reverse(change)
    #expect(reversal.overridden == 0)
    #expect(try await shown(again, album) == ids)
    _ = try await again.reverse(reversal.change)
    #expect(try await shown(again, album) == expected)
  }

  @Test func anyNumberOfMovesGivesTheOrderOfAnArray() async throws {
    let scratch = try Scratch()
    let (library, album, ids) = try await album(6, scratch)
    var expected = ids
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, isOrdered: true)) }
    let collection = try #require(try await library.fetchAlbums().first)
    var list = try await library.fetch(in: collection)
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<30 {
      let moved = Array(expected.shuffled(using: &numbers).prefix(Int.random(in: 1...3, using: &numbers)))
      let rest = expected.filter { !moved.contains($0) }
      let at = Int.random(in: 0...rest.count, using: &numbers)
      _ = try await move(library, album, moved, before: at < rest.count ? rest[at] : nil)
      expected = Array(rest[..<at]) + moved + Array(rest[at...])
      // A list that follows the changes is in that order as well.
      list = try await library.changeDetails(for: list).after
      #expect(try list.allAssets().map(\.id) == expected)
      #expect(try await shown(library, album) == expected)
    }
    // A place between two neighbors is used up after some moves: then all get new ones.
    for _ in 0..<15 {
      let last = expected.removeLast()
      _ = try await move(library, album, [last], before: expected[1])
      expected.insert(last, at: 1)
    }
    #expect(try await shown(library, album) == expected)
  }

  @Test func picturesThatArentInTheAlbumAreRefused() async throws {
    let scratch = try Scratch()
    let (library, album, ids) = try await album(3, scratch)
    let other = try await library.addPhoto(second: 60)
    for (moved, next) in [([ids[2]], other.id), ([other.id], nil), ([ids[2]], AssetIdentity.makeID())] {
      let error = await #expect(throws: PhotoLibraryError.self) {
        _ = try await move(library, album, moved, before: next)
      }
      #expect(error?.description.contains("isn’t in the album “Sea”") == true, "\(String(describing: error))")
    }
    #expect(try await library.fetchAlbums().first?.isOrdered == false)
    // Before a picture that is moved as well: before the next one that stays.
    _ = try await move(library, album, [ids[2], ids[0]], before: ids[0])
    #expect(try await shown(library, album) == [ids[2], ids[0], ids[1]])
    // What the same block adds is in it.
    try await library.performChanges {
      $0.change(AssetCollectionChangeRequest(for: album, addAssets: [other.id]))
      $0.change(AssetCollectionChangeRequest(for: album, move: .init([ids[1]], before: other.id)))
      $0.change(AssetCollectionChangeRequest(for: album, move: .init([other.id], before: ids[0])))
    }
    #expect(try await shown(library, album) == [ids[2], other.id, ids[0], ids[1]])
  }

  @Test func theNewestCanComeFirstAgain() async throws {
    let scratch = try Scratch()
    let (library, album, ids) = try await album(3, scratch)
    _ = try await move(library, album, [ids[2]], before: ids[0])
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, isOrdered: false)) }
    #expect(try await shown(library, album) == ids)
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, isOrdered: true)) }
    #expect(try await shown(library, album) == ids, "its own order begins with what is seen")
  }

  @Test func aCoverStandsForAnAlbumAsLongAsItIsInIt() async throws {
    let scratch = try Scratch()
    let (library, id, ids) = try await album(3, scratch)
    func cover() async throws -> Asset.ID? {
      let album = try #require(try await library.fetchAlbums().first)
      return try await library.fetchCover(of: album)?.id
    }
    #expect(try await cover() == ids[0])
    let change = try await library.performReversibly {
      $0.change(AssetCollectionChangeRequest(for: id, cover: .asset(ids[1])))
    }.change
    #expect(try await cover() == ids[1])
    try await library.performChanges { $0.change(AssetChangeRequest(for: ids[1], isHidden: true)) }
    #expect(try await cover() == ids[0])
    try await library.performChanges { $0.change(AssetChangeRequest(for: ids[1], isHidden: false)) }
    #expect(try await cover() == ids[1])
    let reversal = try await library.reverse(change)
    #expect(try await cover() == ids[0] && reversal.overridden == 0)
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: id, cover: .asset(ids[2]))) }
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: id, removeAssets: [ids[2]])) }
    #expect(try await cover() == ids[0])
  }

  @Test func aSmartAlbumHasNoOrderOfItsOwn() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let one = try await library.addPhoto()
    let id = try await library.performChanges { $0.createAlbum(title: "All", search: "photo").id }
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: id, isOrdered: true)) }
    }
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges {
        $0.change(AssetCollectionChangeRequest(for: id, move: .init([one.id], before: nil)))
      }
    }
  }
}
