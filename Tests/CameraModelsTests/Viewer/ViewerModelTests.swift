// The viewer: its list, deleted pictures, movies, details and zoom.

import CameraCore
import CameraModels
import Foundation
import PhotoEffects
import PhotoLibrary
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ViewerModelTests {
  private let size = PixelSize(width: 640, height: 480)

  @Test func itGoesThroughTheListThatItWasOpenedFrom() async throws {
    let bench = try await LibraryBench(count: 4)
    await bench.grid.open()
    await bench.strip.start()
    // A list that is not the strip's: the second and the third only.
    bench.grid.toggleSelection(at: 1)
    bench.grid.toggleSelection(at: 2)
    await bench.pictures.toggleFavorite()
    await bench.grid.select(collection: AssetCollection(.favorites).id)
    bench.viewer.open(try #require(bench.grid.list.assetIfRead(at: 0)), in: bench.grid)
    #expect(bench.viewer.asset?.id == bench.assets[1].id)
    #expect(bench.viewer.hasOlder && !bench.viewer.hasNewer)
    bench.viewer.move(by: 1)
    #expect(bench.viewer.asset?.id == bench.assets[2].id)
    #expect(bench.grid.selection == [1], "the grid's mark moves along")
    bench.viewer.move(by: 1)
    #expect(bench.viewer.asset?.id == bench.assets[2].id, "the list ends here")
    bench.strip.selectedID = bench.assets[2].id
    bench.navigation.openSelected()
    bench.viewer.move(by: 1)
    #expect(bench.viewer.asset?.id == bench.assets[3].id)
    #expect(bench.strip.selectedID == bench.assets[3].id)
    await ModelBench.until { bench.viewer.image != nil }
    bench.viewer.close()
    #expect(bench.viewer.asset == nil && bench.viewer.image == nil)
    try await bench.end()
  }

  @Test func neighborsFarDownTheListAreFoundInTheBackground() async throws {
    let bench = try await LibraryBench(count: 140)
    await bench.grid.open()
    // Its page isn't in memory: finding it takes the index.
    bench.viewer.open(bench.assets[135], in: bench.grid)
    #expect(!bench.viewer.hasOlder && bench.grid.selection.isEmpty, "nothing was read on this thread")
    await ModelBench.until { bench.viewer.hasOlder && bench.viewer.hasNewer }
    #expect(bench.grid.selection == [135])
    bench.viewer.move(by: 1)
    #expect(bench.viewer.asset?.id == bench.assets[136].id && bench.grid.selection == [136])
    // Back across the edge between two pages.
    bench.viewer.open(bench.assets[130], in: bench.grid)
    for index in (126..<130).reversed() {
      await ModelBench.until { bench.viewer.hasNewer }
      bench.viewer.move(by: -1)
      #expect(bench.viewer.asset?.id == bench.assets[index].id)
    }
    try await bench.end()
  }

  @Test func aDragOfPicturesThatAreNotInMemoryWaitsForThem() async throws {
    let bench = try await LibraryBench(count: 140)
    await bench.grid.open()
    bench.grid.toggleSelection(at: 0)
    bench.grid.toggleSelection(at: 139)
    #expect(bench.grid.draggedAssets == nil)
    bench.grid.prepareDrag(at: 0)
    await ModelBench.until { bench.grid.draggedAssets != nil }
    #expect(bench.grid.draggedAssets?.map(\.id) == [bench.assets[0].id, bench.assets[139].id])
    // A single picture in sight needs nothing.
    bench.grid.stopSelecting()
    bench.grid.moveCursor(to: 1)
    #expect(bench.grid.draggedAssets?.map(\.id) == [bench.assets[1].id])
    try await bench.end()
  }

  @Test func aPictureThatGoesGivesWayToItsNeighbor() async throws {
    let bench = try await LibraryBench(count: 3)
    await bench.grid.open()
    bench.viewer.open(try #require(bench.grid.list.assetIfRead(at: 1)), in: bench.grid)
    await bench.pictures.trash()
    await ModelBench.until { bench.viewer.asset?.id == bench.assets[2].id }
    try FileManager.default.removeItem(at: bench.assets[2].url)
    await ModelBench.until { bench.viewer.asset?.id == bench.assets[0].id }
    try FileManager.default.removeItem(at: bench.assets[0].url)
    await ModelBench.until { bench.viewer.asset == nil }
    try await bench.end()
  }

  @Test func marksAndFactsFollow() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.grid.open()
    bench.viewer.open(bench.assets[0], in: bench.grid)
    bench.viewer.isInfoShown = true
    await bench.pictures.toggleFavorite()
    await ModelBench.until { bench.viewer.asset?.isFavorite == true }
    await bench.pictures.createAlbum(title: "Sea")
    await ModelBench.until { bench.viewer.info.contains { $0.title == "Albums" && $0.value == "Sea" } }
    let facts = Dictionary(uniqueKeysWithValues: bench.viewer.info.map { ($0.title, $0.value) })
    #expect(facts["File"] == bench.assets[0].url.lastPathComponent)
    #expect(facts["Dimensions"]?.hasPrefix("64 × 48") == true)
    #expect(facts["Kind"] == "Photo, favorite")
    #expect(facts["Duration"] == nil)
    let adjustable = bench.viewer.info.filter { $0.adjustment != nil }
    #expect(adjustable.map(\.title) == ["Date", "Location"] && adjustable.map(\.adjustment) == [.date, .place])
    #expect(facts["Location"] == "", "it can be added")
    try await bench.end()
  }

  @Test func thePicturesBesideItAreThereAtOnce() async throws {
    let bench = try await LibraryBench(count: 4)
    await bench.grid.open()
    bench.viewer.open(bench.assets[0], in: bench.grid)
    await bench.viewer.picturesAreMade()
    let shown = try #require(bench.viewer.image)
    bench.viewer.move(by: 1)
    #expect(bench.viewer.image?.size == shown.size, "it did not have to wait")
    await bench.viewer.picturesAreMade()
    // Hidden pictures aren't loaded in advance.
    try await bench.library.performChanges { [id = bench.assets[2].id] in
      $0.change(AssetChangeRequest(for: id, isHidden: true))
    }
    await ModelBench.until { bench.grid.list.count == 3 }
    await bench.grid.select(collection: AssetCollection(.hidden).id)
    bench.viewer.close()
    #expect(bench.viewer.image == nil)
    // Closing the viewer frees their memory.
    bench.viewer.open(bench.assets[0], in: bench.grid)
    #expect(bench.viewer.image == nil)
    try await bench.end()
  }

  @Test func aNeighborThatCanNotBeLookedUpIsSaid() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.grid.open()
    bench.viewer.open(bench.assets[0], in: bench.grid)
    await bench.viewer.picturesAreMade()
    try bench.setReadable(false)
    try bench.notice(of: bench.assets[0].id)
    await ModelBench.until { !bench.messages.messages.isEmpty }
    #expect(bench.messages.takeNext()?.text.contains("index") == true)
    try bench.setReadable(true)
    try await bench.end()
  }

  // MARK: Movies

  private var movie: Asset { SampleAssets.asset(isLive: false) }

  @Test func aLivePhotoThatLoopsPlaysByItself() async throws {
    let bench = try await LibraryBench(count: 0)
    let library = bench.library
    try await library.prepareForCapture()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: SampleMedia.jpeg,
        metadata: PhotoMetadata(date: .now, utcOffset: 0, size: PixelSize(width: 64, height: 48)),
        pairedVideo: SampleMedia.movie(in: library.movieFolder).url, photoDisplayTime: 1))
    func edit(_ style: AdjustmentRecipe.PlaybackStyle) async throws {
      var recipe = AdjustmentRecipe()
      recipe.playbackStyle = style
      let output = ContentEditingOutput(
        photo: nil, pairedVideo: try SampleMedia.movie(in: library.movieFolder).url, photoDisplayTime: 1,
        adjustmentData: AdjustmentData(
          formatIdentifier: AdjustmentRecipe.formatIdentifier, formatVersion: AdjustmentRecipe.formatVersion,
          data: try recipe.data()))
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output)) }
    }
    bench.viewer.open(asset, in: bench.grid)
    #expect(bench.viewer.player.playbackStyle == .live && bench.viewer.player.playback == nil)
    // An edit is seen at once; it goes round until something else is shown.
    try await edit(.loop)
    await ModelBench.until { bench.viewer.player.isLooping && bench.viewer.player.playback != nil }
    let player = try #require(bench.players.players.last)
    var passes = player.began.makeAsyncIterator()
    for _ in 0..<3 {
      _ = await passes.next()
      player.stop()
    }
    bench.viewer.player.stopLivePhoto()
    #expect(bench.viewer.player.playback != nil, "it does not play because something is held")
    try await edit(.bounce)
    await ModelBench.until { bench.viewer.player.playbackStyle == .bounce && bench.viewer.player.playback != nil }
    try await library.performChanges { $0.change(.revert(asset.id)) }
    await ModelBench.until { bench.viewer.asset?.isEdited == false && bench.viewer.player.playback == nil }
    #expect(bench.viewer.player.playbackStyle == .live)
    // Where the desktop stands still, a loop waits for the person.
    bench.viewer.player.startsLoops = false
    let count = bench.players.players.count
    try await edit(.loop)
    await ModelBench.until { bench.viewer.player.isLooping }
    #expect(bench.viewer.player.playback == nil && bench.players.players.count == count)
    bench.viewer.player.playOrPause()
    await ModelBench.until { bench.viewer.player.playback != nil }
    bench.viewer.close()
    try await bench.end()
  }

  @Test func aMovieIsHeldPlayedAndSought() async throws {
    let bench = try await LibraryBench(count: 0)
    bench.viewer.open(movie, in: bench.grid)
    let player = try #require(bench.players.players.first)
    #expect(player.orders == .init(isPaused: true), "it opens with its first picture")
    bench.viewer.player.togglePlaying()
    #expect(!bench.viewer.player.isPaused && !player.orders.isPaused)
    player.say(position: 12.5)
    await ModelBench.until { bench.viewer.player.position == 12.5 }
    bench.viewer.player.seek(to: 1000)
    #expect(player.orders.seeks == [65], "no further than its end")
    bench.viewer.player.stopLivePhoto()
    #expect(bench.viewer.player.playback != nil, "only live photos play while something is held")
    // At its end it stands still there, and plays again from its start.
    player.stop()
    await ModelBench.until { bench.viewer.player.playback == nil }
    #expect(bench.viewer.player.isPaused && bench.viewer.player.position == 65)
    bench.viewer.player.togglePlaying()
    #expect(bench.players.players.count == 2 && bench.viewer.player.position == 0)
    bench.viewer.close()
    #expect(bench.viewer.player.playback == nil)
    try await bench.end()
  }

  @Test func aMovieThatPlaysWithoutItsSoundSaysSoOnce() async throws {
    let bench = try await LibraryBench(count: 0)
    bench.viewer.open(movie, in: bench.grid)
    let player = try #require(bench.players.players.first)
    player.say(silence: "It plays without sound.")
    for position in [1.0, 2.0] {
      player.say(position: position)
      await ModelBench.until { bench.viewer.player.position == position }
    }
    #expect(bench.nextMessage() == "It plays without sound." && bench.nextMessage() == nil)
    bench.viewer.close()
    try await bench.end()
  }

  @Test(arguments: [
    ("/", "/nonexistent"), ("/nonexistent", "~"), ("/nonexist", "/nonexistent"), ("/elsewhere", "/nonexistent"),
  ])
  func foldersAtHomeAreShort(home: String, text: String) {
    let lines = PictureInfo.lines(of: movie, albums: [], home: URL(fileURLWithPath: home, isDirectory: true))
    #expect(lines.first { $0.title == "Folder" }?.value == text)
  }

  @Test(arguments: [(0.0, "0:00"), (7.9, "0:07"), (125, "2:05"), (3600, "1:00:00"), (-3, "0:00"), (.nan, "")])
  func clocks(seconds: Double, text: String) { #expect(PictureInfo.clock(seconds) == text) }

  // MARK: Zoom

  private let picture = PixelSize(width: 4000, height: 3000)
  private let view = PixelSize(width: 1000, height: 600)

  @Test func zoomingKeepsThePointUnderThePointer() {
    var zoom = ViewerZoom()
    // The picture is 800 wide in the view, from 100 to 900.
    let point = (x: 300.0, y: 150.0)
    func place(_ zoom: ViewerZoom) -> (x: Double, y: Double) {
      (zoom.centerX + (point.x - 500) / (800 * zoom.scale), zoom.centerY + (point.y - 300) / (600 * zoom.scale))
    }
    zoom.zoom(by: 2, at: nil, picture: picture, view: view)
    let before = place(zoom)
    zoom.zoom(by: 1.5, at: point, picture: picture, view: view)
    #expect(zoom.scale == 3)
    #expect(abs(place(zoom).x - before.x) < 1e-9 && abs(place(zoom).y - before.y) < 1e-9)
  }

  @Test func zoomHasEnds() {
    var zoom = ViewerZoom()
    zoom.zoom(by: 1e9, at: nil, picture: picture, view: view)
    #expect(zoom.scale == 10, "two device pixels for one of the picture")
    zoom.pan(x: 1e9, y: -1e9, picture: picture, view: view)
    #expect(abs(zoom.centerX - 0.5 / 8) < 1e-9 && abs(zoom.centerY - 0.95) < 1e-9, "no black from the sides")
    zoom.zoom(by: 1e-9, at: (0, 0), picture: picture, view: view)
    #expect(zoom == ViewerZoom())
    for _ in 0..<5 { zoom.zoom(by: ViewerZoom.step, at: nil, picture: picture, view: view) }
    for _ in 0..<5 { zoom.zoom(by: 1 / ViewerZoom.step, at: nil, picture: picture, view: view) }
    #expect(zoom.isFit)
    zoom.zoom(by: .nan, at: nil, picture: picture, view: view)
    zoom.zoom(by: 2, at: nil, picture: PixelSize(width: 0, height: 0), view: view)
    #expect(zoom.isFit)
  }

  @Test func aDoubleClickShowsPixelsAndBack() {
    var zoom = ViewerZoom()
    zoom.toggle(at: nil, picture: picture, view: view)
    #expect(zoom.scale == 5)
    zoom.toggle(at: nil, picture: picture, view: view)
    #expect(zoom.isFit)
  }
}
