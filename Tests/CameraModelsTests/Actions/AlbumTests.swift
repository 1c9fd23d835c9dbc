// Albums and their folders: the rows of the sidebar, and the actions on them.

import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct AlbumTests {
  /// The albums and folders in the sidebar, indented by two spaces per folder.
  private func rows(_ bench: LibraryBench) -> [String] {
    bench.grid.sidebar.rows.filter { $0.madeID != nil }.map { item in
      let indent = String(repeating: "  ", count: item.depth)
      return switch item.content {
      case .heading(let title): title
      case .group(let month, let count, _): "\(month.title) \(count)"
      case .collection(let album, let count): "\(indent)\(album.title) \(count.map(String.init) ?? "?")"
      case .list(let list, let isExpanded): "\(indent)\(isExpanded ? "-" : "+")\(list.title)"
      }
    }
  }

  private func id(_ title: String, _ bench: LibraryBench) throws -> String {
    let tree = bench.grid.tree
    let id = tree.albums.first { $0.title == title }?.id ?? tree.lists.first { $0.title == title }?.id
    return try #require(id)
  }

  @Test func foldersHoldAlbumsAndFolders() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    #expect(!bench.grid.sidebar.rows.contains(.albumsHeading))
    await bench.albums.createList(title: " Trips ")
    let trips = try id("Trips", bench)
    await bench.albums.createList(title: "2026", in: trips)
    await bench.albums.createAlbum(title: "Sea", in: try id("2026", bench))
    await bench.albums.createAlbum(title: "Alps", in: trips)
    await bench.albums.createAlbum(title: "Cats")
    await bench.albums.createAlbum(title: "  ")
    await bench.albums.createList(title: "")
    #expect(rows(bench) == ["-Trips", "  -2026", "    Sea 0", "  Alps 0", "Cats 0"])
    #expect(bench.grid.sidebar.rows.contains(.albumsHeading))
    bench.grid.sidebar.setExpanded(false, trips)
    #expect(rows(bench) == ["+Trips", "Cats 0"])
    // The album on screen is visible in the sidebar.
    await bench.grid.select(collection: try id("Sea", bench))
    #expect(bench.grid.collection.title == "Sea")
    #expect(rows(bench) == ["-Trips", "  -2026", "    Sea 0", "  Alps 0", "Cats 0"])
    // It stays on screen when its folder is collapsed.
    bench.grid.sidebar.setExpanded(false, trips)
    await bench.grid.loadAlbums()
    #expect(bench.grid.collection.title == "Sea")
    #expect(bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func countsFollow() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    await bench.albums.createAlbum(title: "Sea")
    bench.grid.selectAll()
    await bench.pictures.add(toAlbum: try id("Sea", bench))
    await ModelBench.until { rows(bench) == ["Sea 3"] }
    bench.grid.moveCursor(to: 0)
    await bench.pictures.setHidden(true)
    await ModelBench.until { rows(bench) == ["Sea 2"] }
    #expect(try await bench.library.fetch(in: bench.grid.albums[0]).count == 2)
    try FileManager.default.removeItem(at: bench.assets[2].url)
    await ModelBench.until { rows(bench) == ["Sea 1"] }
    try await bench.end()
  }

  @Test func theyAreRenamedAndDeleted() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    await bench.albums.createList(title: "Trips")
    await bench.albums.createAlbum(title: "Sea", in: try id("Trips", bench))
    let (trips, sea) = (try id("Trips", bench), try id("Sea", bench))
    await bench.albums.rename(trips, to: "Journeys ")
    await bench.albums.rename(sea, to: " Ocean")
    await bench.albums.rename(sea, to: " ")
    #expect(rows(bench) == ["-Journeys", "  Ocean 0"])
    #expect(bench.messages.messages.isEmpty)
    await bench.albums.delete(trips)
    #expect(rows(bench) == ["Ocean 0"])
    #expect(bench.nextMessage()?.contains("Folder “Journeys” deleted") == true)
    await bench.albums.delete(sea)
    #expect(rows(bench) == [])
    let message = try #require(bench.messages.takeNext())
    #expect(message.text.contains("Album “Ocean” deleted") && message.canBeUndone)
    await bench.albums.delete(sea)
    #expect(bench.messages.takeNext()?.text.contains(sea) == true, "what is gone is said")
    try await bench.end()
  }

  @Test func theyMoveIntoFoldersAndOut() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.grid.open()
    await bench.albums.createList(title: "A")
    await bench.albums.createList(title: "B")
    await bench.albums.createAlbum(title: "Sea")
    let (a, b, sea) = (try id("A", bench), try id("B", bench), try id("Sea", bench))
    bench.grid.sidebar.setExpanded(false, b)
    await bench.albums.move(b, to: a)
    await bench.albums.move(sea, to: b)
    #expect(rows(bench) == ["-A", "  -B", "    Sea 0"], "what is moved stays in sight")
    #expect(bench.grid.tree.destinations(of: a) == [], "nothing goes into itself")
    #expect(bench.grid.tree.destinations(of: b) == [])
    #expect(bench.grid.tree.destinations(of: sea).map(\.title) == ["A"])
    #expect(bench.grid.tree.canMove(sea, to: nil) && bench.grid.tree.canMove(sea, to: a))
    #expect(!bench.grid.tree.canMove(a, to: nil) && !bench.grid.tree.canMove(a, to: b))
    #expect(bench.messages.messages.isEmpty)
    await bench.albums.move(a, to: b)
    #expect(bench.messages.takeNext()?.text.contains("into itself") == true)
    await bench.albums.move(sea, to: nil)
    #expect(rows(bench) == ["-A", "  -B", "Sea 0"])
    try await bench.end()
  }

  @Test func theyAreArrangedByHandAndByNameAgain() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.grid.open()
    for title in ["A", "B", "C"] { await bench.albums.createAlbum(title: title) }
    await bench.albums.createList(title: "List")
    let (a, b, c) = (try id("A", bench), try id("B", bench), try id("C", bench))
    let list = try id("List", bench)
    #expect(rows(bench) == ["-List", "A 0", "B 0", "C 0"])
    #expect(!bench.grid.tree.canMove(list, later: false) && !bench.grid.tree.canMove(c, later: true))
    #expect(!bench.grid.tree.isArranged(in: nil))
    await bench.albums.move(c, later: false)
    #expect(rows(bench) == ["-List", "A 0", "C 0", "B 0"])
    await bench.albums.move(list, later: true)
    #expect(rows(bench) == ["A 0", "-List", "C 0", "B 0"])
    #expect(bench.grid.tree.isArranged(in: nil) && !bench.grid.tree.isArranged(in: list))
    await bench.albums.move(a, later: false)
    await bench.albums.createAlbum(title: "AA")
    #expect(rows(bench) == ["A 0", "-List", "C 0", "B 0", "AA 0"], "new ones come last")

    func row(_ id: String) throws -> SidebarItem { try #require(bench.grid.sidebar.rows.first { $0.id == id }) }
    await bench.albums.drop(b, .before, try row(a))
    #expect(rows(bench) == ["B 0", "A 0", "-List", "C 0", "AA 0"])
    await bench.albums.drop(b, .after, try row(c))
    #expect(rows(bench) == ["A 0", "-List", "C 0", "B 0", "AA 0"])
    await bench.albums.drop(c, .into, try row(list))
    await bench.albums.drop(a, .after, try row(c))
    #expect(rows(bench) == ["-List", "  C 0", "  A 0", "B 0", "AA 0"])
    await bench.albums.drop(list, .after, try row(c))
    #expect(bench.messages.takeNext()?.text.contains("into itself") == true)
    // Where it is already nothing changes.
    let undo = bench.history.undoTitle
    await bench.albums.drop(c, .before, try row(a))
    await bench.albums.drop(c, .before, try row(c))
    #expect(bench.history.undoTitle == undo && undo == "Undo Moving “A”")
    await bench.albums.drop(a, .into, .albumsHeading)
    #expect(rows(bench) == ["-List", "  C 0", "B 0", "AA 0", "A 0"])

    await bench.albums.sortByTitle(in: nil)
    #expect(rows(bench) == ["-List", "  C 0", "A 0", "AA 0", "B 0"])
    #expect(bench.history.undoTitle == "Undo Sorting Albums by Name")
    await bench.history.undo()
    await ModelBench.until { rows(bench) == ["-List", "  C 0", "B 0", "AA 0", "A 0"] }
    await bench.history.redo()
    await ModelBench.until { rows(bench) == ["-List", "  C 0", "A 0", "AA 0", "B 0"] }
    try await bench.end()
  }

  @Test func aRowSaysWhereADroppedAlbumGoes() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    await bench.albums.createAlbum(title: "A")
    await bench.albums.createList(title: "List")
    let list = try id("List", bench)
    func spots(_ wanted: @escaping (SidebarItem) -> Bool) throws -> [SidebarItem.DropSpot?] {
      let row = try #require(bench.grid.sidebar.rows.first(where: wanted))
      return [0, 0.3, 0.7, 1].map { row.dropSpot(atHeight: $0) }
    }
    #expect(try spots { $0.collection?.title == "A" } == [.before, .before, .after, .after])
    #expect(try spots { $0.id == list } == [.before, .into, .into, .into])
    bench.grid.sidebar.setExpanded(false, list)
    #expect(try spots { $0.id == list } == [.before, .into, .into, .after])
    #expect(try spots { $0 == .albumsHeading } == [.into, .into, .into, .into])
    #expect(try spots { $0.id == "smart:all" } == [nil, nil, nil, nil])
    #expect(try spots { $0.id.hasPrefix("month:") } == [nil, nil, nil, nil])
    try await bench.end()
  }

  @Test func whatIsNowhereStandsAtTheTop() {
    func list(_ id: String, in parent: String?) -> CollectionList {
      CollectionList(id: id, title: id.uppercased(), listID: parent, created: Date(timeIntervalSince1970: 0))
    }
    func album(_ id: String, in parent: String?) -> AssetCollection {
      AssetCollection(album: id, title: id.uppercased(), listID: parent, created: Date(timeIntervalSince1970: 0))
    }
    // A folder whose parent is missing, and two that contain each other.
    let tree = AlbumTree(
      albums: [album("x", in: "gone"), album("y", in: "a"), album("z", in: "c")],
      lists: [list("a", in: "b"), list("b", in: "a"), list("c", in: "gone")], counts: ["z": 2])
    let items = tree.items(collapsed: [])
    #expect(items.map(\.id) == ["a", "b", "c", "z", "x", "y"])
    #expect(items.map(\.depth) == [0, 0, 0, 1, 0, 0])
    #expect(tree.canMove("a", to: nil) && tree.canMove("x", to: "c") && !tree.canMove("x", to: nil))
    #expect(!tree.canMove("nonsense", to: "c"))
  }
}
