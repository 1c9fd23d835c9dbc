// Opens and closes cameras and microphones, one after the other, and tells what became of them.

import CameraCore
import Foundation

/// The part of the engine that owns pipelines.
@PipelineActor
final class EngineCore {
  private let store: CaptureStore
  private let pump: PreviewPump
  private let board: NoticeBoard
  private let watcher: DeviceWatcher
  private let limits: EngineLimits
  private let fault: TestFault

  /// The camera that runs.
  private var camera: CameraPipeline?
  /// The camera that is being opened.
  private var opening: CameraPipeline?
  /// Grows with each start and stop: what was begun under an older number has been overtaken.
  private var generation = 0
  /// What is being opened; asking for the same again waits for it.
  private var wanted: CameraConfiguration?
  private let turn = AsyncGate()
  /// A camera that was lost, while it is being closed.
  private var closing: Task<Void, Never>?

  private var microphone: MicrophonePipeline?
  private var isLive = false
  private var choice = MicrophoneChoice.automatic
  private let soundTurn = AsyncGate()

  nonisolated init(
    store: CaptureStore, pump: PreviewPump, board: NoticeBoard, watcher: DeviceWatcher, limits: EngineLimits,
    fault: TestFault
  ) {
    self.store = store
    self.pump = pump
    self.board = board
    self.watcher = watcher
    self.limits = limits
    self.fault = fault
  }

  // MARK: The camera

