// Starting, stopping, switching, and everything that cameras do wrong.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

extension EngineTests {
  @Suite struct Lifecycle {
    @Test("Started, switched and stopped thirty times, nothing stays behind")
    func cycles() async throws {
      let fixture = try EngineFixture()
      weak var block: FrameBlock?
      for cycle in 0..<30 {
        let format = TestCamera.formats[cycle * 7 % TestCamera.formats.count]
        try await fixture.start(format.size.description, format.encoding)
        if cycle % 3 == 0 { await fixture.engine.setLive(cycle % 2 == 0, microphone: .device(MicrophoneDevice.testID)) }
        block = fixture.engine.store.choose(pressed: .now, isLive: false)?.frame.block
        if cycle % 4 == 0 { await fixture.engine.stop() }
      }
      await fixture.engine.stop()
      #expect(fixture.engine.ringByteCount == 0)
      #expect(await noPipelineIsLeft())
      // The preview's thread may still be converting the last frame.
      let isGone = await eventually { [weak block] in block == nil }
      #expect(isGone)
    }

    @Test("The same camera in the same mode is not opened again")
    func sameAgain() async throws {
      let fixture = try EngineFixture()
      let first = try await fixture.start("640x360", .motionJPEG)
      let arrived = fixture.engine.preview.statistics.arrived
      #expect(try await fixture.start("640x360", .motionJPEG) == first)
      #expect(fixture.engine.preview.statistics.arrived >= arrived)
      await fixture.engine.stop()
    }

    @Test("Notices begin with how things stand, and follow a start and a stop")
    func notices() async throws {
      let fixture = try EngineFixture()
      var seen: [String] = []
      let notices = fixture.engine.notices()
      try await fixture.start()
      await fixture.engine.stop()
      for await notice in notices {
        switch notice {
        case .status(.starting): seen.append("starting")
        case .status(.running): seen.append("running")
        case .status(.interrupted(.suspended)): seen.append("suspended")
        default: break
        }
        if seen.last == "suspended" { break }
      }
      #expect(seen == ["starting", "running", "suspended"])
      // A late subscriber gets the latest status.
      #expect(await fixture.status { $0 == .interrupted(.suspended) } != nil)
    }

    @Test("The test camera and the test tone are always there, last")
    func devices() async throws {
      let list = await CameraEngine().devices()
      #expect(list.cameras.last == TestCamera.device)
      #expect(list.microphones.last == TestCamera.microphone)
      #expect(Set(list.cameras.map(\.id)).count == list.cameras.count)
    }

