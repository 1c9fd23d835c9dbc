// Albums that are defined by properties of the pictures, and by searches.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SmartAlbumTests {
  @Test func aSavedSearchHasWhatItFindsAtAnyTime() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let one = try await library.addPhoto()
    let two = try await library.addPhoto(second: 1)
    let id = try await library.performChanges { $0.createAlbum(title: "Best", search: " favorite ").id }
    let album = try #require(try await library.fetchAlbums().first)
    #expect(album.id == id && album.kind == .saved(search: "favorite") && album.isOwn)
    #expect(try await library.fetch(in: album).count == 0)
    try await library.performChanges { $0.change(AssetChangeRequest(for: one.id, isFavorite: true)) }
    #expect(try await library.fetch(in: album).allAssets().map(\.id) == [one.id])
    // Nothing can be put into it, and its search can't be empty.
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: id, addAssets: [two.id])) }
    }
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { _ = $0.createAlbum(title: "Nothing", search: " ") }
    }
    try await library.performChanges {
      $0.change(AssetCollectionChangeRequest(for: id, title: "Films", search: "video"))
    }
    await library.close()
    // It is in the library's records, and not in the index alone.
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    let albums = try await again.fetchAlbums()
    #expect(albums.map(\.kind) == [.saved(search: "video")] && albums.map(\.title) == ["Films"])
    let problems = try await again.verify().problems
    #expect(problems == [])
    try await again.performChanges { $0.deleteAlbums([id]) }
    #expect(try await again.fetchAlbums().isEmpty)
  }

  @Test func picturesAreInTheAlbumsOfTheirKinds() async throws {
    let scratch = try Scratch()
    try scratch.put(Samples.jpeg(), "Screenshot 1.jpg")
    try scratch.put(Samples.jpeg(width: 640, height: 180, shade: 3), "wide.jpg")
    try scratch.put(RawPictureTests.file(), "DSC_1.dng")
    let library = try await scratch.library()
    try await library.refresh()
    let kinds: [SearchKind] = [.screenshot, .panorama, .raw, .edited]
    #expect(try await library.fetchKinds(among: kinds + [.video]) == [.screenshot, .panorama, .raw])
    let edited = try await library.addPhoto(shade: 9)
    try await library.editPhoto(edited.id, shade: 50)
    for (album, names) in [
      (SmartAlbum.screenshots, ["Screenshot 1.jpg"]), (.panoramas, ["wide.jpg"]), (.raw, ["DSC_1.dng"]),
      (.edited, [edited.url.lastPathComponent]),
    ] {
      let found = try await library.fetch(in: AssetCollection(album)).allAssets()
      #expect(found.map(\.url.lastPathComponent) == names, "\(album)")
    }
    #expect(try await library.fetch(in: AssetCollection(.recentlyAdded)).count == 4)
    #expect(try await library.fetchKinds(among: kinds) == Set(kinds))
  }

  @Test func whatIsRemovedLeavesTheRecentlyAdded() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let first = try await library.addPhoto()
    let recent = AssetCollection(.recentlyAdded)
    let before = try await library.fetch(in: recent)
    let second = try await library.addPhoto(second: 1)
    try await library.trash([first.id])
    let details = try await library.changeDetails(for: before)
    #expect(try details.after.allAssets().map(\.id) == [second.id])
  }
}
