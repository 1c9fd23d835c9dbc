// Navigation: the page in front, the targets of actions, the camera behind other pages, and hovering.

import CameraCore
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct NavigationModelTests {
  /// A live photo, which is in no library.
  private var livePhoto: Asset { SampleAssets.asset(isLive: true) }

  // MARK: Pages

  @Test func thePageFollowsTheModels() async throws {
    let bench = try await LibraryBench(count: 2)
    let navigation = bench.navigation
    #expect(navigation.page == .camera && navigation.frontPage == .camera)
    await navigation.openLibrary()
    #expect(navigation.page == .library && bench.grid.isReady)
    await navigation.openPicture(bench.assets[1].id)
    #expect(navigation.page == .viewer && bench.viewer.asset?.id == bench.assets[1].id)
    await navigation.edit()
    #expect(navigation.frontPage == .editor && navigation.page == .viewer)
    bench.editor.cancel()
    #expect(navigation.frontPage == .viewer)
    bench.viewer.close()
    #expect(navigation.page == .library)
    bench.grid.close()
    #expect(navigation.page == .camera && !bench.grid.isReady)
    try await bench.end()
  }

  @Test func aPictureThatTheLibraryDoesNotShowIsReported() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.navigation.openPicture("no such id")
    #expect(bench.navigation.page == .library)
    #expect(bench.messages.takeNext()?.text.contains("no such id") == true)
    try await bench.end()
  }

  @Test func aPictureCanBeOpenedWhileTheLibraryOpens() async throws {
    let bench = try await LibraryBench(count: 2)
    async let opened: Void = bench.navigation.openLibrary()
    await bench.navigation.openPicture(bench.assets[1].id)
    await opened
    #expect(bench.viewer.asset?.id == bench.assets[1].id && bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func collectionsAndSearchesOpenTheLibrary() async throws {
    let bench = try await LibraryBench(count: 2)
    await bench.navigation.openLibrary(at: AssetCollection(.favorites).id)
    #expect(bench.navigation.page == .library && bench.grid.list.count == 0)
    bench.grid.close()
    await bench.navigation.openLibrary(at: AssetCollection(.all).id)
    bench.navigation.open(bench.assets[0])
    await bench.navigation.searchLibrary(for: "nothing has this name")
    #expect(bench.navigation.page == .library && bench.grid.list.count == 0)
    try await bench.end()
  }

  @Test func aSeriesGoesOnBehindAnotherPage() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.camera.start()
    bench.camera.setInterval(.hour)
    bench.camera.pressShutter()
    await bench.navigation.openLibrary()
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: NavigationModel.glance)
    await bench.clock.wait(forSleepers: 0)
    bench.navigation.setWindowHidden(true)
    for _ in 0..<9 { await Task {}.value }
    #expect(bench.navigation.isViewfinderVisible && bench.camera.session != nil)
    bench.camera.intervals.stop()
    await ModelBench.until { bench.camera.session == nil }
    #expect(!bench.navigation.isViewfinderVisible, "nobody looks anymore")
    bench.navigation.setWindowHidden(false)
    bench.grid.close()
    // The camera isn't shut down: that would wait for the series' first photo, which is never exposed.
    await ModelBench.until { bench.camera.session != nil }
    try await bench.end()
  }

  @Test func aStartWithFilesLeavesTheCameraOff() async throws {
    let bench = try await LibraryBench(count: 1)
    func start() async -> NavigationModel {
      await bench.camera.setViewfinderVisible(false)
      await bench.camera.start()
      return NavigationModel(
        camera: bench.camera, strip: bench.strip, library: bench.grid, viewer: bench.viewer, editor: bench.editor,
        messages: bench.messages, awaitsFiles: true, clock: bench.clock)
    }
    let shown = await start()
    #expect(!shown.isViewfinderVisible && bench.camera.session == nil)
    bench.viewer.open(bench.assets[0], in: bench.strip)
    shown.filesWereOpened()
    for _ in 0..<9 { await Task {}.value }
    #expect(!shown.isViewfinderVisible && bench.camera.session == nil, "not even for a glance")
    bench.viewer.close()
    await ModelBench.until { bench.camera.session != nil }
    #expect(shown.isViewfinderVisible)
    // Where they can't be opened, the camera's page is in front.
    let failed = await start()
    #expect(!failed.isViewfinderVisible && bench.camera.session == nil)
    failed.filesWereOpened()
    await ModelBench.until { bench.camera.session != nil }
    await bench.camera.shutDown()
    try await bench.end()
  }

  @Test func aPhotoThatAStartAsksForIsTakenFromTheCamerasPage() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.camera.start()
    await bench.navigation.openLibrary()
    bench.navigation.open(bench.assets[0])
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: NavigationModel.glance)
    await ModelBench.until { bench.camera.session == nil }
    var request = StartRequest()
    (request.takesPhoto, request.delay) = (true, .three)
    await bench.navigation.perform(request)
    #expect(bench.navigation.page == .camera && bench.camera.countdown.isRunning)
    #expect(bench.messages.messages.allSatisfy { $0.topic == .setting })
    await bench.camera.shutDown()
    try await bench.end()
  }

  // MARK: Targets

  @Test func actionsMeanWhatThePageShows() async throws {
    let bench = try await LibraryBench(count: 3)
    let navigation = bench.navigation
    await bench.strip.start()
    #expect(navigation.targetCount == 0 && navigation.canEdit, "the strip's newest picture can be edited")
    #expect(await navigation.targets().isEmpty)
    await navigation.edit()
    #expect(bench.editor.asset?.id == bench.assets[0].id)
    #expect(!navigation.canEdit, "one at a time")
    bench.editor.cancel()
    bench.strip.selectedID = bench.assets[2].id
    #expect(navigation.stripAsset?.id == bench.assets[2].id && navigation.targetCount == 1)
    #expect(await navigation.targets().map(\.id) == [bench.assets[2].id])
    bench.strip.toggleSelection(at: 0)
    #expect(navigation.targetCount == 2 && !navigation.canEdit)
    #expect(Set(await navigation.memberTargets().map(\.id)) == [bench.assets[0].id, bench.assets[2].id])
    #expect(!navigation.areTargetsHidden && !navigation.isInAlbum)

    await navigation.openLibrary()
    #expect(navigation.targetCount == 0 && !navigation.canEdit)
    bench.grid.toggleSelection(at: 0)
    #expect(navigation.canEdit)
    bench.grid.toggleSelection(at: 1)
    #expect(navigation.targetCount == 2 && !navigation.canEdit)
    #expect(await navigation.targets().map(\.id) == bench.assets[..<2].map(\.id))
    navigation.open(bench.assets[2])
    #expect(navigation.targetCount == 1)
    #expect(await navigation.targets().map(\.id) == [bench.assets[2].id])
    try await bench.end()
  }

  @Test func onlyFavoritesCanBeRemovedFromThem() async throws {
    let bench = try await LibraryBench(count: 3)
    let navigation = bench.navigation
    let first = bench.assets[0].id
    try await bench.library.performChanges { $0.change(AssetChangeRequest(for: first, isFavorite: true)) }
    await bench.strip.start()
    #expect(!navigation.areTargetsFavorites, "none is selected")
    bench.strip.selectedID = first
    #expect(navigation.areTargetsFavorites)
    bench.strip.toggleSelection(at: 1)
    #expect(!navigation.areTargetsFavorites, "one of two")

    await navigation.openLibrary()
    bench.grid.toggleSelection(at: 0)
    _ = await bench.grid.list.asset(at: 0)
    #expect(navigation.areTargetsFavorites)
    bench.grid.toggleSelection(at: 1)
    #expect(!navigation.areTargetsFavorites, "one of two")
    navigation.open(bench.assets[1])
    #expect(!navigation.areTargetsFavorites)
    try await bench.end()
  }

  @Test func theStripOpensItsNewestPicture() async throws {
    let bench = try await LibraryBench(count: 2)
    bench.navigation.openSelected()
    #expect(bench.navigation.page == .camera, "there is nothing in the strip yet")
    await bench.strip.start()
    bench.navigation.openSelected()
    #expect(bench.viewer.asset?.id == bench.assets[0].id && bench.strip.selectedID == bench.assets[0].id)
    try await bench.end()
  }

  // MARK: The camera behind other pages

  @Test func aGlanceKeepsTheCameraAndAVisitClosesIt() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.camera.start()
    let navigation = bench.navigation
    await navigation.openLibrary()
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: NavigationModel.glance - .milliseconds(1))
    bench.grid.close()
    await bench.clock.wait(forSleepers: 0)
    #expect(navigation.isViewfinderVisible && bench.camera.session != nil, "a glance")

    await navigation.openLibrary()
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: .milliseconds(2000))
    // Another page in front of the camera doesn't start the time again.
    navigation.open(bench.assets[0])
    #expect(navigation.isViewfinderVisible)
    bench.clock.advance(by: .milliseconds(1000))
    await ModelBench.until { !navigation.isViewfinderVisible }
    await ModelBench.until { bench.camera.status == .interrupted(.suspended) }
    bench.viewer.close()
    bench.grid.close()
    await ModelBench.until { navigation.isViewfinderVisible && bench.camera.session != nil }
    try await bench.end()
  }

  @Test func theEditorOverTheCameraCountsAsAnotherPage() async throws {
    let bench = try await LibraryBench(count: 1)
    await bench.strip.start()
    await bench.navigation.edit()
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: NavigationModel.glance)
    await ModelBench.until { !bench.navigation.isViewfinderVisible }
    bench.editor.cancel()
    await ModelBench.until { bench.navigation.isViewfinderVisible }
    try await bench.end()
  }

  @Test func aHiddenWindowNeedsNoCamera() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.camera.start()
    bench.navigation.setWindowHidden(true)
    #expect(!bench.navigation.isViewfinderVisible)
    await ModelBench.until { bench.camera.status == .interrupted(.suspended) }
    await bench.navigation.openLibrary()
    bench.navigation.setWindowHidden(false)
    await ModelBench.until { bench.camera.session != nil }
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: NavigationModel.glance)
    await ModelBench.until { !bench.navigation.isViewfinderVisible }
    // Coming back to the library doesn't open the camera.
    bench.navigation.setWindowHidden(true)
    bench.navigation.setWindowHidden(false)
    #expect(!bench.navigation.isViewfinderVisible)
    try await bench.end()
  }

  @Test func hidingAndShowingKeepTheirOrder() async throws {
    let bench = try await LibraryBench(count: 0)
    await bench.camera.start()
    for round in 0..<20 {
      for _ in 0..<8 {
        bench.navigation.setWindowHidden(true)
        bench.navigation.setWindowHidden(false)
      }
      let endsHidden = round.isMultiple(of: 2)
      bench.navigation.setWindowHidden(endsHidden)
      // Runs after the tasks that were created before it.
      await Task {}.value
      #expect((bench.camera.session == nil) == endsHidden, "round \(round)")
    }
    try await bench.end()
  }

  // MARK: Playback

  @Test func aLivePhotoStopsUnderTheEditor() async throws {
    let bench = try await LibraryBench(count: 1)
    bench.navigation.open(livePhoto)
    bench.viewer.player.play()
    #expect(bench.viewer.player.playback != nil)
    // The editor opens the library's picture, whatever plays.
    await bench.editor.open(bench.assets[0])
    await ModelBench.until { bench.viewer.player.playback == nil }
    bench.editor.cancel()
    try await bench.end()
  }

  @Test func aVideoPausesUnderTheEditor() async throws {
    let bench = try await LibraryBench(count: 1)
    bench.navigation.open(SampleAssets.asset(isLive: false))
    bench.viewer.player.togglePlaying()
    #expect(!bench.viewer.player.isPaused)
    await bench.editor.open(bench.assets[0])
    await ModelBench.until { bench.viewer.player.isPaused }
    #expect(bench.viewer.player.playback != nil, "a video keeps its position")
    bench.editor.cancel()
    try await bench.end()
  }

  @Test func hoveringPlaysALivePhotoOncePerVisit() async throws {
    let bench = try await LibraryBench(count: 0)
    let (hover, player) = (bench.navigation.hover, bench.viewer.player)
    bench.navigation.open(livePhoto)
    await bench.clock.wait(forSleepers: 1)
    func waitForTimer() async { await bench.clock.wait(forSleepers: 2) }

    // A picture that opened under the pointer.
    hover.entered(.picture, x: 100, y: 100)
    hover.moved(.picture, x: 104, y: 104)
    #expect(!hover.isPending)
    hover.moved(.picture, x: 108, y: 108)
    await waitForTimer()
    bench.clock.advance(by: HoverPlayback.delay)
    await ModelBench.until { player.playback != nil }
    player.stop()
    hover.moved(.picture, x: 200, y: 200)
    #expect(!hover.isPending && player.playback == nil, "once a visit")

    // Leaving ends it; on the badge any movement counts.
    hover.left(.picture)
    hover.entered(.badge, x: 5, y: 5)
    hover.moved(.badge, x: 5, y: 6)
    await waitForTimer()
    hover.left(.badge)
    #expect(!hover.isPending)
    await bench.clock.wait(forSleepers: 1)
    bench.clock.advance(by: HoverPlayback.delay)
    #expect(player.playback == nil)
    hover.entered(.badge, x: 5, y: 5)
    hover.moved(.badge, x: 5, y: 6)
    await waitForTimer()
    bench.clock.advance(by: HoverPlayback.delay)
    await ModelBench.until { player.playback != nil }
    hover.left(.badge)
    #expect(player.playback == nil)
    try await bench.end()
  }
}
