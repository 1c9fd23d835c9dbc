// The camera model over a scripted camera: every status, every way out, shots of every kind.

import CameraCore
import CameraModels
import EngineInterface
import Foundation
import PhotoLibrary
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CameraModelTests {
  // MARK: Opening

  @Test func opensTheCameraOfTheLastTime() async throws {
    var settings = AppSettings()
    settings.cameraID = "cam-1"
    settings.cameras["cam-1"] = .init(size: PixelSize(width: 640, height: 480))
    let bench = try await ModelBench(settings: settings)
    await bench.model.start()
    #expect(bench.model.session?.camera == ScriptedCamera.webcam)
    #expect(bench.camera.with { $0.started.last?.size } == PixelSize(width: 640, height: 480))
    try await bench.end()
  }

  @Test func settingsUnderAnIDThatACameraHadBeforeAreItsOwn() async throws {
    var settings = AppSettings()
    settings.cameraID = "old-id"
    settings.cameras["old-id"] = .init(size: PixelSize(width: 640, height: 480))
    let bench = try await ModelBench(settings: settings)
    var renamed = ScriptedCamera.webcam
    renamed.aliases = ["old-id"]
    bench.camera.with { $0.devices = DeviceList(cameras: [renamed, ScriptedCamera.test]) }
    await bench.model.start()
    await bench.until { !bench.model.devices.cameras.isEmpty }
    #expect(bench.model.otherCameras.isEmpty, "the selected one is no other")
    await bench.model.selectCamera("cam-1")
    #expect(bench.camera.with { $0.started.last?.size } == PixelSize(width: 640, height: 480))
    bench.settings.update { $0.cameras["cam-1"] = .init(size: PixelSize(width: 320, height: 240)) }
    let own = bench.settings.values.camera("old-id", among: bench.model.devices)
    #expect(own.size == PixelSize(width: 640, height: 480), "that very name goes first")
    #expect(bench.settings.values.camera("cam-1", among: bench.model.devices).size?.width == 320)
    #expect(bench.settings.values.camera("unknown", among: bench.model.devices) == AppSettings.PerCamera())
    try await bench.end()
  }

  @Test func aForgottenCameraGivesWayToAnyOther() async throws {
    var settings = AppSettings()
    settings.cameraID = "gone"
    let bench = try await ModelBench(settings: settings)
    await bench.model.start()
    #expect(bench.model.session?.camera == ScriptedCamera.webcam)
    #expect(bench.settings.values.cameraID == "gone", "it is remembered for when it comes back")
    try await bench.end()
  }

  @Test func theTestCameraIsNotRememberedWhicheverWayItIsChosen() async throws {
    var settings = AppSettings()
    // As an earlier version wrote it.
    settings.cameraID = CameraDevice.testID
    let bench = try await ModelBench(settings: settings)
    await bench.model.start()
    #expect(bench.model.session?.camera == ScriptedCamera.webcam, "the start looks for a real camera")
    await bench.model.selectCamera("cam-1")
    await bench.model.selectCamera(CameraDevice.testID)
    #expect(bench.model.session?.camera == ScriptedCamera.test)
    #expect(bench.settings.values.cameraID == "cam-1")
    try await bench.end()
  }

  @Test func aCameraThatIsNamedAndUnknownIsAnError() async throws {
    let bench = try await ModelBench()
    await bench.model.start(CameraConfiguration(cameraID: "nonsense"))
    #expect(
      bench.model.status == .failed(.unknownCamera(id: "nonsense", known: ["cam-1", CameraDevice.testID])))
    await bench.model.useTestCamera()
    #expect(bench.model.session?.camera == ScriptedCamera.test)
    try await bench.end()
  }

  @Test(
    "A camera that ended the program is not opened without asking, and then it opens",
    arguments: [
      (UnfinishedOpening(cameraID: "cam-1", cameraName: "Webcam"), "Webcam"),
      (UnfinishedOpening(cameraID: "cam-1"), "cam-1"), (UnfinishedOpening(), nil),
    ])
  func suspect(unfinished: UnfinishedOpening, name: String?) async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.unfinished = unfinished }
    await bench.model.start()
    #expect(bench.model.status == .failed(.endedLastRun(camera: name)))
    #expect(bench.camera.with { $0.started.isEmpty })
    #expect(bench.camera.takeUnfinishedOpening() == nil, "another start tries it")
    await bench.model.tryAgain()
    #expect(bench.model.session?.camera == ScriptedCamera.webcam)
    try await bench.end()
  }

  @Test(arguments: [
    (CameraError.noCamera, CameraStatus.noCamera),
    (.permissionDenied(camera: "Webcam"), .permissionDenied(.permissionDenied(camera: "Webcam"))),
    (.accessDenied, .permissionDenied(.accessDenied)),
    (.inUse(camera: "Webcam"), .interrupted(.inUse(camera: "Webcam"))),
    (.noFrames(camera: "Webcam", seconds: 5), .failed(.noFrames(camera: "Webcam", seconds: 5))),
  ])
  func everyFailureHasItsStateAndItsWayOut(error: CameraError, status: CameraStatus) async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.failure = error }
    await bench.model.start()
    #expect(bench.model.status == status)
    await #expect(throws: error) { try await bench.model.open(CameraConfiguration()) }
    bench.camera.with { $0.failure = nil }
    await bench.model.tryAgain()
    #expect(bench.model.session != nil)
    try await bench.end()
  }

  @Test func aCameraThatIsPluggedInIsOpened() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.devices = DeviceList(cameras: [ScriptedCamera.test]) }
    await bench.model.start()
    #expect(bench.model.status == .noCamera)
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam, ScriptedCamera.test]))
    await bench.until { bench.model.session?.camera == ScriptedCamera.webcam }
    #expect(bench.model.selectedCameraID == "cam-1")
    try await bench.end()
  }

  @Test func anUnpluggedCameraComesBackByItself() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.status == .interrupted(.unplugged) }
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam]))
    await bench.until { bench.model.session?.camera == ScriptedCamera.webcam }
    try await bench.end()
  }

  @Test("A camera that ran steadily and broke starts again without a failure in between")
  func openedAgain() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.until { bench.model.session != nil }
    bench.camera.with { $0.holdsOpenings = true }
    bench.camera.lose(.noFrames(camera: "Webcam", seconds: 5), after: .seconds(10))
    await bench.until { bench.model.status == .starting }
    #expect(bench.messages.messages.isEmpty)
    bench.camera.openNow()
    await bench.until { bench.model.session?.camera == ScriptedCamera.webcam }
    bench.camera.lose(.noFrames(camera: "Webcam", seconds: 5), after: .seconds(1))
    await bench.until { bench.model.status == .failed(.noFrames(camera: "Webcam", seconds: 5)) }
    try await bench.end()
  }

  @Test func ofTwoCamerasTheOtherOneIsSwitchedTo() async throws {
    let bench = try await ModelBench()
    let second = CameraDevice(
      id: "cam-2", name: "Desk", kind: .v4l2(path: "/dev/video8"), formats: [ScriptedCamera.format])
    await bench.model.start()
    await bench.until { !bench.model.devices.cameras.isEmpty }
    await bench.model.switchCamera()
    #expect(bench.model.session?.camera == ScriptedCamera.webcam, "there is no other")
    #expect(bench.model.cameraSwitch == .none)
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam, second, ScriptedCamera.test]))
    await bench.until { bench.model.otherCameras == [second] }
    #expect(bench.model.cameraSwitch == .toggle(second))
    await bench.model.switchCamera()
    #expect(bench.model.session?.camera == second)
    #expect(bench.settings.values.cameraID == "cam-2", "it is remembered")
    #expect(bench.model.otherCameras == [ScriptedCamera.webcam])
    await bench.model.switchCamera()
    #expect(bench.model.session?.camera == ScriptedCamera.webcam)
    // From the test camera there are two ways.
    await bench.model.useTestCamera()
    #expect(bench.model.otherCameras.count == 2 && bench.model.cameraSwitch == .menu)
    await bench.model.switchCamera()
    #expect(bench.model.session?.camera == ScriptedCamera.test)
    try await bench.end()
  }

  @Test("A camera that is lost while it is being opened never ends as running")
  func lostWhileOpening() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.holdsOpenings = true }
    let start = Task { await bench.model.start() }
    while bench.camera.with({ $0.held == nil }) { await Task.yield() }
    bench.camera.with { $0.failure = .unplugged(camera: "Webcam") }
    bench.camera.openNow()
    await start.value
    #expect(bench.model.status == .interrupted(.unplugged))
    try await bench.end()
  }

  @Test("Hidden while it opens, the camera doesn't run")
  func hiddenWhileOpening() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.holdsOpenings = true }
    let start = Task { await bench.model.start() }
    while bench.camera.with({ $0.held == nil }) { await Task.yield() }
    await bench.model.setViewfinderVisible(false)
    bench.camera.openNow()
    await start.value
    #expect(bench.model.status == .interrupted(.suspended))
    await bench.model.setViewfinderVisible(true)
    #expect(bench.model.session != nil)
    try await bench.end()
  }

  @Test("A camera that is plugged in behind another page opens when the viewfinder is back")
  func pluggedInBehindAnotherPage() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.devices = DeviceList(cameras: [ScriptedCamera.test]) }
    await bench.model.start()
    await bench.model.setViewfinderVisible(false)
    let openings = bench.camera.with { $0.started.count }
    bench.camera.plug(DeviceList(cameras: [ScriptedCamera.webcam, ScriptedCamera.test]))
    await bench.until { bench.model.status == .interrupted(.suspended) }
    #expect(bench.camera.with { $0.started.count } == openings)
    await bench.model.setViewfinderVisible(true)
    #expect(bench.model.session?.camera == ScriptedCamera.webcam)
    try await bench.end()
  }

  @Test func aHiddenViewfinderClosesTheCameraAndAShownOneOpensIt() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.model.setViewfinderVisible(false)
    #expect(bench.model.status == .interrupted(.suspended))
    #expect(bench.camera.with { $0.closeCount } == 1)
    await bench.model.setViewfinderVisible(true)
    #expect(bench.model.session != nil)
    await bench.model.setSessionLocked(true)
    await bench.model.setAsleep(true)
    await bench.model.setSessionLocked(false)
    #expect(bench.model.session == nil, "the machine still sleeps")
    await bench.model.setAsleep(false)
    #expect(bench.model.session != nil)
    try await bench.end()
  }

  // MARK: Shots

  @Test func withoutACameraTheShutterSaysSo() async throws {
    let bench = try await ModelBench()
    bench.camera.with { $0.failure = .noCamera }
    await bench.model.start()
    #expect(bench.model.takePhoto() == nil)
    #expect(bench.messages.takeNext()?.text == CameraError.notRunning.description)
    try await bench.end()
  }

  @Test func aPressAfterAnUnplugNamesTheCamera() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    let name = try #require(bench.model.session).camera.name
    #expect(bench.model.shotRefusal == nil)
    bench.camera.lose(.unplugged(camera: name))
    await bench.until { bench.model.status == .interrupted(.unplugged) }
    #expect(bench.model.takePhoto() == nil)
    #expect(bench.messages.takeNext()?.text == CameraError.unpluggedBeforeShot(camera: name).description)
    try await bench.end()
  }

  @Test func aPhotoIsOneThingFromThumbnailToFile() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.strip.start()
    let shot = try #require(bench.model.takePhoto(pressed: MonotonicTime(nanoseconds: 42)))
    #expect(bench.model.activity == .photo(inFlight: 1, live: 0))
    #expect(bench.captures[0].settings.pressed == MonotonicTime(nanoseconds: 42))
    bench.expose(bench.captures[0])
    let saved = try await shot.saved
    await bench.until { bench.strip.items.first?.asset != nil }
    #expect(bench.strip.items.map(\.id) == [shot.assetID])
    #expect(saved.assetID == shot.assetID)
    #expect(FileManager.default.fileExists(atPath: saved.url.path))
    await bench.until { bench.model.activity == .idle }
    #expect(bench.model.exposureCount == 1)
    try await bench.end()
  }

  @Test func aLivePhotoRollsUntilItsMovieIsRecorded() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.model.live.setOn(true)
    let shot = try #require(bench.model.takePhoto())
    let capture = bench.captures[0]
    #expect(capture.settings.isLive)
    bench.expose(capture)
    await bench.until { bench.model.live.rollingCount == 1 }
    capture.sink.yield(.movieRecorded)
    await bench.until { bench.model.live.rollingCount == 0 }
    capture.sink.yield(.movie(try SampleMedia.movie(in: bench.library.movieFolder)))
    capture.sink.finish()
    let saved = try await shot.saved
    #expect(saved.isLive)
    #expect(saved.movieDuration == 3)
    #expect(saved.url.lastPathComponent.hasSuffix(".MP.jpg"))
    try await bench.end()
  }

  @Test func overlappingLivePhotosAreCounted() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    await bench.model.live.setOn(true)
    let shots = [bench.model.takePhoto(), bench.model.takePhoto(), bench.model.takePhoto()]
    for capture in bench.captures { bench.expose(capture) }
    await bench.until { bench.model.live.rollingCount == 3 }
    bench.captures[1].sink.finish(throwing: CameraError.movieFailed(message: "no room"))
    await bench.until { bench.model.live.rollingCount == 2 }
    // Its still is saved all the same, and the missing part is reported.
    let saved = try await #require(shots[1]).saved
    #expect(!saved.isLive)
    #expect(saved.shortfall?.contains("no room") == true)
    for capture in [bench.captures[0], bench.captures[2]] {
      capture.sink.yield(.movieRecorded)
      capture.sink.yield(.movie(try SampleMedia.movie(in: bench.library.movieFolder)))
      capture.sink.finish()
    }
    for shot in shots { #expect(try await #require(shot).saved.url.isFileURL) }
    await bench.until { bench.model.activity == .idle }
    #expect(bench.model.live.rollingCount == 0)
    try await bench.end()
  }

  @Test func thirtyAtOnce() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    let shots = (0..<30).compactMap { _ in bench.model.takePhoto() }
    #expect(bench.model.activity == .photo(inFlight: 30, live: 0))
    for capture in bench.captures { bench.expose(capture) }
    var paths: Set<String> = []
    for shot in shots { paths.insert(try await shot.saved.url.path) }
    #expect(paths.count == 30)
    await bench.until { bench.model.activity == .idle }
    try await bench.end()
  }

  @Test func aPhotoThatCanNotBeSavedIsSaidAndLeavesTheStrip() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("photome-file-\(UUID().uuidString)")
    try Data("not a folder".utf8).write(to: file)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
    let bench = try await ModelBench(libraryFolder: file.appendingPathComponent("PhotoMe"))
    await bench.model.start()
    let shot = try #require(bench.model.takePhoto())
    bench.expose(bench.captures[0])
    await #expect(throws: PhotoLibraryError.self) { try await shot.saved }
    await bench.until { bench.model.activity == .idle }
    #expect(bench.strip.items.isEmpty)
    #expect(bench.messages.takeNext()?.text.contains("couldn’t be saved") == true)
    try await bench.end()
  }

  @Test func theMovieOfAShotThatCanNotBeSavedIsRemoved() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("photome-file-\(UUID().uuidString)")
    try Data("not a folder".utf8).write(to: file)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
    let bench = try await ModelBench(libraryFolder: file.appendingPathComponent("PhotoMe"))
    await bench.model.start()
    await bench.model.live.setOn(true)
    let shot = try #require(bench.model.takePhoto())
    bench.expose(bench.captures[0])
    let movie = try SampleMedia.movie(in: bench.folder.appendingPathComponent("movies"))
    bench.captures[0].sink.yield(.movieRecorded)
    bench.captures[0].sink.yield(.movie(movie))
    bench.captures[0].sink.finish()
    await #expect(throws: PhotoLibraryError.self) { try await shot.saved }
    #expect(!FileManager.default.fileExists(atPath: movie.url.path))
    await bench.until { bench.model.activity == .idle }
    try await bench.end()
  }

  @Test func aCameraThatBreaksBeforeThePictureFailsTheShot() async throws {
    let bench = try await ModelBench()
    await bench.model.start()
    let shot = try #require(bench.model.takePhoto())
    bench.captures[0].sink.finish()
    await #expect(throws: CameraError.self) { try await shot.saved }
    try await bench.end()
  }
}
