// Driver of the camera's state machine: camera pipelines, requests that wait for an outcome, and the published status.

import CameraCore
import EngineInterface
import Foundation
import Logging

/// Owns the camera's pipelines. `CameraStateMachine` decides; this class performs its actions.
///
/// All of it runs on `PipelineActor`. An event changes the machine, the action is carried out, and the status is
/// published, without a suspension in between; whatever takes time runs in a task that reports the next event.
@PipelineActor
final class EngineCore {
  private let store: CaptureStore
  private let pump: PreviewPump
  private let board: NoticeBoard
  private let watcher: DeviceWatcher
  private let limits: EngineLimits
  private let fault: TestFault
  private let note: any OpeningNote
  private var isNoted = false
  private let logger = Logger(label: "photome.camera")

  private var machine = CameraStateMachine()
  /// The opening that is under way.
  private var opening: (generation: UInt64, task: Task<Void, Never>)?
  /// The pipeline that delivers, or is about to be closed.
  private var camera: (generation: UInt64, pipeline: CameraPipeline)?
  private var waiters: [CameraStateMachine.Ticket: CheckedContinuation<CameraStateMachine.Answer.Outcome, Never>] = [:]
  private var lastTicket: UInt64 = 0

  private let microphone: MicrophoneDriver

  nonisolated init(
    store: CaptureStore, pump: PreviewPump, board: NoticeBoard, watcher: DeviceWatcher, limits: EngineLimits,
    fault: TestFault, note: any OpeningNote
  ) {
    self.store = store
    self.pump = pump
    self.board = board
    self.watcher = watcher
    self.limits = limits
    self.fault = fault
    self.note = note
    microphone = MicrophoneDriver(store: store, board: board, watcher: watcher, limits: limits, fault: fault)
  }

  // MARK: Requests

