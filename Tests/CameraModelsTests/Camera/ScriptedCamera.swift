// A camera without hardware for the tests of the models, driven by the engine's own state machine.

import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// A `CameraService` whose devices do what the test says, at once. The camera's next state is decided by the same
/// `CameraStateMachine` as in the engine.
final class ScriptedCamera: CameraService {
  struct State {
    var devices = DeviceList(cameras: [ScriptedCamera.webcam, ScriptedCamera.test], microphones: [])
    var failure: CameraError?
    var capability = LiveCapability.available
    var sound = LiveSound.off
    var isLive = false
    /// The microphone that was asked for last.
    var microphone: MicrophoneChoice?
    var started: [CameraConfiguration] = []
    var closeCount = 0
    var sinks: [AsyncStream<CameraNotice>.Continuation] = []
    /// Those who follow the microphone's level, and the ends of that.
    var levelSinks: [AsyncStream<SoundLevel?>.Continuation] = []
    let levelEnds = AsyncStream.makeStream(of: Void.self)
    var captures: [Capture] = []
    var movieSteps = 0
    /// The levels of the next frames; the last one stays.
    var levels: [Double] = []
    /// The same of faces.
    var faceLevels: [Double] = []
    var measuredFaces: [FoundFace] = []
    /// The newest frame.
    var picture: DecodedImage?
    var measuredCount = 0
    var savesPower = false
    /// Why formats can't be written.
    var refusals: [PhotoFormat: String] = [:]
    /// The opening that never ended in the last run.
    var unfinished: UnfinishedOpening?
    /// Whether openings wait for `openNow`.
    var holdsOpenings = false
    var held: (configuration: CameraConfiguration, generation: UInt64)?
    /// The camera that was opened last.
    var open: (camera: CameraDevice, generation: UInt64)?
    var machine = CameraStateMachine()
    var lastTicket: UInt64 = 0
    var waiters: [CameraStateMachine.Ticket: CheckedContinuation<CameraStateMachine.Answer.Outcome, Never>] = [:]
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

  /// Called when the missing parts are asked for.
  @MainActor var missingPartsAreAsked: (@MainActor () -> Void)?

  private let state = Mutex(State())

  /// Reads or changes the script.
  @discardableResult
  func with<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
    state.withLock { body(&$0) }
  }

  func refusal(of format: PhotoFormat) -> String? { state.withLock { $0.refusals[format] } }

  /// Something was plugged in or out.
  func plug(_ devices: DeviceList) {
    state.withLock { $0.devices = devices }
    say(.devices(devices))
    send { $0.devicesChanged(devices) { devices.camera($0.id) == nil } }
  }

  /// The camera that runs breaks.
  ///
  /// - Parameter span: The time for which it had sent good frames.
  func lose(_ error: CameraError, after span: TimeSpan = .zero) {
    let (camera, generation) = state.withLock { ($0.open?.camera, $0.open?.generation) }
    guard let camera, let generation else { return }
    send { $0.lost(error, device: camera, after: span, generation) }
  }

  /// The microphone's driver says something.
  func say(_ notice: CameraNotice) {
    for sink in state.withLock({ $0.sinks }) { sink.yield(notice) }
  }

  /// Lets the opening end that is held.
  func openNow() {
    let held = state.withLock { state in
      state.holdsOpenings = false
      defer { state.held = nil }
      return state.held
    }
    if let held { perform(state.withLock { opened(held.configuration, held.generation, &$0) }) }
  }

  func notices() -> AsyncStream<CameraNotice> {
    let (stream, sink) = AsyncStream.makeStream(of: CameraNotice.self)
    state.withLock { state in
      state.sinks.append(sink)
      sink.yield(.devices(state.devices))
    }
    return stream
  }

  func soundLevels() -> AsyncStream<SoundLevel?> {
    let (stream, sink) = AsyncStream.makeStream(of: SoundLevel?.self)
    let ends = state.withLock { state in
      state.levelSinks.append(sink)
      return state.levelEnds.continuation
    }
    sink.onTermination = { _ in ends.yield() }
    return stream
  }

  /// The microphone's level is measured.
  func say(level: SoundLevel?) {
    for sink in state.withLock({ $0.levelSinks }) { sink.yield(level) }
  }

  func devices() async -> DeviceList { state.withLock { $0.devices } }
  func liveCapability() async -> LiveCapability { state.withLock { $0.capability } }
  func missingParts() async -> [CameraError] {
    await missingPartsAreAsked?()
    return []
  }
  func waitForPreRoll() async {}
  func brightness(of faces: [FoundFace]) async -> FrameBrightness? { measure(faces) }
  func newestPicture() async -> DecodedImage? { picture() }
  private func picture() -> DecodedImage? { state.withLock { $0.picture } }
  private func measure(_ faces: [FoundFace]) -> FrameBrightness? {
    state.withLock { state in
      state.measuredFaces = faces
      let path: WritableKeyPath<State, [Double]> = faces.isEmpty ? \.levels : \.faceLevels
      guard let level = state[keyPath: path].first else { return nil }
      if state[keyPath: path].count > 1 { state[keyPath: path].removeFirst() }
      state.measuredCount += 1
      return FrameBrightness(time: MonotonicTime(nanoseconds: Int64(state.measuredCount)), level: level)
    }
  }
  var ringByteCount: Int { 0 }
  func setSavesPower(_ savesPower: Bool) { state.withLock { $0.savesPower = savesPower } }

