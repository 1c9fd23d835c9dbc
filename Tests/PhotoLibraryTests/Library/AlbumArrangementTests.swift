// The order of albums and folders of albums among each other.

import Foundation
import GRDB
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AlbumArrangementTests {
  /// What is listed in a folder, or at the top.
  private func titles(_ library: PhotoLibrary, in list: CollectionList.ID? = nil) async throws -> [String] {
    try await order(library).members(of: list).map(\.title)
  }

  private func order(_ library: PhotoLibrary) async throws -> CollectionOrder {
    CollectionOrder(albums: try await library.fetchAlbums(), lists: try await library.fetchLists())
  }

  /// Creates albums, and returns their ids.
  private func create(_ titles: [String], _ library: PhotoLibrary) async throws -> [String: AssetCollection.ID] {
    try await library.performChanges { changes in
      Dictionary(uniqueKeysWithValues: titles.map { ($0, changes.createAlbum(title: $0).id) })
    }
  }

  /// Folders in one another, as records of other programs may have them.
  private static func nested(_ count: Int, isClosed: Bool) -> [CollectionOrder.Member] {
    (0..<count).map { number in
      var record = CollectionRecord(kind: .folder, title: "\(number)", parent: nil, created: 0)
      record.parent = number + 1 < count ? "f\(number + 1)" : isClosed ? "f\(count / 2)" : nil
      return CollectionOrder.Member("f\(number)", record)
    }
  }

  @Test func foldersMayBeNestedAsDeepAsRecordsSay() {
    let count = 20_000
    let order = CollectionOrder(Self.nested(count, isClosed: false))
    #expect(order.all.map(\.id) == (0..<count).reversed().map { "f\($0)" })
    // The last ones are in themselves, and the first ones are in those.
    let closed = CollectionOrder(Self.nested(count, isClosed: true))
    #expect(closed.members(of: nil).count == count && closed.all.count == count)
  }

  @Test func theOneBehindAnotherIsFoundWithoutTheOneThatGoes() {
    let order = CollectionOrder(
      ["a", "b", "c"].map {
        CollectionOrder.Member($0, CollectionRecord(kind: .album, title: $0, parent: nil, created: 0))
      })
    #expect(order.follower(of: "a", without: "c") == "b" && order.follower(of: "a", without: "b") == "c")
    #expect(order.follower(of: "b", without: "b") == "c" && order.follower(of: "c", without: "a") == nil)
    #expect(order.follower(of: "b", without: "c") == nil && order.follower(of: "unknown", without: "a") == nil)
  }

  @Test func manyNewOnesComeLastInTheirOrder() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let ids = try await create(["B", "A"], library)
    let first = try #require(ids["B"])
    try await library.performChanges { $0.arrange(first, before: ids["A"]) }
    let names = (0..<40).map { "New \(40 - $0)" }
    let folder = try await library.performChanges { changes in
      for name in names { _ = changes.createAlbum(title: name) }
      return changes.createList(title: "Folder").id
    }
    #expect(try await titles(library) == ["B", "A"] + names + ["Folder"])
    // What goes to a folder and back in one step comes last again.
    try await library.performChanges { changes in
      changes.change(AssetCollectionChangeRequest(for: first, place: .list(folder)))
      changes.change(AssetCollectionChangeRequest(for: first, place: .top))
      _ = changes.createAlbum(title: "Last")
    }
    #expect(try await titles(library) == ["A"] + names + ["Folder", "B", "Last"])
  }

  @Test func theyAreByTitleUntilAPersonArrangesThem() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let ids = try await create(["Sea", "alps", "Cats"], library)
    let trips = try await library.performChanges { $0.createList(title: "Trips").id }
    let cats = try #require(ids["Cats"])
    #expect(try await titles(library) == ["Trips", "alps", "Cats", "Sea"])
    #expect(try await !order(library).isArranged(in: nil))

    let change = try await library.performReversibly { $0.arrange(cats, before: trips) }.change
    #expect(try await titles(library) == ["Cats", "Trips", "alps", "Sea"])
    let arranged = try await order(library)
    #expect(arranged.isArranged(in: nil) && !arranged.isArranged(in: trips))
    // What is new comes last, whatever its title is.
    let new = try await library.performChanges { ($0.createAlbum(title: "Aa").id, $0.createList(title: "B").id) }
    #expect(try await titles(library) == ["Cats", "Trips", "alps", "Sea", "Aa", "B"])
    try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: cats, title: "Zebras")) }
    #expect(try await titles(library) == ["Zebras", "Trips", "alps", "Sea", "Aa", "B"])

    // The order is in the records, and whole.
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await titles(again) == ["Zebras", "Trips", "alps", "Sea", "Aa", "B"])
    let problems = try await again.verify().problems
    #expect(problems == [])

    try await again.performChanges {
      $0.deleteAlbums([new.0])
      $0.deleteLists([new.1])
    }
    let reversal = try await again.reverse(change)
    #expect(reversal.overridden == 0 && reversal.missing == 0)
    #expect(try await titles(again) == ["Trips", "alps", "Sea", "Zebras"])
    _ = try await again.reverse(reversal.change)
    #expect(try await titles(again) == ["Zebras", "Trips", "alps", "Sea"])
    let sorting = try await again.performReversibly { $0.sortByTitle() }.change
    #expect(try await titles(again) == ["Trips", "alps", "Sea", "Zebras"])
    #expect(try await !order(again).isArranged(in: nil))
    _ = try await again.reverse(sorting)
    #expect(try await titles(again) == ["Zebras", "Trips", "alps", "Sea"])
    await again.close()
  }

  @Test func whatMovesIntoAFolderComesLastThere() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let ids = try await create(["A", "B", "C", "D"], library)
    let (a, b, c, d) = (
      try #require(ids["A"]), try #require(ids["B"]), try #require(ids["C"]), try #require(ids["D"])
    )
    let list = try await library.performChanges { $0.createList(title: "List").id }
    // Into the folder, to a place.
    try await library.performChanges { changes in
      for id in [d, c] { changes.change(AssetCollectionChangeRequest(for: id, place: .list(list))) }
      changes.arrange(d, in: .list(list), before: c)
    }
    #expect(try await titles(library, in: list) == ["D", "C"])
    #expect(try await titles(library) == ["List", "A", "B"], "the top is by title")
    try await library.performChanges { $0.arrange(b, in: .list(list), before: c) }
    let move = try await library.performReversibly {
      $0.change(AssetCollectionChangeRequest(for: a, place: .list(list)))
    }.change
    #expect(try await titles(library, in: list) == ["D", "B", "C", "A"])
    _ = try await library.reverse(move)
    #expect(try await titles(library) == ["List", "A"])
    try await library.performChanges { $0.arrange(a, before: list) }
    // What is in a deleted folder moves up, in its order.
    let deletion = try await library.performReversibly { $0.deleteLists([list]) }.change
    #expect(try await titles(library) == ["A", "D", "B", "C"])
    let reversal = try await library.reverse(deletion)
    #expect(reversal.overridden == 0)
    #expect(try await titles(library) == ["A", "List"])
    #expect(try await titles(library, in: list) == ["D", "B", "C"])
    // Neighbors are in the same folder.
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.arrange(a, before: b) }
    }
    #expect(error?.description.contains("“B” is in another folder") == true)
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.arrange(list, in: .list(list), before: nil) }
    }
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.arrange(a, before: AssetIdentity.makeID()) }
    }
    #expect(try await titles(library) == ["A", "List"])
    await library.close()
  }

  @Test func anAlbumThatComesBackIsByTitleWhereAllAre() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let ids = try await create(["A", "B", "C"], library)
    let (a, c) = (try #require(ids["A"]), try #require(ids["C"]))
    try await library.performChanges { $0.arrange(c, before: a) }
    let deletion = try await library.performReversibly { $0.deleteAlbums([c]) }.change
    try await library.performChanges { $0.sortByTitle() }
    _ = try await library.reverse(deletion)
    #expect(try await titles(library) == ["A", "B", "C"])
    await library.close()
  }

  @Test func anyNumberOfMovesGivesTheOrderOfAnArray() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var expected = ["A", "B", "C", "D", "E"]
    let ids = try await create(expected, library)
    for _ in 0..<40 {
      let moved = expected.remove(at: Int.random(in: 0..<5))
      let index = Int.random(in: 0...4)
      let next = index < 4 ? ids[expected[index]] : nil
      let id = try #require(ids[moved])
      try await library.performChanges { $0.arrange(id, before: next) }
      expected.insert(moved, at: index)
      #expect(try await titles(library) == expected)
    }
    // A place between two neighbors is used up after some moves: then all get new ones.
    for _ in 0..<15 {
      let last = expected.removeLast()
      let (id, next) = (try #require(ids[last]), ids[expected[1]])
      try await library.performChanges { $0.arrange(id, before: next) }
      expected.insert(last, at: 1)
    }
    #expect(try await titles(library) == expected)
    await library.close()
  }

  @Test func recordsWithAnyNumbersAreArranged() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let ids = try await create(["A", "B", "C", "D"], library)
    await library.close()
    // Written by another program, and one by a version that knows no positions.
    for (title, position) in [("A", Int64.max), ("B", Int64.min), ("C", Int64.max)] {
      let path = try ".photome/albums/\(#require(ids[title])).json"
      var record = try CollectionRecord(
        json: Data(contentsOf: scratch.pictures.appendingPathComponent(path)), path: path)
      record.position = position
      try scratch.put(record.json, path)
    }
    let again = try await scratch.library()
    try await again.refresh()
    let first = try await titles(again)
    #expect(first.first == "B" && Set(first[1...2]) == ["A", "C"] && first.last == "D")
    let d = try #require(ids["D"])
    _ = try await create(["E"], again)
    try await again.performChanges { $0.arrange(d, before: ids["B"]) }
    let last = try await titles(again)
    #expect(last.prefix(2) == ["D", "B"] && last.count == 5)
    await again.close()
  }

  @Test func positionsThatAnOlderVersionHasKeptAreRead() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let ids = try await create(["A", "B"], library)
    let (a, b) = (try #require(ids["A"]), try #require(ids["B"]))
    try await library.performChanges { $0.arrange(b, before: a) }
    await library.close()
    // The index of an older version.
    try await DatabaseQueue(path: scratch.index.path).write { db in
      try db.execute(
        sql: """
          ALTER TABLE collection DROP COLUMN position;
          DELETE FROM grdb_migrations WHERE identifier = '15 arranged albums';
          """)
    }
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await titles(again) == ["B", "A"])
    await again.close()
  }
}
