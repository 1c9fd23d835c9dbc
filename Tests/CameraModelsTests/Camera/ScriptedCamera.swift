// A camera without hardware for the tests of the models: it does what the test says, and notes what it was asked.

import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// A `CameraService` whose answers are set by the test.
final class ScriptedCamera: CameraService {
  struct State {
    var devices = DeviceList(cameras: [ScriptedCamera.webcam, ScriptedCamera.test], microphones: [])
    var failure: CameraError?
    var capability = LiveCapability.available
    var sound = LiveSound.off
    var isLive = false
    var started: [CameraConfiguration] = []
    var stopCount = 0
    var sinks: [AsyncStream<CameraNotice>.Continuation] = []
    var captures: [Capture] = []
  }

  /// One shot that the model asked for; the test plays the engine's part.
  struct Capture: Sendable {
    let settings: PhotoSettings
    let sink: AsyncThrowingStream<CaptureEvent, any Error>.Continuation
  }

  static let format = CameraFormat(
    encoding: .motionJPEG, size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)])
  static let webcam = CameraDevice(id: "cam-1", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: [format])
  static let test = CameraDevice(id: CameraDevice.testID, name: "Test camera", kind: .test, formats: [format])
  static let microphone = MicrophoneDevice(id: "mic", name: "Mic", kind: .pulse(source: "mic"), isDefault: true)

  private let state = Mutex(State())

  /// Reads or changes the script.
  @discardableResult
  func with<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// Says something by itself.
  func say(_ notice: CameraNotice) {
    let sinks = state.withLock { state in
      if case .devices(let devices) = notice { state.devices = devices }
      return state.sinks
    }
    for sink in sinks { sink.yield(notice) }
  }

  func notices() -> AsyncStream<CameraNotice> {
    let (stream, sink) = AsyncStream.makeStream(of: CameraNotice.self)
    state.withLock { state in
      state.sinks.append(sink)
      sink.yield(.devices(state.devices))
    }
    return stream
  }

  func devices() async -> DeviceList { state.withLock { $0.devices } }
  func liveCapability() async -> LiveCapability { state.withLock { $0.capability } }
  func missingParts() async -> [CameraError] { [] }
  func waitForPreRoll() async {}
  var ringByteCount: Int { 0 }

  func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    let outcome: Result<CameraSession, CameraError> = state.withLock { state in
      state.started.append(configuration)
      if let failure = state.failure { return .failure(failure) }
      let id = configuration.cameraID
      guard let camera = id.map({ state.devices.camera($0) }) ?? state.devices.realCameras.first else {
        return .failure(id.map { .unknownCamera(id: $0, known: state.devices.cameras.map(\.id)) } ?? .noCamera)
      }
      return .success(CameraSession(camera: camera, format: Self.format, frameRate: FrameRate(30)))
    }
    return try outcome.get()
  }

  func stop() async { state.withLock { $0.stopCount += 1 } }

  func setLive(_ isOn: Bool, microphone: MicrophoneChoice) async -> LiveSound {
    state.withLock { state in
      state.isLive = isOn
      return isOn ? state.sound : .off
    }
  }

  func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error> {
    let (stream, sink) = AsyncThrowingStream.makeStream(of: CaptureEvent.self)
    state.withLock { $0.captures.append(Capture(settings: settings, sink: sink)) }
    return stream
  }
}
