// The screen flash: where it lights, how long it waits, and that it goes out.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct FlashTests {
  private let clock = ManualClock()

  private func makeBench(_ mode: FlashMode, levels: [Double]) async throws -> ModelBench {
    var settings = AppSettings()
    settings.capture.flash = mode
    let bench = try await ModelBench(settings: settings, clock: clock)
    bench.camera.with { $0.levels = levels }
    await bench.model.start()
    return bench
  }

  /// Lets steps of the flash pass, and returns their number when the photo is taken.
  private func stepsToPhoto(_ bench: ModelBench) async -> Int {
    var steps = 0
    while bench.captures.isEmpty, steps < 50 {
      await clock.wait(forSleepers: 1)
      clock.advance(by: FlashModel.step)
      steps += 1
      // The measurement after the step ends in another sleep or in the photo.
      while bench.captures.isEmpty, clock.sleeperCount == 0 { await Task.yield() }
    }
    return steps
  }

  @Test func thePhotoWaitsUntilTheLevelsAgree() async throws {
    let bench = try await makeBench(.on, levels: [0.2, 0.5, 0.41, 0.405, 0.4, 0.4])
    bench.model.pressShutter(at: MonotonicTime(nanoseconds: 7))
    await bench.until { bench.model.flash.isLit }
    #expect(bench.captures.isEmpty)
    #expect(await stepsToPhoto(bench) == FlashModel.reaction + 5)
    #expect(bench.model.flash.isLit, "the light stays until the frame is chosen")
    #expect(bench.captures.first.map { $0.settings.pressed > MonotonicTime(nanoseconds: 7) } == true)
    bench.captures.forEach(bench.expose)
    await bench.until { !bench.model.flash.isLit }
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func aLightThatNeverSettlesIsWaitedForASecond() async throws {
    let bench = try await makeBench(.on, levels: (0..<60).map { $0.isMultiple(of: 2) ? 0.3 : 0.6 })
    bench.model.pressShutter()
    #expect(await stepsToPhoto(bench) == FlashModel.patience)
    #expect(FlashModel.step * FlashModel.patience < .milliseconds(1_100))
    // A shot that fails puts it out as well.
    bench.captures.first?.sink.finish(throwing: CameraError.notRunning)
    await bench.until { !bench.model.flash.isLit }
    try await bench.end()
  }

  @Test(arguments: [
    ([0.1], [true]), ([0.5], [false]), ([0.25], [false]),
    ([0.21, 0.25, 0.29, 0.31, 0.29], [true, true, true, false, false]),
    ([], [false]),
  ])
  func autoIsByBrightnessWithHysteresis(levels: [Double], needed: [Bool]) async throws {
    let bench = try await makeBench(.auto, levels: levels)
    for wanted in needed { #expect(await bench.model.flash.isNeeded(.auto) == wanted) }
    #expect(await bench.model.flash.isNeeded(.on))
    #expect(await !bench.model.flash.isNeeded(.off))
    try await bench.end()
  }

  @Test func inABrightRoomThePressItselfCounts() async throws {
    let bench = try await makeBench(.auto, levels: [0.6])
    bench.model.pressShutter(at: MonotonicTime(nanoseconds: 7))
    while bench.captures.isEmpty { await Task.yield() }
    #expect(bench.captures.map(\.settings.pressed) == [MonotonicTime(nanoseconds: 7)])
    #expect(!bench.model.flash.isLit)
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test(arguments: [FlashMode.on, .auto]) func pressesMeanwhileGetTheSameLight(mode: FlashMode) async throws {
    let bench = try await makeBench(mode, levels: [0.1, 0.5])
    let flash = bench.model.flash
    bench.model.pressShutter()
    await bench.until { flash.isLit }
    bench.model.pressShutter()
    await clock.wait(forSleepers: 2)
    while bench.captures.count < 2 {
      clock.advance(by: FlashModel.step)
      // Each of the two waits for the next frame, or is taken.
      while clock.sleeperCount + bench.captures.count < 2 { await Task.yield() }
    }
    #expect(flash.isLit)
    // The light has settled: nothing is waited for.
    bench.model.pressShutter()
    while bench.captures.count < 3 { await Task.yield() }
    #expect(clock.sleeperCount == 0)
    for (number, capture) in bench.captures.enumerated() {
      #expect(flash.isLit, "until the last of them has its frame")
      bench.expose(capture)
      await bench.until { bench.model.exposureCount == number + 1 }
    }
    await bench.until { !flash.isLit }
    #expect(flash.litCount == 1 && bench.messages.messages.isEmpty)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test func aHiddenViewfinderTakesTheLightFromAllThatWait() async throws {
    let bench = try await makeBench(.on, levels: [0.5])
    bench.model.pressShutter()
    await bench.until { bench.model.flash.isLit }
    bench.model.pressShutter()
    await clock.wait(forSleepers: 2)
    await bench.model.setSessionLocked(true)
    await bench.until { !bench.model.flash.isLit }
    #expect(bench.captures.isEmpty)
    try await bench.end()
  }

  @Test func theExposureOfFacesCounts() async throws {
    // Behind the person a screen flickers, and somebody passes by.
    let bench = try await makeBench(.on, levels: (0..<60).map { $0.isMultiple(of: 2) ? 0.3 : 0.6 })
    let face = FoundFace.frontal(x: 0.4, y: 0.3, width: 0.2, height: 0.3)
    let detector = FixedFaces([.frontal(x: 0.1, y: 0.3, width: 0.03, height: 0.05), face])
    bench.model.flash.detector = detector
    bench.camera.with {
      $0.faceLevels = [0.9, 0.7, 0.5, 0.5, 0.5]
      $0.picture = DecodedImage(size: PixelSize(width: 1, height: 1), stride: 4, block: FrameBlock(count: 4) { _ in })
    }
    bench.model.pressShutter()
    #expect(await stepsToPhoto(bench) == FlashModel.reaction + 5)
    #expect(detector.count == 1 && bench.camera.with { $0.measuredFaces } == [face])
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }

  @Test(arguments: [[], nil] as [[FoundFace]?]) func withoutFacesTheWholeFrameCounts(faces: [FoundFace]?) async throws {
    let bench = try await makeBench(.on, levels: [0.5])
    bench.model.flash.detector = FixedFaces(faces)
    bench.camera.with {
      $0.picture = DecodedImage(size: PixelSize(width: 1, height: 1), stride: 4, block: FrameBlock(count: 4) { _ in })
    }
    bench.model.pressShutter()
    #expect(await stepsToPhoto(bench) == FlashModel.reaction + 3)
    bench.captures.forEach(bench.expose)
    await bench.model.waitForShots()
    try await bench.end()
  }
}