    @Test("A camera that isn't there, a size that it hasn't: the error says what there is")
    func wrongWishes() async throws {
      let engine = CameraEngine()
      await #expect { try await engine.start(CameraConfiguration(cameraID: "v4l2:nothing")) } throws: { error in
        guard case CameraError.unknownCamera("v4l2:nothing", let known) = error else { return false }
        return known.last == CameraDevice.testID
      }
      let odd = CameraConfiguration(
        cameraID: CameraDevice.testID, size: PixelSize(width: 123, height: 45), sizeIsExact: true)
      await #expect { try await engine.start(odd) } throws: { error in
        guard case CameraError.noSuchFormat(_, let wanted, let offered) = error else { return false }
        return wanted.width == 123 && offered.contains(PixelSize(width: 1920, height: 1080))
      }
    }

    @Test("A camera that opens and sends nothing is given up")
    func silentCamera() async throws {
      var limits = EngineLimits()
      limits.firstFrame = .milliseconds(200)
      let fixture = try EngineFixture(limits: limits, fault: .silent)
      await #expect(throws: CameraError.noFrames(camera: "Test Camera", seconds: 0.2)) { try await fixture.start() }
      #expect(await fixture.status { if case .failed(.noFrames) = $0 { true } else { false } } != nil)
      #expect(await noPipelineIsLeft())
    }

    @Test("A camera that takes long is waited for, with a word")
    func slowCamera() async throws {
      var limits = EngineLimits()
      limits.firstFrame = .seconds(600)
      limits.firstFrameNotice = .zero
      let fixture = try EngineFixture(limits: limits, fault: .silent)
      let waiting = Task { try await fixture.start("640x360", .motionJPEG) }
      #expect(await fixture.status { $0 == .awaitingPicture(camera: "Test Camera") } != nil)
      await fixture.engine.stop()
      await #expect(throws: CameraError.notRunning) { try await waiting.value }
      #expect(EngineLimits().firstFrame >= .seconds(10))
    }

    @Test("A camera that refuses its mode runs in a smaller one, and isn't opened again for the same request")
    func refusedModes() async throws {
      let fixture = try EngineFixture(fault: .refusesAbove(width: 700))
      let wanted = CameraConfiguration(cameraID: CameraDevice.testID)
      let session = try await fixture.engine.start(wanted)
      #expect(session.format.size == PixelSize(width: 640, height: 480))
      let arrived = fixture.engine.preview.statistics.arrived
      #expect(try await fixture.engine.start(wanted) == session)
      #expect(fixture.engine.preview.statistics.arrived >= arrived)
      await fixture.engine.stop()
    }

    @Test("A camera that stops sending is noticed")
    func stalledCamera() async throws {
      var limits = EngineLimits()
      limits.stall = .milliseconds(300)
      let fixture = try EngineFixture(limits: limits, fault: .stalls(after: 5))
      try await fixture.start("640x360", .motionJPEG)
      #expect(await fixture.status { if case .failed(.noFrames) = $0 { true } else { false } } != nil)
      #expect(fixture.engine.ringByteCount == 0)
      await #expect(throws: CameraError.stoppedSending(camera: "Test Camera")) {
        _ = try await ShotRecord(fixture.engine.capture(fixture.settings()))
      }
    }

    @Test(
      "A camera that stalls or breaks after it ran steadily starts again by itself",
      arguments: [TestFault.stalls(after: 60), .fails(after: 60), .flawed(.cut, after: 60)])
    func openedAgain(fault: TestFault) async throws {
      var limits = EngineLimits().times(4)
      limits.stall = .seconds(1)
      // Two seconds of frames are steady.
      limits.steadiness = .milliseconds(500)
      let fixture = try EngineFixture(limits: limits, fault: fault)
      let notices = fixture.engine.notices()
      let session = try await fixture.start("640x360", .motionJPEG)
      var seen: [CameraStatus] = []
      for await notice in notices {
        guard case .status(let status) = notice, status != seen.last else { continue }
        seen.append(status)
        if seen.count == 4 { break }
      }
      #expect(seen == [.starting, .running(session), .starting, .running(session)])
      await fixture.engine.stop()
      #expect(await noPipelineIsLeft())
    }

    @Test("A camera that breaks says why; one that goes away is unplugged; both can be started again")
    func brokenCamera() async throws {
      let broken = try EngineFixture(fault: .fails(after: 5))
      try await broken.start("640x360", .motionJPEG)
      #expect(await broken.status { if case .failed(.device) = $0 { true } else { false } } != nil)
      try await broken.start("640x360", .motionJPEG)
      await broken.engine.stop()

      let gone = try EngineFixture(fault: .ends(after: 5))
      try await gone.start("640x360", .motionJPEG)
      #expect(await gone.status { $0 == .interrupted(.unplugged) } != nil)
      try await gone.start("640x360", .motionJPEG)
      await gone.engine.stop()
    }

    @Test("Of the errors of an opening the first one is told; a driver's error is tried again")
    func refusingCamera() async throws {
      let busy = try EngineFixture(fault: .refuses(GST_RESOURCE_ERROR_BUSY))
      await #expect(throws: CameraError.inUse(camera: "Test Camera")) { try await busy.start("640x360", .motionJPEG) }
      let broken = try EngineFixture(fault: .refuses(GST_RESOURCE_ERROR_READ))
      await #expect(throws: CameraError.device(camera: "Test Camera", message: "the test camera was told to refuse")) {
        try await broken.start("640x360", .motionJPEG)
      }
      #expect(await noPipelineIsLeft())
    }

    @Test("An opening that fails with two errors is no loss")
    @PipelineActor func refusalsAreNoLosses() async throws {
      let configuration = CameraConfiguration(
        cameraID: CameraDevice.testID, size: PixelSize("640x360"), sizeIsExact: true, encoding: .motionJPEG)
      let session = try #require(configuration.mode(of: TestCamera.device))
      let losses = Mutex<[CameraError]>([])
      let camera = try CameraPipeline(
        session, store: CaptureStore(), pump: PreviewPump(name: "refusal"), looks: LookBox(),
        test: TestSetup(fault: .refuses(GST_RESOURCE_ERROR_BUSY)))
      await #expect(throws: CameraError.inUse(camera: "Test Camera")) {
        try await camera.start(limits: EngineLimits().times(4)) { error in losses.withLock { $0.append(error) } }
      }
      let microphone = try MicrophonePipeline(TestCamera.microphone, store: CaptureStore(), fault: .refusedTone)
      let error = await #expect(throws: CameraError.self) {
        try await microphone.start(limits: EngineLimits().times(4)) { error in losses.withLock { $0.append(error) } }
      }
      #expect(error?.description.contains("told to refuse") == true)
      // The second errors have come by now, or come while others have their turn.
      for _ in 0..<1000 { await Task.yield() }
      await camera.stop()
      await microphone.stop()
      #expect(losses.withLock { $0 } == [])
    }

    @Test("Stopping ends a start that still waits; a second start overtakes the first")
    func overtaking() async throws {
      let fixture = try EngineFixture(fault: .silent)
      let waiting = Task { try await fixture.start("640x360", .motionJPEG) }
      #expect(await fixture.status { $0 == .starting } != nil)
      await fixture.engine.stop()
      await #expect(throws: CameraError.notRunning) { try await waiting.value }
      let cancelled = Task { try await fixture.start("640x480", .motionJPEG) }
      #expect(await fixture.status { $0 == .starting } != nil)
      cancelled.cancel()
      await #expect(throws: CameraError.notRunning) { try await cancelled.value }
    }

    @Test("Concealed while it opens, nothing runs; revealed, it runs")
    func concealedWhileOpening() async throws {
      let fixture = try EngineFixture(fault: .silent)
      let waiting = Task { try await fixture.start("640x360", .motionJPEG) }
      #expect(await fixture.status { $0 == .starting } != nil)
      await fixture.engine.conceal(.page)
      await #expect(throws: CameraError.notRunning) { try await waiting.value }
      #expect(fixture.engine.status == .interrupted(.suspended))
      #expect(await noPipelineIsLeft())

      let working = try EngineFixture()
      await working.engine.conceal(.page)
      await #expect(throws: CameraError.notRunning) { try await working.start("640x360", .motionJPEG) }
      #expect(await noPipelineIsLeft())
      await working.engine.reveal(.page)
      #expect(await working.status { if case .running = $0 { true } else { false } } != nil)
      await working.engine.conceal(.lock)
      #expect(await noPipelineIsLeft())
      await working.engine.stop()
    }

    @Test("The viewfinder hidden and shown without a pause: the last request counts")
    @MainActor func orderOfConcealing() async throws {
      let fixture = try EngineFixture()
      try await fixture.start("640x360", .motionJPEG)
      // Through the protocol, as the models reach the engine.
      let service: any CameraService = fixture.engine
      for round in 0..<60 {
        let endsHidden = round.isMultiple(of: 2)
        var requests: [Task<Void, Never>] = []
        for _ in 0..<8 {
          requests.append(Task { await service.conceal(.page, isolation: #isolation) })
          requests.append(Task { await service.reveal(.page, isolation: #isolation) })
        }
        if endsHidden { requests.append(Task { await service.conceal(.page, isolation: #isolation) }) }
        for request in requests { await request.value }
        #expect((service.status == .interrupted(.suspended)) == endsHidden, "round \(round)")
      }
      #expect(await eventually { if case .running = service.status { true } else { false } })
      await service.conceal(.page, isolation: #isolation)
      #expect(service.status == .interrupted(.suspended))
      #expect(await noPipelineIsLeft())
      await service.stop()
    }

    @Test("A start returns with the first frame and doesn't wait for a microphone that hangs")
    func hangingMicrophone() async throws {
      var limits = EngineLimits()
      limits.firstSound = .seconds(60)
      let fixture = try EngineFixture(limits: limits, fault: .silentTone)
      let live = Task { await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID)) }
      #expect(await live.value == .off, "no camera runs")
      let session = try await fixture.start("640x360", .motionJPEG)
      #expect(fixture.engine.status == .running(session))
      // Ends long before the microphone's time is over.
      await fixture.engine.stop()
      #expect(await noPipelineIsLeft())
      #expect(fixture.engine.status == .interrupted(.suspended))
    }

    @Test("A camera that is lost while the microphone hangs is lost")
    func lostBesideAHangingMicrophone() async throws {
      var limits = EngineLimits()
      limits.firstSound = .seconds(60)
      let fixture = try EngineFixture(limits: limits, fault: .silentToneThenEnds(after: 5))
      await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID))
      try await fixture.start("640x360", .motionJPEG)
      #expect(await fixture.status { $0 == .interrupted(.unplugged) } != nil)
      #expect(await noPipelineIsLeft())
    }

    @Test("The error's code and the device file decide, never the words, which are in the desktop's language")
    func errorCodes() {
      let camera = CameraDevice(id: "a", name: "Cam", kind: .v4l2(path: "/dev/null"), formats: [])
      func error(_ resource: GstResourceError?, _ message: String, of camera: CameraDevice) -> CameraError {
        CameraError(PipelineFailure(element: "source", message: message, detail: "", resource: resource), of: camera)
      }
      #expect(error(GST_RESOURCE_ERROR_BUSY, "Gerät wird verwendet", of: camera) == .inUse(camera: "Cam"))
      #expect(error(GST_RESOURCE_ERROR_NOT_FOUND, "Gerät nicht gefunden", of: camera) == .unplugged(camera: "Cam"))
      #expect(
        error(GST_RESOURCE_ERROR_NOT_AUTHORIZED, "Keine Berechtigung", of: camera) == .permissionDenied(camera: "Cam"))
      let words = "no such device is busy, permission denied"
      #expect(error(GST_RESOURCE_ERROR_READ, words, of: camera) == .device(camera: "Cam", message: words))
      // GStreamer's words for a refused mode speak of memory, whatever the reason is.
      let refused = error(GST_RESOURCE_ERROR_SETTINGS, "Failed to allocate required memory.", of: camera)
      #expect(refused.description.contains("bandwidth") && !refused.description.contains("memory"))
      let gone = CameraDevice(id: "b", name: "Cam", kind: .v4l2(path: "/dev/photome-nothing"), formats: [])
      #expect(error(GST_RESOURCE_ERROR_READ, "Lesefehler", of: gone) == .unplugged(camera: "Cam"))
    }

    @Test("Live keeps more, and gives it back; a microphone that isn't there makes it silent, with the reason")
    func live() async throws {
      let fixture = try EngineFixture()
      try await fixture.start("640x360", .motionJPEG)
      #expect(await fixture.engine.setLive(true, microphone: .none) != .off)
      await fixture.engine.waitForPreRoll()
      let full = fixture.engine.ringByteCount
      let sound = await fixture.engine.setLive(true, microphone: .device("nothing"))
      guard case .silent(let reason) = sound else {
        Issue.record("\(sound)")
        return
      }
      #expect(reason.contains("nothing") && reason.contains(MicrophoneDevice.testID))
      #expect(
        await fixture.engine.setLive(true, microphone: .device(MicrophoneDevice.testID))
          == .recording(TestCamera.microphone))
      #expect(await fixture.engine.setLive(false, microphone: .automatic) == .off)
      // The next frame makes the ring drop the old ones.
      #expect(await eventually { fixture.engine.ringByteCount < full / 2 })
      await fixture.engine.waitForPreRoll()
      await fixture.engine.stop()
    }

    @Test("What is missing is named with its package")
    func missing() async {
      for part in await CameraEngine().missingParts() {
        guard case .missingPlugin(_, let package, _) = part else {
          Issue.record("\(part)")
          continue
        }
        #expect(package.hasPrefix("gstreamer1.0-") && part.description.contains(package))
      }
    }
  }
}
