// Cameras that the desktop lends: permission, refusal and questions that nobody answers.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct LentCamerasTests {
  /// A desktop that answers as the test says.
  private final class Desktop: CameraAccess {
    struct Script {
      var refusal: CameraError? = .accessDenied
      var answers = true
      var questions = 0
      var connections = 0
    }
    private let script: Mutex<Script>
    let asked = AsyncStream.makeStream(of: Void.self)
    let takenBack = AsyncStream.makeStream(of: Void.self)

    init(_ script: Script = Script()) { self.script = Mutex(script) }

    @inline(never) func with<Result: Sendable>(_ body: (inout Script) -> Result) -> Result {
      script.withLock { body(&$0) }
    }

    func waitUntilReady() async throws(CameraError) {}

    func request() async throws(CameraError) {
      let (answers, refusal) = with { script in
        script.questions += 1
        return (script.answers, script.refusal)
      }
      asked.continuation.yield()
      if !answers {
        do { try await OneShot<Void, CameraError>().wait(orWhenCancelled: .notRunning) } catch {
          takenBack.continuation.yield()
          throw error
        }
      }
      if let refusal { throw refusal }
    }

    func connect() async throws(CameraError) -> Int32 {
      let refusal = with { script in
        script.connections += 1
        return script.refusal
      }
      if let refusal { throw refusal }
      // Of a server that has closed the connection.
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw .notRunning }
      close(ends[1])
      return ends[0]
    }
  }

  private func engine(_ desktop: Desktop) -> CameraEngine {
    CameraEngine(limits: EngineLimits(lentCameras: .zero), access: desktop)
  }

  @Test(
    "Whatever the desktop answers is the status and the error, and only a retry asks again",
    arguments: [CameraError.accessDenied, .portal(.noPortal), .portal(.closed), .portal(.failed(message: "odd"))])
  func refused(error: CameraError) async {
    let desktop = Desktop(.init(refusal: error))
    let engine = engine(desktop)
    await #expect(throws: error) { try await engine.start(CameraConfiguration()) }
    #expect(engine.status == (error == .accessDenied ? .permissionDenied(error) : .failed(error)))
    #expect(engine.status?.awaitsAccess == true)
    await engine.checkPermission()
    #expect(desktop.with { $0.questions } == 1, "nobody is asked again for coming back to the window")
    await engine.retry()
    #expect(desktop.with { $0.questions } == 2)
    await engine.stop()
  }

  @Test("Whoever comes back with the permission is asked for it no more, and told that there is no camera")
  func permitted() async {
    let desktop = Desktop()
    let engine = engine(desktop)
    await #expect(throws: CameraError.accessDenied) { try await engine.start(CameraConfiguration()) }
    desktop.with { $0.refusal = nil }
    await engine.checkPermission()
    #expect(engine.status == .noCamera, "the connection is a dead one")
    #expect(desktop.with { $0.questions } == 2)
    await engine.stop()
  }

  @Test("Nothing is opened around the desktop: no device file is a camera")
  func noNodes() async {
    let desktop = Desktop()
    let engine = engine(desktop)
    #expect(await engine.devices().realCameras.isEmpty)
    #expect(desktop.with { $0.questions } == 0, "looking at the list asks nobody")
  }

  @Test("A question that nobody answers is the status, and is taken back when the program closes")
  func unanswered() async throws {
    let desktop = Desktop(.init(answers: false))
    let engine = engine(desktop)
    let opening = Task { try await engine.start(CameraConfiguration()) }
    var asked = desktop.asked.stream.makeAsyncIterator()
    await asked.next()
    #expect(engine.status == .awaitingPermission)
    await engine.checkPermission()
    #expect(desktop.with { $0.connections } == 0, "nothing is looked for behind the question")
    await engine.conceal(.closing, isolation: nil)
    var takenBack = desktop.takenBack.stream.makeAsyncIterator()
    await takenBack.next()
    await #expect(throws: CameraError.notRunning) { try await opening.value }
    #expect(engine.status == .interrupted(.suspended))
    await engine.stop()
  }

  @Test("The test camera needs no permission")
  func testCamera() async throws {
    let desktop = Desktop()
    let engine = engine(desktop)
    try await engine.start(CameraConfiguration(cameraID: CameraDevice.testID))
    #expect(desktop.with { $0.questions } == 0)
    await engine.stop()
  }

  @Test("A camera that appears late is waited for, and no longer than that")
  func lateCamera() async {
    let source = Source()
    let watcher = DeviceWatcher(looksAtNodes: false, findSource: { $0 == .pipeWire ? source : nil }) { _ in }
    #expect(await watcher.cameras(within: .zero).isEmpty)
    async let cameras = watcher.cameras(within: .seconds(100_000))
    source.plugIn()
    #expect(await cameras.map(\.id) == ["pipewire:lent", "pipewire:infrared"], "gray pictures come last")
    #expect(await cameras.first?.node == nil, "its device file isn’t lent")
  }

  /// A PipeWire whose camera comes late.
  private final class Source: DeviceSource {
    private let state = Mutex<(isThere: Bool, listeners: [@Sendable () -> Void])>((false, []))
    let isConnected = true

    func plugIn() {
      for listener in state.withLock({ state in
        state.isThere = true
        return state.listeners
      }) { listener() }
    }

    func devices() -> [DeviceProvider.Device] {
      guard state.withLock({ $0.isThere }) else { return [] }
      return [("infrared", FrameEncoding.raw("GRAY8")), ("lent", .motionJPEG)].map { name, encoding in
        let format = CameraFormat(
          encoding: encoding, size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)])
        return DeviceProvider.Device(
          name: name, deviceClass: "Video/Source", formats: [format],
          properties: ["node.name": name, "api.v4l2.path": "/dev/video-\(name)"])
      }
    }

    func listen(_ onChange: @escaping @Sendable () -> Void) -> Int {
      state.withLock { $0.listeners.append(onChange) }
      return 1
    }

    func forget(_ listener: Int) {}
  }
}
