// Suggestions while a search is typed, and the places in the sidebar.

import CameraCore
import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct SearchSuggestionsTests {
  @Test func suggestionsFollowTheTextAndTheLibrary() async throws {
    let bench = try await LibraryBench(count: 2)
    let model = bench.grid.suggestions
    await bench.grid.open()
    await model.type("cat")
    #expect(model.completions.isEmpty)
    await bench.albums.createAlbum(title: "Cats")
    let album = try #require(bench.grid.albums.first)
    let id = bench.assets[0].id
    bench.grid.moveCursor(to: 0)
    await bench.pictures.add(toAlbum: album.id)
    model.invalidate()
    await model.type("nov")
    #expect(model.completions.map(\.subject) == [.date])
    await model.type("cat")
    #expect(model.completions.map(\.title) == ["Cats"])
    #expect(model.accept(1) == nil)
    #expect(model.accept(0) == "album:Cats ")
    #expect(model.completions.isEmpty, "it is taken")
    await model.type("cat")
    model.dismiss()
    #expect(model.completions.isEmpty)
    await bench.grid.search("album:Cats")
    #expect(bench.shown == [id])
    try await bench.end()
  }

  @Test func placesAreInTheSidebar() async throws {
    let bench = try await LibraryBench(count: 2)
    try bench.library.index.writing { db in
      try db.execute(
        sql: "UPDATE asset SET latitude = 0, longitude = -150 WHERE id = ?", arguments: [bench.assets[1].id])
    }
    await bench.grid.open()
    let items = bench.grid.sidebar.rows
    let heading = try #require(items.firstIndex { $0.id == "heading:Places" })
    let place = try #require(items[heading + 1].collection)
    #expect(items[heading + 1].content == .collection(place, count: 1))
    await bench.grid.select(collection: place.id)
    #expect(bench.shown == [bench.assets[1].id])
    try await bench.end()
  }
}
