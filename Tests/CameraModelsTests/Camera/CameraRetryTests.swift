// The automatic retries of a camera that broke down: their times, and what ends them.

import CameraCore
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CameraRetryTests {
  private static let silent = CameraError.noFrames(camera: "Webcam", seconds: 5)
  /// Of the retries alone: whoever sleeps waits for the next attempt, or for a steady run.
  private let clock = ManualClock()

  /// A camera that sends nothing, and the model that tries it again.
  private func start() async throws -> (ModelBench, CameraRetryModel) {
    var settings = AppSettings()
    settings.cameraID = "cam-1"
    let bench = try await ModelBench(settings: settings)
    bench.camera.with { $0.failure = Self.silent }
    await bench.model.start()
    #expect(bench.model.status == .failed(Self.silent))
    let retries = CameraRetryModel(camera: bench.model, clock: clock)
    await clock.wait(forSleepers: 1)
    return (bench, retries)
  }

  private func openings(_ bench: ModelBench) -> Int { bench.camera.with { $0.started.count } }

  /// Lets the time pass for which somebody must be sleeping now, no more and no less.
  private func pass(seconds: Int, _ location: SourceLocation = #_sourceLocation) {
    clock.advance(by: .seconds(seconds - 1))
    #expect(clock.sleeperCount == 1, "not yet", sourceLocation: location)
    clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 0, "now", sourceLocation: location)
  }

  /// Returns when the model sleeps in this phase.
  private func wait(_ bench: ModelBench, for phase: CameraRetryModel.Phase, _ retries: CameraRetryModel) async {
    await bench.until { retries.phase == phase }
    // Nobody sleeps for an earlier phase any more.
    await clock.wait(forSleepers: 1)
  }

  /// The camera that runs breaks down, too soon to be opened again at once.
  private func lose(_ bench: ModelBench) { bench.camera.lose(Self.silent, after: .seconds(1)) }

  /// Returns when an opening is held.
  private func waitForOpening(_ bench: ModelBench) async {
    while bench.camera.with({ $0.held == nil }), !Task.isCancelled { await Task.yield() }
    await bench.until { bench.model.status == .starting }
  }

  @Test("A camera that sends nothing is tried again after 10, 20, 40 and then every 60 seconds, until it does")
  func series() async throws {
    let (bench, retries) = try await start()
    for (number, pause) in [10, 20, 40, 60, 60].enumerated() {
      #expect(openings(bench) == number + 1)
      pass(seconds: pause)
      await clock.wait(forSleepers: 1)
    }
    #expect(openings(bench) == 6)
    bench.camera.with { $0.failure = nil }
    pass(seconds: 60)
    await bench.until { bench.model.session?.camera == ScriptedCamera.webcam && !retries.isRetrying }
    #expect(openings(bench) == 7 && bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test("After a short run the series goes on; after a steady one, and for another camera, it begins anew")
  func newSeries() async throws {
    let (bench, retries) = try await start()
    pass(seconds: 10)
    await clock.wait(forSleepers: 1)
    bench.camera.with { $0.failure = nil }
    pass(seconds: 20)
    await wait(bench, for: .running("cam-1"), retries)
    clock.advance(by: .seconds(9))
    lose(bench)
    await wait(bench, for: .failed("cam-1"), retries)
    pass(seconds: 40)

    await wait(bench, for: .running("cam-1"), retries)
    pass(seconds: 10)
    await bench.until { retries.attempts == 0 }
    lose(bench)
    await wait(bench, for: .failed("cam-1"), retries)
    pass(seconds: 10)

    await wait(bench, for: .running("cam-1"), retries)
    #expect(retries.attempts == 1)
    await bench.model.useTestCamera()
    await bench.until { retries.phase == .running(CameraDevice.testID) }
    lose(bench)
    await wait(bench, for: .failed(CameraDevice.testID), retries)
    pass(seconds: 10)
    try await bench.end()
  }

  @Test(
    "What time doesn't mend is left alone",
    arguments: [
      CameraError.noCamera, .inUse(camera: "Webcam"), .permissionDenied(camera: "Webcam"),
      .unplugged(camera: "Webcam"), .unknownCamera(id: "cam-1", known: []),
      .noUsableMode(camera: "Webcam", offered: []),
      .noSuchFormat(camera: "Webcam", wanted: PixelSize(width: 2, height: 2), offered: []),
      .missingPlugin(element: "e", package: "p", purpose: .camera), .endedLastRun(camera: "Webcam"),
    ])
  func others(error: CameraError) async throws {
    let (bench, retries) = try await start()
    bench.camera.with { $0.failure = error }
    await retries.tryAgain()
    await clock.wait(forSleepers: 0)
    clock.advance(by: .seconds(600))
    bench.camera.with { $0.failure = Self.silent }
    await retries.tryAgain()
    await clock.wait(forSleepers: 1)
    #expect(openings(bench) == 3 && retries.attempts == 0)
    try await bench.end()
  }

  @Test("Nothing is opened out of sight", arguments: CameraStateMachine.Concealment.allCases)
  func concealed(by concealment: CameraStateMachine.Concealment) async throws {
    let (bench, retries) = try await start()
    await bench.model.set(concealment, true)
    await clock.wait(forSleepers: 0)
    clock.advance(by: .seconds(600))
    await bench.model.set(concealment, false)
    await clock.wait(forSleepers: 1)
    #expect(openings(bench) == 1 && retries.attempts == 0)
    pass(seconds: 10)
    await clock.wait(forSleepers: 1)
    #expect(openings(bench) == 2)
    try await bench.end()
  }

  @Test("Whoever asks before takes the place of the attempt")
  func askedBefore() async throws {
    let (bench, retries) = try await start()
    bench.camera.with { ($0.failure, $0.holdsOpenings) = (nil, true) }
    let asked = Task { await retries.tryAgain() }
    await waitForOpening(bench)
    #expect(!retries.isRetrying, "it is shown")
    await clock.wait(forSleepers: 0)
    clock.advance(by: .seconds(600))
    bench.camera.openNow()
    await asked.value
    #expect(bench.model.session != nil)
    #expect(openings(bench) == 2 && retries.attempts == 0)
    try await bench.end()
  }

  @Test("Whoever asks during an attempt joins it, and sees that the camera starts")
  func askedMeanwhile() async throws {
    let (bench, retries) = try await start()
    bench.camera.with { ($0.failure, $0.holdsOpenings) = (nil, true) }
    pass(seconds: 10)
    await waitForOpening(bench)
    #expect(retries.isRetrying, "the failure’s page stays")
    let asked = Task { await retries.tryAgain() }
    await bench.until { !retries.isRetrying }
    #expect(bench.model.status == .starting)
    bench.camera.openNow()
    await asked.value
    #expect(bench.model.session != nil)
    #expect(openings(bench) == 2)
    try await bench.end()
  }

  @Test(
    "Whoever comes back to the window has a refused camera tried, with its page until there is a picture",
    arguments: [CameraError.accessDenied, .permissionDenied(camera: "Webcam"), .portal(.noPortal)])
  func comesBack(error: CameraError) async throws {
    let (bench, retries) = try await start()
    await retries.windowIsActive()
    #expect(openings(bench) == 1, "a broken camera has its own times")
    bench.camera.with { $0.failure = error }
    await retries.tryAgain()
    await retries.windowIsActive()
    #expect(openings(bench) == 3 && !retries.isRetrying)
    await bench.model.set(.lock, true)
    await retries.windowIsActive()
    #expect(openings(bench) == 3, "nothing is opened out of sight")
    await bench.model.set(.lock, false)
    bench.camera.with { ($0.failure, $0.holdsOpenings) = (nil, true) }
    let back = Task { await retries.windowIsActive() }
    await waitForOpening(bench)
    #expect(retries.isRetrying, "the page stays")
    bench.camera.openNow()
    await back.value
    #expect(bench.model.session != nil && !retries.isRetrying)
    try await bench.end()
  }

  @Test("Another camera overtakes an attempt")
  func overtaken() async throws {
    let (bench, retries) = try await start()
    bench.camera.with { ($0.failure, $0.holdsOpenings) = (nil, true) }
    pass(seconds: 10)
    await waitForOpening(bench)
    #expect(retries.isRetrying, "the failure’s page stays")
    bench.camera.with { $0.holdsOpenings = false }
    await bench.model.useTestCamera()
    await bench.until { !retries.isRetrying }
    #expect(bench.model.session?.camera == ScriptedCamera.test)
    #expect(openings(bench) == 3)
    try await bench.end()
  }
}
