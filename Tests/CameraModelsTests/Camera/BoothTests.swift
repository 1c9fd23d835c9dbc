// The photo booth: its four photos, its sheet, and everything that ends it.

import CameraCore
import EngineInterface
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct BoothTests {
  private let clock = ManualClock()

  private func makeBench(
    cameras: [CameraDevice] = [ScriptedCamera.webcam, ScriptedCamera.test],
    _ change: (inout AppSettings) -> Void = { _ in }
  ) async throws -> ModelBench {
    var settings = AppSettings()
    settings.capture.booth = .grid
    change(&settings)
    let bench = try await ModelBench(settings: settings, clock: clock)
    bench.camera.with { $0.devices = DeviceList(cameras: cameras) }
    await bench.model.start()
    return bench
  }

  /// Takes the four photos, up to their frames.
  private func takeAll(_ bench: ModelBench) async {
    bench.model.pressShutter()
    for number in 1...BoothModel.count {
      await bench.until { bench.model.booth.position == number }
      await countDown(bench)
      while bench.captures.count < number { await Task.yield() }
    }
    await bench.until { !bench.model.booth.isRunning }
  }

  /// Lets a countdown of three seconds end.
  private func countDown(_ bench: ModelBench) async {
    for remaining in [3, 2, 1] {
      await bench.until { bench.model.countdown.remaining == remaining }
      await clock.wait(forSleepers: 1)
      clock.advance(by: .seconds(1))
    }
  }

  @Test func fourPhotosAreOneSheetThatStandsForThem() async throws {
    let bench = try await makeBench()
    let (model, booth) = (bench.model, bench.model.booth)
    #expect(model.burst.pressBegan() == nil && !model.burst.pressEnded(nil), "a held shutter is no burst")
    model.pressShutter()
    for number in 1...4 {
      await bench.until { booth.position == number }
      #expect(model.seriesText == "Photo \(number) of 4")
      await countDown(bench)
      while bench.captures.count < number { await Task.yield() }
      #expect(bench.captures.count == number)
    }
    await bench.until { !booth.isRunning }
    #expect(model.shutter == .photo && model.seriesText == nil)
    let ids = Set(bench.captures.map(\.settings.group?.id))
    #expect(ids.count == 1 && !ids.contains(nil))
    bench.captures.forEach(bench.expose)
    await model.waitForShots()
    #expect(model.exposureCount == 4, "each is seen and heard")
    await model.makingSheet?.value
    let assets = try await bench.library.burst(try #require(ids.first ?? nil))
    #expect(assets.count == 5)
    let sheet = try #require(assets.last)
    #expect(assets.filter(\.isKeyPhoto).map(\.id) == [sheet.id])
    #expect(assets.filter(\.isSheet).map(\.id) == [sheet.id])
    let frame = assets[0].size
    #expect(sheet.size.width > 2 * frame.width && sheet.size.height > 2 * frame.height)
    #expect(bench.messages.takeNext() == nil)
    try await bench.end()
  }

  @Test func itsPhotosHaveTheFormatAndTheQualityOfSinglePhotos() async throws {
    let bench = try await makeBench {
      $0.photoFormat = .heic
      $0.photoQuality = .quality
    }
    await takeAll(bench)
    #expect(bench.captures.map(\.settings.format) == [.heic, .heic, .heic, .heic])
    #expect(bench.captures.allSatisfy { $0.settings.quality == .quality && !$0.settings.isOfBurst })
    bench.captures.forEach(bench.expose)
    await bench.model.makingSheet?.value
    #expect(try await bench.library.fetchAssets().count == 5 && bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func itsPhotosHaveTheirRawFrames() async throws {
    let format = CameraFormat(
      encoding: .bayer("rggb"), size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)])
    let camera = CameraDevice(id: "cam-1", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: [format])
    let bench = try await makeBench(cameras: [camera]) { $0.savesRaw = true }
    #expect(bench.model.session?.savesRaw == true)
    bench.rawFrame = SampleMedia.rawFrame()
    await takeAll(bench)
    bench.captures.forEach(bench.expose)
    await bench.model.makingSheet?.value
    let assets = try await bench.library.fetchAssets()
    var count = 0
    for asset in assets where await bench.library.rawFile(of: asset) != nil { count += 1 }
    #expect(assets.count == 5 && count == 4 && bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func eachPhotoIsLitSeenAndHeardWithTheFlash() async throws {
    let bench = try await makeBench { $0.capture.flash = .on }
    let (model, flash) = (bench.model, bench.model.flash)
    bench.camera.with { $0.levels = [0.5] }
    model.pressShutter()
    for number in 1...BoothModel.count {
      await bench.until { model.booth.position == number }
      await countDown(bench)
      while bench.captures.count < number {
        await clock.wait(forSleepers: 1)
        clock.advance(by: FlashModel.step)
        while bench.captures.count < number, clock.sleeperCount == 0 { await Task.yield() }
      }
      #expect(flash.isLit && flash.litCount == number)
      bench.captures.suffix(1).forEach(bench.expose)
      await bench.until { !flash.isLit }
      #expect(model.exposureCount == number)
    }
    await model.makingSheet?.value
    try await bench.end()
  }

  @Test(arguments: [0, 1, 2]) func escapeKeepsWhatWasTakenAndMakesNoSheet(count: Int) async throws {
    let bench = try await makeBench { $0.capture.booth = .strip }
    let model = bench.model
    model.pressShutter()
    for number in 1...(count + 1) {
      await bench.until { model.booth.position == number && model.countdown.remaining == 3 }
      if number <= count { await countDown(bench) }
    }
    #expect(model.shutter == .countdown(3))
    #expect(model.escapeShutter())
    await bench.until { !model.booth.isRunning }
    #expect(!model.countdown.isRunning && model.shutter == .photo)
    bench.captures.forEach(bench.expose)
    await model.waitForShots()
    await model.makingSheet?.value
    #expect(try await bench.library.fetchAssets().count == count)
    let text = bench.messages.takeNext()?.text
    let saved = [nil, "The photo was saved.", "The photos were saved."][count]
    #expect(text == saved.map { "The photo booth stopped after \(count) of 4 photos. \($0)" })
    // And again from the first.
    model.pressShutter()
    await bench.until { model.booth.position == 1 }
    model.pressPhoto()
    await bench.until { !model.booth.isRunning }
    try await bench.end()
  }

  @Test func aScreenThatIsLockedWhileTheFlashIsLitEndsIt() async throws {
    let bench = try await makeBench { $0.capture.flash = .on }
    bench.camera.with { $0.levels = [0.5] }
    bench.model.pressShutter()
    await bench.until { bench.model.booth.position == 1 }
    await countDown(bench)
    await bench.until { bench.model.flash.isLit }
    await clock.wait(forSleepers: 1)
    await bench.model.setSessionLocked(true)
    await bench.until { !bench.model.booth.isRunning }
    await bench.model.makingSheet?.value
    #expect(bench.captures.isEmpty && !bench.model.flash.isLit)
    #expect(bench.messages.takeNext() == nil, "nobody asked for another photo, so none is refused")
    try await bench.end()
  }

  @Test func aLostCameraEndsIt() async throws {
    let bench = try await makeBench()
    bench.model.pressShutter()
    await bench.until { bench.model.countdown.isRunning }
    bench.camera.plug(DeviceList(cameras: []))
    await bench.until { bench.model.session == nil && !bench.model.booth.isRunning }
    #expect(!bench.model.countdown.isRunning)
    bench.model.pressShutter()
    #expect(!bench.model.booth.isRunning && bench.messages.takeNext() != nil, "the press says why")
    try await bench.end()
  }

  @Test func aPhotoThatIsNotSavedLeavesNoSheet() async throws {
    let bench = try await makeBench()
    bench.model.pressShutter()
    for number in 1...4 {
      await bench.until { bench.model.booth.position == number }
      await countDown(bench)
      while bench.captures.count < number { await Task.yield() }
    }
    bench.captures.dropLast().forEach(bench.expose)
    bench.captures.suffix(1).forEach { $0.sink.finish(throwing: CameraError.notRunning) }
    await bench.model.makingSheet?.value
    await bench.model.waitForShots()
    #expect(try await bench.library.fetchAssets().count == 3)
    let texts = bench.messages.messages.map(\.text)
    #expect(texts.contains { $0.contains("The sheet of photos couldn’t be made") }, "\(texts)")
    try await bench.end()
  }

  @Test func itIsChosenInsteadOfASeries() async throws {
    let bench = try await makeBench()
    bench.model.setInterval(.minute)
    #expect(bench.model.boothChoice == .off && bench.model.interval == .minute)
    bench.model.setBooth(.strip)
    #expect(bench.model.boothChoice == .strip && bench.model.interval == .none)
    #expect(bench.model.optionsInUse == ["Photo Booth"])
    #expect(bench.messages.messages.map(\.text) == ["Photo booth: Strip. Interval shooting is off."])
    let stored = try JSONDecoder().decode(
      CaptureOptions.self, from: JSONEncoder().encode(bench.model.settings.values.capture))
    #expect(stored.booth == .strip)
    let unknown = try JSONDecoder().decode(CaptureOptions.self, from: Data(#"{"booth":"circle","delay":3}"#.utf8))
    #expect(unknown.booth == .off && unknown.delay == .three)
    try await bench.end()
  }
}