  func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    if configuration != wanted {
      // Whoever waits for another camera's first frame has been overtaken.
      generation += 1
      opening?.giveUp()
      wanted = configuration
    }
    let mine = generation
    await turn.enter()
    defer {
      turn.leave()
      if mine == generation { wanted = nil }
    }
    guard mine == generation else { throw .notRunning }
    do throws(CameraError) {
      let session = try await open(configuration, mine)
      watcher.start()
      await openMicrophoneIfWanted()
      return session
    } catch {
      watcher.start()
      if mine == generation { board.post(.status(Self.status(after: error))) }
      throw error
    }
  }

  func stop() async {
    generation += 1
    wanted = nil
    let mine = generation
    opening?.giveUp()
    await store.waitUntilGathered()
    guard mine == generation else { return }
    await turn.enter()
    defer { turn.leave() }
    guard mine == generation else { return }
    let wasRunning = camera != nil
    await closeCamera()
    await soundTurn.enter()
    defer { soundTurn.leave() }
    await closeMicrophone()
    board.post(.sound(.off))
    if wasRunning { board.post(.status(.interrupted(.suspended))) }
  }

  /// What is plugged in has changed.
  func devicesChanged(_ list: DeviceList) async {
    board.post(.devices(list))
    if let camera, Self.isGone(camera.session.camera, from: list) {
      lost(camera, .unplugged(camera: camera.session.camera.name))
    }
    // PulseAudio moves a listener whose microphone went away to whatever else there is, and says nothing.
    if let microphone, list.microphone(microphone.device.id) == nil {
      lostMicrophone(microphone, .microphone(message: "“\(microphone.device.name)” was unplugged"))
    }
    if isLive, microphone == nil, camera != nil { await openMicrophoneIfWanted() }
  }

  private func open(
    _ configuration: CameraConfiguration, _ mine: Int
  ) async throws(CameraError) -> CameraSession {
    if camera == nil { board.post(.status(.starting)) }
    await closing?.value
    closing = nil
    let session = try await choose(configuration)
    if let camera, camera.session == session { return session }
    if camera != nil {
      await store.waitUntilGathered()
      await closeCamera()
      board.post(.status(.starting))
    }
    var isRetry = false
    while true {
      guard mine == generation, !Task.isCancelled else { throw .notRunning }
      let pipeline = try CameraPipeline(session, store: store, pump: pump, fault: fault)
      do throws(CameraError) {
        try await begin(pipeline)
        guard mine == generation else { throw .notRunning }
        camera = pipeline
        board.post(.status(.running(session)))
        return session
      } catch {
        await end(pipeline)
        // PipeWire refuses two times in five when its last listener has just left.
        guard !isRetry, mine == generation, case .device = error else { throw error }
        isRetry = true
        try? await Task.sleep(nanoseconds: UInt64(limits.retryPause.nanoseconds))
      }
    }
  }

  private func begin(_ pipeline: CameraPipeline) async throws(CameraError) {
    opening = pipeline
    defer { opening = nil }
    store.open(pipeline.session)
    try await pipeline.start(limits: limits) { [weak self, weak pipeline] error in
      if let pipeline { self?.lost(pipeline, error) }
    }
  }

  /// Closes a camera, whether it ran or not.
  private func end(_ pipeline: CameraPipeline) async {
    silence(pipeline)
    await pipeline.stop()
  }

  private func closeCamera() async {
    guard let camera else { return }
    self.camera = nil
    await end(camera)
  }

  /// From now on nothing comes from this camera, and nothing of it is kept but what shots hold.
  private func silence(_ pipeline: CameraPipeline) {
    pipeline.silence()
    store.close()
    pump.reset()
  }

  /// The camera that runs broke or was taken away.
  private func lost(_ pipeline: CameraPipeline, _ error: CameraError) {
    guard camera === pipeline else { return }
    camera = nil
    silence(pipeline)
    board.post(.status(Self.status(after: error)))
    closing = Task {
      await pipeline.stop()
      await soundTurn.enter()
      if camera == nil { await closeMicrophone() }
      soundTurn.leave()
    }
  }

  /// Finds the camera and the mode. What is asked for by name is not looked for anywhere else.
  private func choose(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    let device = try await find(configuration.cameraID)
    let choice = FormatChoice.best(
      of: device.formats, size: configuration.size, isExact: configuration.sizeIsExact, encoding: configuration.encoding
    )
    guard let choice else {
      var offered: [PixelSize] = []
      for format in device.formats where !offered.contains(format.size) { offered.append(format.size) }
      throw .noSuchFormat(
        camera: device.name, wanted: configuration.size ?? FormatChoice.defaultSize, offered: offered)
    }
    return CameraSession(camera: device, format: choice.format, frameRate: choice.frameRate)
  }

  private func find(_ id: CameraDevice.ID?) async throws(CameraError) -> CameraDevice {
    if id == CameraDevice.testID { return TestCamera.device }
    if let known = watcher.known?.realCameras, let camera = Self.pick(id, from: known) { return camera }
    // The kernel answers in a millisecond, PipeWire in fifty.
    let look = V4L2Cameras.look()
    if let camera = Self.pick(id, from: look.cameras.map(\.device)) { return camera }
    let cameras = await watcher.cameras()
    if let camera = Self.pick(id, from: cameras) { return camera }
    if let id { throw .unknownCamera(id: id, known: (cameras + [TestCamera.device]).map(\.id)) }
    if let path = look.refusedPaths.first { throw .permissionDenied(camera: path) }
    throw .noCamera
  }

  private static func pick(_ id: CameraDevice.ID?, from cameras: [CameraDevice]) -> CameraDevice? {
    guard let id else { return cameras.first }
    return cameras.first { $0.id == id || $0.kind == .v4l2(path: id) }
  }

  private static func isGone(_ camera: CameraDevice, from list: DeviceList) -> Bool {
    switch camera.kind {
    case .test: false
    // An id may change when udev gives the node its names; the node itself stays.
    case .v4l2(let path): access(path, F_OK) != 0
    case .pipeWire(let node): !list.cameras.contains { $0.kind == .pipeWire(node: node) }
    }
  }

  private static func status(after error: CameraError) -> CameraStatus {
    switch error {
    case .noCamera: .noCamera
    case .permissionDenied: .permissionDenied
    case .inUse: .interrupted(.inUse)
    case .unplugged: .interrupted(.unplugged)
    default: .failed(error)
    }
  }

  // MARK: The microphone

  func setLive(_ isOn: Bool, microphone choice: MicrophoneChoice) async -> LiveSound {
    isLive = isOn
    self.choice = choice
    store.setLive(isOn)
    // Shots that are under way keep the sound that they began with.
    if !isOn { await store.waitUntilGathered() }
    return await openMicrophoneIfWanted()
  }

  /// Brings the microphone into the state that is wanted now.
  @discardableResult
  private func openMicrophoneIfWanted() async -> LiveSound {
    await soundTurn.enter()
    defer { soundTurn.leave() }
    let sound = await soundWanted()
    board.post(.sound(sound))
    return sound
  }

  private func soundWanted() async -> LiveSound {
    // Nobody is listened to while nothing is seen: the camera's start opens the microphone.
    guard isLive, camera != nil else {
      await closeMicrophone()
      return .off
    }
    do throws(CameraError) {
      let device = try await findMicrophone()
      if let microphone, microphone.device.id == device.id { return .recording(device) }
      await closeMicrophone()
      let pipeline = try MicrophonePipeline(device, store: store)
      store.setMicrophone(device)
      do throws(CameraError) {
        try await pipeline.start(limits: limits) { [weak self, weak pipeline] error in
          if let pipeline { self?.lostMicrophone(pipeline, error) }
        }
      } catch {
        await pipeline.stop()
        throw error
      }
      microphone = pipeline
      return .recording(device)
    } catch {
      await closeMicrophone()
      return .silent(reason: error.description)
    }
  }

  private func findMicrophone() async throws(CameraError) -> MicrophoneDevice {
    if let missing = LivePhotoEncoders.missingForSound() { throw missing }
    switch choice {
    case .none:
      throw .microphone(message: "none was chosen")
    case .device(MicrophoneDevice.testID):
      return TestCamera.microphone
    case .device(let id):
      let list = await watcher.devices()
      guard let device = list.microphone(id) else {
        throw .unknownMicrophone(id: id, known: list.microphones.map(\.id))
      }
      return device
    case .automatic:
      if !GStreamerRuntime.has("pulsesrc") { throw GStreamerRuntime.missing("pulsesrc") }
      guard let device = await watcher.devices().defaultMicrophone else {
        throw .microphone(message: "none was found")
      }
      return device
    }
  }

  private func lostMicrophone(_ pipeline: MicrophonePipeline, _ error: CameraError) {
    guard microphone === pipeline else { return }
    microphone = nil
    store.setMicrophone(nil)
    board.post(.sound(.silent(reason: error.description)))
    Task { await pipeline.stop() }
  }

  private func closeMicrophone() async {
    let closed = microphone
    microphone = nil
    store.setMicrophone(nil)
    await closed?.stop()
  }
}
