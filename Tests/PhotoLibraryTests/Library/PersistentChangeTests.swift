// Changes since a stored token: the difference of two fetches, whoever made the changes.

import CameraCore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("Changes since a token", .timeLimit(.minutes(30))) struct PersistentChangeTests {
  /// What a client can fetch of a library.
  private struct Contents: Equatable {
    var assets: [Asset.ID: Asset] = [:]
    var albumsOf: [Asset.ID: [AssetCollection]] = [:]
    var collections: [String: [AnyHashable]] = [:]

    init(_ library: PhotoLibrary) async throws {
      var options = FetchOptions()
      options.includesHidden = true
      let all = try await library.fetch(options).allAssets()
      assets = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
      for asset in all { albumsOf[asset.id] = try await library.fetchAlbums(of: asset.id) }
      for album in try await library.fetchAlbums() {
        collections[album.id] = [album, try await library.fetch(options, in: album).allAssets().map(\.id).sorted()]
      }
      for list in try await library.fetchLists() { collections[list.id] = [list] }
    }
  }

  /// Compares changes with the difference of two fetches.
  private func check<Value: Equatable>(
    _ details: PersistentChanges.Details, from before: [String: Value], to after: [String: Value],
    _ steps: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (old, new) = (Set(before.keys), Set(after.keys))
    let different = old.intersection(new).filter { before[$0] != after[$0] }
    #expect(details.inserted == new.subtracting(old), "\(steps)", sourceLocation: sourceLocation)
    #expect(details.deleted == old.subtracting(new), "\(steps)", sourceLocation: sourceLocation)
    let values = different.map { "\($0): \(String(describing: before[$0])) → \(String(describing: after[$0]))" }
    #expect(
      details.updated.isSuperset(of: different), "\(steps) \(values.joined(separator: "; "))",
      sourceLocation: sourceLocation)
    #expect(details.updated.isSubset(of: old.intersection(new)), "\(steps)", sourceLocation: sourceLocation)
  }

  /// A library that random changes are made in.
  private struct World {
    let scratch = Result { try Scratch() }
    var numbers = SeededNumbers.fresh("PersistentChangeTests")
    var steps: [String] = []
    private var count = 0

    func open() async throws -> PhotoLibrary {
      let library = try await scratch.get().library()
      try await library.refresh()
      return library
    }

    mutating func step(_ library: PhotoLibrary) async throws {
      let ids = try await Contents(library).assets.keys.sorted()
      let albums = try await library.fetchAlbums().map(\.id).sorted()
      let lists = try await library.fetchLists().map(\.id).sorted()
      let (id, other) = (ids.randomElement(using: &numbers), ids.randomElement(using: &numbers))
      let (album, list) = (albums.randomElement(using: &numbers), lists.randomElement(using: &numbers))
      let isOn = Bool.random(using: &numbers)
      count += 1
      let kind = Int.random(in: 0..<13, using: &numbers)
      steps.append("\(kind)")
      switch kind {
      case 0, 1: _ = try await library.addPhoto(shade: UInt8(count % 256), second: Double(count))
      case 2:
        guard let id else { return }
        try await library.performChanges { $0.change(AssetChangeRequest(for: id, isFavorite: isOn)) }
      case 3:
        guard let id else { return }
        try await library.performChanges { $0.change(AssetChangeRequest(for: id, isHidden: isOn)) }
      case 4:
        guard let id, try await library.asset(id: id)?.mediaType == .photo else { return }
        try await library.editPhoto(id, shade: UInt8(count % 256))
      case 5:
        guard let id else { return }
        try await library.performChanges { $0.deletePermanently([id]) }
      case 6:
        guard let id else { return }
        let trashed = try await library.trash([id])
        if isOn { try await library.restore(trashed) }
      case 7:
        let title = "album \(count)"
        try await library.performChanges {
          _ = $0.createAlbum(title: title, in: list.map { .list($0) } ?? .top)
        }
      case 8:
        guard let album else { return }
        try await library.performChanges {
          var request = AssetCollectionChangeRequest(for: album)
          if isOn { request.addedAssets = [id, other].compactMap(\.self) } else { request.removedAssets = ids }
          $0.change(request)
        }
      case 9:
        let title = "list \(count)"
        try await library.performChanges { _ = $0.createList(title: title) }
      case 10:
        try await library.performChanges {
          if isOn { $0.deleteAlbums([album].compactMap(\.self)) } else { $0.deleteLists([list].compactMap(\.self)) }
        }
      case 11:
        // Another program adds a live photo's still and movie, or one of them, in any order.
        let scratch = try scratch.get()
        let stem = "2026-11/IMG_\(Int.random(in: 0..<3, using: &numbers))"
        if isOn {
          try scratch.put(AppleSamples.photo(AppleSamples.mark), "\(stem).JPG")
        } else {
          try scratch.put(AppleSamples.movie(AppleSamples.mark), "\(stem).MOV")
        }
        try await library.refresh()
      default:
        // Another program removes a file, which may be half of a live photo.
        let scratch = try scratch.get()
        let files = scratch.files().filter { !$0.hasPrefix(".") }.sorted()
        guard let file = files.randomElement(using: &numbers) else { return }
        try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(file))
        try await library.refresh()
      }
    }
  }

  @Test("Random changes are the difference of two fetches, after a restart and by another instance too")
  func difference() async throws {
    for _ in 0..<3 {
      var world = World()
      var library = try await world.open()
      for _ in 0..<6 { try await world.step(library) }
      try await library.refresh()
      // Stored as a client stores it.
      let stored = try JSONEncoder().encode(await library.currentChangeToken())
      let start = try await Contents(library)
      var (token, before) = (try await library.currentChangeToken(), start)
      for round in 0..<10 {
        world.steps.append("round \(round)")
        // Another process with the same index.
        let other = round % 3 == 1 ? try await world.open() : nil
        for _ in 0..<Int.random(in: 0...5, using: &world.numbers) { try await world.step(other ?? library) }
        await other?.close()
        if round % 4 == 2 {
          await library.close()
          library = try await world.open()
        }
        try await library.refresh()
        let changes = try await library.changes(since: token)
        let after = try await Contents(library)
        check(changes.assets, from: before.assets, to: after.assets, world.steps)
        check(changes.collections, from: before.collections, to: after.collections, world.steps)
        let moved = after.albumsOf.filter { id, albums in before.albumsOf[id].map { $0 != albums } ?? false }
        let named = changes.assets.updated.union(changes.assets.inserted)
        #expect(named.isSuperset(of: moved.keys) || !changes.collections.isEmpty, "\(world.steps)")
        #expect(try await library.changes(since: changes.token).assets.isEmpty)
        (token, before) = (changes.token, after)
      }
      // All of it at once.
      let first = try JSONDecoder().decode(PersistentChangeToken.self, from: stored)
      let all = try await library.changes(since: first)
      #expect(all.token == token)
      check(all.assets, from: start.assets, to: before.assets, world.steps)
      check(all.collections, from: start.collections, to: before.collections, world.steps)
      await library.close()
    }
  }

  @Test("An album is among the changes whose video becomes a part of a live photo, is one again, and goes")
  func albumOfPart() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let movie = try scratch.put(AppleSamples.movie(AppleSamples.mark), "2026-11/IMG_1.MOV")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    try await library.performChanges { _ = $0.createAlbum(title: "Swiss") }
    let album = try #require(try await library.fetchAlbums().first)
    try await library.performChanges {
      var request = AssetCollectionChangeRequest(for: album.id)
      request.addedAssets = [asset.id]
      $0.change(request)
    }
    var token = try await library.currentChangeToken()
    func check(_ count: Int, _ change: () throws -> Void) async throws {
      try change()
      try await library.refresh()
      #expect(try await library.fetch(in: album).count == count)
      let changes = try await library.changes(since: token)
      #expect(changes.collections.updated == [album.id])
      token = changes.token
    }
    var photo: URL?
    try await check(0) { photo = try scratch.put(AppleSamples.photo(AppleSamples.mark), "2026-11/IMG_1.JPG") }
    try await check(1) { try FileManager.default.removeItem(at: try #require(photo)) }
    try await check(0) { try FileManager.default.removeItem(at: movie) }
    await library.close()
  }

  @Test("An index that was made anew knows nothing of a token")
  func newIndex() async throws {
    let scratch = try Scratch()
    let token = try await Self.storedToken(scratch)
    await scratch.waitUntilIndexIsClosed()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    await #expect(throws: PhotoLibraryError.changesUnknown(.otherHistory)) { try await again.changes(since: token) }
    // Nor does one that was put back as it was before.
    let mine = try await again.currentChangeToken()
    let later = PersistentChangeToken(history: mine.history, sequence: mine.sequence + 1, mark: mine.mark)
    await #expect(throws: PhotoLibraryError.changesUnknown(.otherHistory)) { try await again.changes(since: later) }
    await again.close()
  }

  /// A token of a library that nobody refers to any more.
  private static func storedToken(_ scratch: Scratch, second: Double = 0) async throws -> PersistentChangeToken {
    let library = try await scratch.library()
    _ = try await library.addPhoto(second: second)
    let token = try await library.currentChangeToken()
    #expect(try await library.changes(since: token).assets.isEmpty)
    await library.close()
    return token
  }

  @Test("A token expires with the part of the history that it needs")
  func expiry() throws {
    let scratch = try Scratch()
    let index = try LibraryIndex(url: nil, folder: scratch.pictures, disk: Disk())
    let token = try index.changeToken()
    func add(_ rows: Int) throws {
      try index.writing { db in
        for _ in 0..<rows {
          try db.execute(sql: "INSERT INTO change (id, number, kind) VALUES ('x', 1, 1)")
        }
      }
    }
    try add(2)
    let second = try index.changeToken()
    try add(1)
    let third = try index.changeToken()
    try add(2)
    let middle = try index.changeToken()
    try add(1)
    // No such asset, and an earlier version has written it.
    #expect(try index.changes(since: token).assets.deleted == ["x"])
    try index.writing { try $0.execute(sql: "DELETE FROM change WHERE sequence < 3") }
    #expect(throws: PhotoLibraryError.changesUnknown(.expired)) { try index.changes(since: token) }
    #expect(try index.changes(since: middle).assets.deleted == ["x"])
    // The token's own row is the first one that is needed: it tells whether the history goes on from there.
    #expect(throws: PhotoLibraryError.changesUnknown(.expired)) { try index.changes(since: second) }
    #expect(try index.changes(since: third).assets.deleted == ["x"])
  }

  @Test(
    "Only a whole token is one",
    arguments: [
      "", "1", "1..3", "2.\(id).3", "1.\(id).-1", "1.\(id).03", "1.\(id).3.",
      "1.\(id).3.00000000000000ff", "2.\(id).3.ff", "2.\(id).3.+0000000000000ff", "2.\(id).3.00000000000000FF",
      "3.\(id).3.00000000000000ff",
    ])
  func damagedToken(text: String) throws {
    #expect(PersistentChangeToken(text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([PersistentChangeToken].self, from: JSONEncoder().encode([text]))
    }
    for whole in ["1.\(Self.id).3", "2.\(Self.id).3.00000000000000ff", "2.\(Self.id).3.ffffffffffffffff"] {
      #expect(PersistentChangeToken(whole)?.description == whole)
    }
  }

  @Test("An index that was put back from a backup doesn't take other changes of the same numbers for those of a token")
  func restoredIndex() async throws {
    let scratch = try Scratch()
    let before = try await Self.storedToken(scratch)
    await scratch.waitUntilIndexIsClosed()
    let backup = try Data(contentsOf: scratch.index)
    let after = try await Self.storedToken(scratch, second: 1)
    await scratch.waitUntilIndexIsClosed()
    try scratch.removeIndex()
    try backup.write(to: scratch.index)
    let library = try await scratch.library()
    try await library.refresh()
    for second in 2..<6 { _ = try await library.addPhoto(shade: UInt8(second), second: Double(second)) }
    #expect(try await library.currentChangeToken().sequence > after.sequence)
    await #expect(throws: PhotoLibraryError.changesUnknown(.otherHistory)) { try await library.changes(since: after) }
    // The backup has this one, and all that came after it.
    let changes = try await library.changes(since: before)
    #expect(changes.assets.inserted.count == 5)
    // As an earlier version wrote it.
    let old = try #require(PersistentChangeToken("1.\(after.history).\(before.sequence)"))
    await #expect(throws: PhotoLibraryError.changesUnknown(.earlierVersion)) { try await library.changes(since: old) }
    await library.close()
  }

  @Test("Rows that an earlier version writes have marks, too")
  func earlierWriter() throws {
    let scratch = try Scratch()
    let index = try LibraryIndex(url: nil, folder: scratch.pictures, disk: Disk())
    try index.writing { db in
      for _ in 0..<3 { try db.execute(sql: "INSERT INTO change (id, number, kind) VALUES ('x', 1, 1)") }
      let marks = try Int64?.fetchAll(db, sql: "SELECT mark FROM change").compactMap(\.self)
      #expect(Set(marks).count == 3)
    }
  }

  private static let id = String(repeating: "a", count: 32)
}