  func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    switch await answer({ $0.open(configuration, $1) }) {
    case .running(let session): return session
    case .closed: throw .notRunning
    case .refused(let error): throw error
    }
  }

  func retry() async { _ = await answer { $0.retry($1) } }

  func distrust(_ configuration: CameraConfiguration, because error: CameraError) {
    perform(machine.distrust(configuration, because: error))
  }

  func conceal(_ concealment: CameraStateMachine.Concealment) async {
    _ = await answer { $0.conceal(concealment, $1) }
  }

  func reveal(_ concealment: CameraStateMachine.Concealment) { perform(machine.reveal(concealment)) }

  func stop() async {
    _ = await answer { $0.stop($1) }
    await microphone.waitUntilClosed()
  }

  func setLive(_ isOn: Bool, microphone choice: MicrophoneChoice) async -> LiveSound {
    await microphone.setLive(isOn, choice)
  }

  /// Something was plugged in or out.
  func devicesChanged() {
    // Not the list that came with the notification: two may have overtaken each other on their way here.
    guard let list = watcher.known else { return }
    board.post(.devices(list))
    perform(machine.devicesChanged(list) { Self.isGone($0, from: list) })
    microphone.devicesChanged(list)
  }

  /// Sends an event that is answered, and waits for the answer. When the task is canceled, so is the request.
  private func answer(
    _ event: (inout CameraStateMachine, CameraStateMachine.Ticket) -> CameraStateMachine.Action
  ) async -> CameraStateMachine.Answer.Outcome {
    lastTicket += 1
    let ticket = CameraStateMachine.Ticket(rawValue: lastTicket)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters[ticket] = continuation
        perform(event(&machine, ticket))
      }
    } onCancel: {
      Task { await self.cancel(ticket) }
    }
  }

  private func cancel(_ ticket: CameraStateMachine.Ticket) { perform(machine.cancel(ticket)) }

  // MARK: Actions

  private func perform(_ action: CameraStateMachine.Action) {
    switch action.work {
    case .none, .late:
      break
    case .open(let configuration, let generation):
      // Before anything is touched: looking for a camera opens it, too.
      noteOpening(UnfinishedOpening(cameraID: configuration.cameraID))
      opening = (generation, Task { await open(configuration, generation) })
    case .giveUp(let generation):
      if opening?.generation == generation { opening?.task.cancel() }
    case .waitForShots(let wait):
      Task {
        await store.waitUntilGathered()
        perform(machine.gathered(wait))
      }
    case .close(let generation):
      close(generation)
    case .impossible(let reason):
      logger.critical("The camera's driver \(reason).")
      assertionFailure(reason)
    }
    // After the work: whoever hears of a loss finds nothing of that camera any more.
    microphone.cameraDelivers(machine.isDelivering)
    if let status = machine.status { board.post(.status(status)) }
    for answer in action.answers { waiters.removeValue(forKey: answer.ticket)?.resume(returning: answer.outcome) }
  }

  private func open(_ configuration: CameraConfiguration, _ generation: UInt64) async {
    do throws(OpeningFailure) {
      let pipeline = try await pipeline(for: configuration, generation)
      camera = (generation, pipeline)
      opening = nil
      removeNote()
      perform(machine.opened(pipeline.session, generation))
    } catch {
      opening = nil
      removeNote()
      perform(machine.openFailed(refined(error.error, error.device), device: error.device, generation))
    }
    // The scan for devices waits while a camera is about to be opened.
    watcher.start()
  }

  private func close(_ generation: UInt64) {
    guard let camera, camera.generation == generation else { return }
    // From now on nothing comes from this camera, and nothing of it is kept but what shots hold.
    silence(camera.pipeline)
    self.camera = nil
    Task {
      await camera.pipeline.stop()
      perform(machine.closed(generation))
    }
  }

  private func silence(_ pipeline: CameraPipeline) {
    pipeline.silence()
    store.close()
    pump.reset()
  }

  // MARK: Opening

  /// An opening that came to nothing.
  private struct OpeningFailure: Error {
    var error: CameraError
    /// The camera that was tried.
    var device: CameraDevice?
  }

  /// Opens a camera and waits for its first frame. The task's cancellation makes it fail soon.
  private func pipeline(
    for configuration: CameraConfiguration, _ generation: UInt64
  ) async throws(OpeningFailure) -> CameraPipeline {
    let session: CameraSession
    do throws(CameraError) { session = try await choose(configuration) } catch {
      throw OpeningFailure(error: error, device: nil)
    }
    noteOpening(UnfinishedOpening(cameraID: session.camera.id, cameraName: session.camera.name))
    var isRetry = false
    while true {
      do throws(CameraError) {
        if Task.isCancelled { throw .notRunning }
        return try await begin(session, generation)
      } catch {
        // PipeWire refuses two times in five when its last listener has just left.
        guard !isRetry, !Task.isCancelled, case .device = error else {
          throw OpeningFailure(error: error, device: session.camera)
        }
        isRetry = true
        try? await Task.sleep(nanoseconds: UInt64(limits.retryPause.nanoseconds))
      }
    }
  }

  private func noteOpening(_ opening: UnfinishedOpening) {
    guard opening.cameraID != CameraDevice.testID else { return }
    isNoted = true
    note.write(opening)
  }

  /// The opening has ended. A note that another run left is left to whoever asks about it.
  private func removeNote() {
    guard isNoted else { return }
    isNoted = false
    note.remove()
  }

  private func begin(_ session: CameraSession, _ generation: UInt64) async throws(CameraError) -> CameraPipeline {
    let pipeline = try CameraPipeline(session, store: store, pump: pump, fault: fault)
    store.open(session)
    do throws(CameraError) {
      try await pipeline.start(limits: limits) { [weak self] error in
        self?.lost(error, session.camera, generation)
      }
      return pipeline
    } catch {
      silence(pipeline)
      await pipeline.stop()
      throw error
    }
  }

  private func lost(_ error: CameraError, _ device: CameraDevice, _ generation: UInt64) {
    perform(machine.lost(refined(error, device), device: device, generation))
  }

  /// An error of a camera that is gone is an unplug, whatever the driver or PipeWire called it.
  private func refined(_ error: CameraError, _ device: CameraDevice?) -> CameraError {
    guard case .device = error, let device, let list = watcher.known, Self.isGone(device, from: list) else {
      return error
    }
    return .unplugged(camera: device.name)
  }

  /// Finds the camera and the mode. A camera that is named is not looked for anywhere else, unless others will do.
  private func choose(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    let device = try await find(configuration)
    if let session = configuration.mode(of: device) { return session }
    var offered: [PixelSize] = []
    for format in device.formats where !offered.contains(format.size) { offered.append(format.size) }
    throw .noSuchFormat(camera: device.name, wanted: configuration.size ?? FormatChoice.defaultSize, offered: offered)
  }

  private func find(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraDevice {
    let id = configuration.cameraID
    if id == CameraDevice.testID { return TestCamera.device }
    if let known = watcher.known?.realCameras, let camera = Self.pick(id, from: known) { return camera }
    // The kernel answers in a millisecond, PipeWire in fifty.
    let scan = V4L2Cameras.look()
    if let camera = Self.pick(id, from: scan.cameras.map(\.device)) { return camera }
    let cameras = await watcher.cameras()
    if let camera = Self.pick(id, from: cameras) { return camera }
    if let id, !configuration.acceptsOthers {
      throw .unknownCamera(id: id, known: (cameras + [TestCamera.device]).map(\.id))
    }
    if let other = cameras.first { return other }
    if let path = scan.refusedPaths.first { throw .permissionDenied(camera: path) }
    throw .noCamera
  }

  private static func pick(_ id: CameraDevice.ID?, from cameras: [CameraDevice]) -> CameraDevice? {
    guard let id else { return cameras.first }
    return cameras.first { $0.answers(to: id) }
  }

  private static func isGone(_ camera: CameraDevice, from list: DeviceList) -> Bool {
    switch camera.kind {
    case .test: false
    // An id may change when udev gives the node its names; the node itself stays.
    case .v4l2(let path): access(path, F_OK) != 0
    case .pipeWire(let node): !list.cameras.contains { $0.kind == .pipeWire(node: node) }
    }
  }
}
