// The texts of the library: titles, empty pages, days, and names for screen readers.

import CameraCore
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct LibraryTextTests {
  @Test func theTitleCounts() async throws {
    let bench = try await LibraryBench(count: 2)
    let grid = bench.grid
    #expect(grid.title == "Library" && grid.subtitle == "", "not loaded yet")
    await grid.open()
    #expect(grid.title == "Library" && grid.subtitle == "2 items")
    grid.startSelecting()
    #expect(grid.title == "Select Items" && grid.subtitle == "")
    grid.toggleSelection(at: 0)
    #expect(grid.title == "1 Selected" && grid.subtitle == "")
    grid.stopSelecting()
    await grid.search(bench.assets[0].url.deletingPathExtension().lastPathComponent)
    #expect(grid.subtitle == "1 item")
    await grid.search("")
    await grid.select(collection: AssetCollection(.favorites).id)
    #expect(grid.title == "Favorites" && grid.subtitle == "0 items")
    try await bench.end()
  }

  @Test func anEmptyPageSaysWhyItIsEmpty() async throws {
    let bench = try await LibraryBench(count: 1)
    let grid = bench.grid
    #expect(grid.emptyPage == nil, "not loaded yet")
    await grid.open()
    #expect(grid.emptyPage == nil, "it has a picture")
    await grid.search("nothing of the kind")
    #expect(grid.emptyPage?.title == "No Results Found")
    #expect(grid.emptyPage?.text.contains("“nothing of the kind”") == true)
    await grid.search("")
    await grid.select(collection: AssetCollection(.favorites).id)
    #expect(grid.emptyPage?.title == "No Favorites Yet")
    await grid.select(collection: AssetCollection(.hidden).id)
    #expect(grid.emptyPage?.title == "No Items")
    await bench.albums.createAlbum(title: "Sea")
    await grid.select(collection: try #require(grid.albums.first).id)
    #expect(grid.emptyPage?.title == "Empty Album")
    await grid.select(collection: AssetCollection(.all).id)
    #expect(grid.emptyPage == nil)
    try FileManager.default.removeItem(at: bench.assets[0].url)
    await ModelBench.until { grid.emptyPage?.title == "No Photos Yet" }
    try bench.setReadable(false)
    await grid.tryAgain()
    #expect(grid.emptyPage?.title == "Library Can’t Be Read" && grid.emptyPage?.text == grid.list.failure)
    try bench.setReadable(true)
    try await bench.end()
  }

  @Test func aScreenReaderSaysWhatAPictureIs() throws {
    func asset(_ type: AssetMediaType, isLive: Bool = false, isFavorite: Bool = false) -> Asset {
      var asset = Asset(
        id: Asset.makeID(), url: URL(fileURLWithPath: "/nonexistent/a"), mediaType: type, isLive: isLive,
        created: Date(timeIntervalSince1970: 1_795_262_400), utcOffset: 7200, size: PixelSize(width: 4, height: 3),
        duration: type == .video ? 65 : nil, photoDisplayTime: nil, movieRange: nil, fileSize: 1,
        modified: Date(timeIntervalSince1970: 0), cameraName: nil)
      asset.isFavorite = isFavorite
      return asset
    }
    let when = PictureInfo.when(asset(.photo))
    #expect(PictureInfo.spokenName(of: asset(.photo)) == "Photo, \(when)")
    #expect(PictureInfo.spokenName(of: asset(.photo, isLive: true)) == "Live photo, \(when)")
    #expect(PictureInfo.spokenName(of: asset(.video, isFavorite: true)) == "Video, 1:05, \(when), favorite")
    let video = asset(.video)
    #expect(StripItem(id: video.id, isLive: false, content: .asset(video)).spokenName == "Video, 1:05, \(when)")
    let shot = StripItem(id: video.id, isLive: true, content: .saving(thumbnail: Data()))
    #expect(shot.spokenName == "Live photo, being saved")
  }

  @Test func daysAreNamedWhereTheyBegin() async throws {
    let bench = try await LibraryBench(count: 2)
    try await bench.add(day: 0)
    await bench.grid.open()
    #expect(bench.grid.list.count == 3)
    #expect(bench.grid.titleOfDay(beginningAt: 0) != nil)
    #expect(bench.grid.titleOfDay(beginningAt: 1) == nil)
    #expect(bench.grid.titleOfDay(beginningAt: 2) != nil)
    #expect(bench.grid.titleOfDay(beginningAt: 3) == nil)
    try await bench.end()
  }

  @Test(arguments: [(0, "Today"), (1, "Yesterday"), (-1, nil), (2, nil), (400, nil)])
  func dayTitles(distance: Int, title: String?) {
    let today = 20_778
    let titles = DayTitle { today }
    let text = titles.title(today - distance)
    if let title { #expect(text == title) } else { #expect(text != "Today" && text != "Yesterday" && !text.isEmpty) }
    #expect(text.contains("202") == (distance == 400 || distance == -1), "\(text)")
  }
}