  func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    switch await ask({ $0.open(configuration, $1) }) {
    case .running(let session): return session
    case .closed: throw .notRunning
    case .refused(let error): throw error
    }
  }

  func takeUnfinishedOpening() -> UnfinishedOpening? {
    state.withLock { state in
      defer { state.unfinished = nil }
      return state.unfinished
    }
  }
  func retry() async { _ = await ask { $0.retry($1) } }
  func distrust(_ configuration: CameraConfiguration, because error: CameraError) async {
    send { $0.distrust(configuration, because: error) }
  }
  func conceal(_ concealment: CameraStateMachine.Concealment, isolation: isolated (any Actor)?) async {
    _ = await ask { $0.conceal(concealment, $1) }
  }
  func reveal(_ concealment: CameraStateMachine.Concealment, isolation: isolated (any Actor)?) async {
    send { $0.reveal(concealment) }
  }
  func stop() async { _ = await ask { $0.stop($1) } }
  var status: CameraStatus? { state.withLock { $0.machine.status } }
  var movieSteps: Int { state.withLock { $0.movieSteps } }

  func setLive(_ isOn: Bool, microphone: MicrophoneChoice) async -> LiveSound {
    state.withLock { state in
      (state.isLive, state.microphone) = (isOn, microphone)
      return isOn ? state.sound : .off
    }
  }

  func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error> {
    let (stream, sink) = AsyncThrowingStream.makeStream(of: CaptureEvent.self)
    state.withLock { $0.captures.append(Capture(settings: settings, sink: sink)) }
    return stream
  }

  // MARK: Driving the machine

  private typealias Machine = CameraStateMachine

  private func ask(
    isolation: isolated (any Actor)? = #isolation,
    _ event: @escaping @Sendable (inout CameraStateMachine, CameraStateMachine.Ticket) -> CameraStateMachine.Action
  ) async -> CameraStateMachine.Answer.Outcome {
    await withCheckedContinuation { continuation in
      let ticket = state.withLock { state in
        state.lastTicket += 1
        let ticket = Machine.Ticket(rawValue: state.lastTicket)
        state.waiters[ticket] = continuation
        return ticket
      }
      send { event(&$0, ticket) }
    }
  }

  /// Sends an event, and those that its work leads to.
  private func send(_ event: (inout CameraStateMachine) -> CameraStateMachine.Action) {
    perform(state.withLock { event(&$0.machine) })
  }

  private func perform(_ first: CameraStateMachine.Action) {
    var action = first
    while true {
      answer(action)
      if let status { say(.status(status)) }
      switch action.work {
      case .none, .late: return
      case .open(let configuration, let generation):
        let isHeld = state.withLock { state in
          state.started.append(configuration)
          if state.holdsOpenings { state.held = (configuration, generation) }
          return state.holdsOpenings
        }
        if isHeld { return }
        action = state.withLock { opened(configuration, generation, &$0) }
      case .giveUp(let generation):
        action = state.withLock { state in
          state.held = nil
          return state.machine.openFailed(.notRunning, device: nil, generation)
        }
      case .waitForShots(let wait): action = state.withLock { $0.machine.gathered(wait) }
      case .close(let generation):
        action = state.withLock { state in
          state.closeCount += 1
          return state.machine.closed(generation)
        }
      case .impossible(let reason): preconditionFailure(reason)
      }
    }
  }

  private func answer(_ action: CameraStateMachine.Action) {
    for answer in action.answers {
      state.withLock { $0.waiters.removeValue(forKey: answer.ticket) }?.resume(returning: answer.outcome)
    }
  }

  private func opened(
    _ configuration: CameraConfiguration, _ generation: UInt64, _ state: inout State
  ) -> CameraStateMachine.Action {
    if let failure = state.failure { return state.machine.openFailed(failure, device: nil, generation) }
    let named = configuration.cameraID.flatMap { state.devices.camera($0) }
    let anyOther = configuration.cameraID == nil || configuration.acceptsOthers ? state.devices.realCameras.first : nil
    guard let camera = named ?? anyOther else {
      let error: CameraError =
        configuration.cameraID.map { .unknownCamera(id: $0, known: state.devices.cameras.map(\.id)) } ?? .noCamera
      return state.machine.openFailed(
        configuration.acceptsOthers ? .noCamera : error, device: nil, generation)
    }
    let session =
      configuration.mode(of: camera) ?? CameraSession(camera: camera, format: Self.format, frameRate: FrameRate(30))
    state.open = (camera, generation)
    return state.machine.opened(session, generation)
  }
}
