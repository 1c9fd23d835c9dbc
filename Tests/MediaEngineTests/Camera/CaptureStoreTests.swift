// The frame of a press: fresh, one of its own, or the reason why there is none. Without a camera: frames are put in by hand.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct CaptureStoreTests {
  private static let session = CameraSession(
    camera: TestCamera.device, format: LivePhotoSample.format(), frameRate: FrameRate(30))
  private static let start = MonotonicTime(nanoseconds: 9_000_000_000)

  /// An instant, in milliseconds from the first frame.
  private func instant(_ milliseconds: Int64) -> MonotonicTime { Self.start + .milliseconds(milliseconds) }

  private func frame(_ milliseconds: Int64) -> CameraFrame {
    CameraFrame(
      time: instant(milliseconds), size: PixelSize(width: 640, height: 360), content: .jpeg,
      block: FrameBlock(count: 10) { _ in })
  }

  /// A store of an open camera that has sent frames.
  private func store(_ times: [Int64], nextFrame: TimeSpan = .seconds(600)) -> CaptureStore {
    let store = CaptureStore(limits: EngineLimits(nextFrame: nextFrame))
    store.open(Self.session)
    for time in times { #expect(store.receive(frame(time))) }
    return store
  }

  @Test func aFreshFrameIsTakenAndAStaleOneIsNot() {
    let store = store([0, 33, 66])
    #expect(store.choose(pressed: instant(70), isLive: false)?.frame.time == instant(66))
    #expect(store.choose(pressed: instant(566), isLive: false)?.frame.time == instant(66))
    #expect(store.choose(pressed: instant(567), isLive: false) == nil)
  }

  @Test func whatIsShownIsTakenUnlessItIsStaleAndANewerFrameIsThere() {
    let store = store([0, 33, 66])
    store.markShown(frame(33), at: instant(60))
    let shown = store.choose(pressed: instant(80), isLive: false)
    #expect(shown?.frame.time == instant(33) && shown?.wasShown == true)
    for time in stride(from: Int64(99), through: 900, by: 33) { #expect(store.receive(frame(time))) }
    let newer = store.choose(pressed: instant(900), isLive: false)
    #expect(newer?.frame.time == instant(891) && newer?.wasShown == false)
  }

  @Test func shotsOfAStandingCameraGetTheNextFramesOneEach() async throws {
    let store = store([0, 33, 66])
    let shots = (0..<3).map { _ in Task { try await store.nextChoice(isLive: false).frame.time } }
    #expect(await eventually { store.waitingShotCount == 3 })
    for time: Int64 in [3000, 3033, 3066] { #expect(store.receive(frame(time))) }
    var times: Set<MonotonicTime> = []
    for shot in shots { times.insert(try await shot.value) }
    #expect(times == [instant(3000), instant(3033), instant(3066)])
    #expect(store.waitingShotCount == 0)
  }

  @Test func aPhotoOfABurstNeverHasTheFrameOfTheShotBefore() {
    let store = store([0, 33, 66])
    store.markShown(frame(33), at: instant(60))
    func choose(_ pressed: Int64) -> MonotonicTime? {
      store.choose(pressed: instant(pressed), isLive: false, isNew: true)?.frame.time
    }
    #expect(choose(70) == instant(33))
    #expect(choose(71) == instant(66), "the screen's is taken")
    // However long ago that was: a camera may send fewer frames than its mode says.
    #expect(choose(266) == nil)
    #expect(store.receive(frame(270)))
    #expect(choose(271) == instant(270))
  }

  @Test func aCameraThatStaysStillIsSaid() async {
    let store = store([0], nextFrame: .milliseconds(1))
    await #expect(throws: CameraError.stoppedSending(camera: "Test Camera")) {
      try await store.nextChoice(isLive: true)
    }
    #expect(store.waitingShotCount == 0 && !store.isGathering)
  }

  @Test(arguments: [
    (CameraError.unplugged(camera: "Test Camera"), CameraError.unpluggedBeforeShot(camera: "Test Camera")),
    (.noFrames(camera: "Test Camera", seconds: 5), .stoppedSending(camera: "Test Camera")),
    (.damagedFrames(camera: "Test Camera", seconds: 5), .damagedFrames(camera: "Test Camera", seconds: 5)),
  ])
  func aLostCameraIsTheReasonOfShotsBeforeAndAfter(loss: CameraError, reason: CameraError) async {
    let store = store([0])
    let waiting = Task { try await store.nextChoice(isLive: false).frame.time }
    #expect(await eventually { store.waitingShotCount == 1 })
    store.lose(TestCamera.device, because: loss)
    store.close()
    await #expect(throws: reason) { try await waiting.value }
    await #expect(throws: reason) { try await store.nextChoice(isLive: false) }
    // A camera that was closed on request is no loss.
    store.open(Self.session)
    store.close()
    await #expect(throws: CameraError.notRunning) { try await store.nextChoice(isLive: false) }
  }

  @Test func anotherCamerasLossIsNotThisOnes() async {
    let store = store([0])
    store.lose(CameraDevice(id: "other", name: "Other", kind: .test, formats: []), because: .unplugged(camera: "Other"))
    store.close()
    await #expect(throws: CameraError.notRunning) { try await store.nextChoice(isLive: false) }
  }

  @Test func aLivePhotoOfALostCameraSaysThatItIsShorter() async throws {
    let store = store([])
    store.setLive(true)
    for time in stride(from: Int64(0), through: 1980, by: 33) { #expect(store.receive(frame(time))) }
    let choice = try #require(store.choose(pressed: instant(1500), isLive: true))
    let loss = CameraError.unplugged(camera: "Test Camera")
    store.lose(TestCamera.device, because: loss)
    store.close()
    let shortfalls = try #require(await store.gather(choice.id)).shortfalls
    guard case .endsEarly(let seconds, loss.description) = try #require(shortfalls.first) else {
      Issue.record("\(shortfalls)")
      return
    }
    #expect(shortfalls.count == 1 && abs(seconds - 1.005) < 0.001)
  }

  @Test func aLivePhotoRightAfterAPauseOfTheCameraSaysThat() async throws {
    let store = store([])
    store.setLive(true)
    for time: Int64 in [0, 33, 66] { #expect(store.receive(frame(time))) }
    for time in stride(from: Int64(6000), through: 8000, by: 33) { #expect(store.receive(frame(time))) }
    let choice = try #require(store.choose(pressed: instant(6010), isLive: true))
    let shortfalls = try #require(await store.gather(choice.id)).shortfalls
    guard case .cameraPaused = try #require(shortfalls.first), shortfalls.count == 1 else {
      Issue.record("\(shortfalls)")
      return
    }
  }

  @Test func rawFramesAreCompressedWhenAllFramesTogetherExceedTheBudget() {
    let budget = FrameBudget(limit: 100)
    let store = CaptureStore(budget: budget)
    #expect(!store.isOverfull(adding: 100))
    // Elsewhere: on the screen, or in a live photo that waits.
    let block = FrameBlock(count: 60) { _ in }
    block.charge(to: budget)
    #expect(store.isOverfull(adding: 41) && !store.isOverfull(adding: 40))
    withExtendedLifetime(block) {}
  }
}

extension CaptureStoreTests {
  @Test func atTheLastLevelLivePhotosHaveHalfTheirFramesAndPhotosTheirOwn() async throws {
    let store = store([])
    store.setLive(true)
    for time in stride(from: Int64(0), through: 1980, by: 33) { #expect(store.receive(frame(time))) }
    store.setHalvesMovies(true)
    let choice = try #require(store.choose(pressed: instant(1900), isLive: true))
    #expect(choice.frame.time == instant(1881))
    for time in stride(from: Int64(2013), through: 3600, by: 33) { #expect(store.receive(frame(time))) }
    let window = try #require(await store.gather(choice.id))
    #expect(window.shortfalls == [.halvedFrames])
    #expect((44...48).contains(window.frames.count), "\(window.frames.count)")
    #expect(window.frames.contains { $0.time == choice.frame.time })
    // Each frame can be a photo still.
    #expect(store.choose(pressed: instant(3600), isLive: false)?.frame.time == instant(3597))
    store.setHalvesMovies(false)
    let whole = try #require(store.choose(pressed: instant(3600), isLive: true))
    for time in stride(from: Int64(3630), through: 5200, by: 33) { #expect(store.receive(frame(time))) }
    let after = try #require(await store.gather(whole.id))
    #expect(after.shortfalls.isEmpty && after.frames.count > 80)
  }
}

extension CaptureStoreTests {
  @Test func theFramesAroundAPressAreHandedOutNearestFirst() throws {
    let store = store([])
    store.setKeepsCompanions(true)
    for time in stride(from: Int64(0), through: 990, by: 33) { #expect(store.receive(frame(time))) }
    store.markShown(frame(924), at: instant(940))
    let choice = try #require(store.choose(pressed: instant(991), isLive: false, companions: 7))
    #expect(choice.frame.time == instant(924))
    #expect(choice.companions.take().map(\.time) == [891, 957, 858, 990, 825, 792, 759].map(instant))
    #expect(try #require(store.choose(pressed: instant(991), isLive: false)).companions.take().isEmpty)
    store.setKeepsCompanions(false)
    #expect(try #require(store.choose(pressed: instant(991), isLive: false, companions: 40)).companions.count < 14)
  }
}
