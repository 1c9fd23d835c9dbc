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
  private let board: NoticeBoard
  private let watcher: DeviceWatcher
  private let lent: LentCameras?
  private let pressure: PressureMonitor
  private let opener: CameraOpener
  private let limits: EngineLimits
  private let note: OpeningNoteKeeper
  private var isNoted = false
  private let logger = Logger(label: "photome.camera")

  private var machine: CameraStateMachine
  /// The opening that is under way.
  private var opening: (generation: UInt64, task: Task<Void, Never>)?
  /// The pipeline that delivers, or is about to be closed.
  private var camera: (generation: UInt64, pipeline: CameraPipeline)?
  private var waiters: [CameraStateMachine.Ticket: CheckedContinuation<CameraStateMachine.Answer.Outcome, Never>] = [:]
  private var lastTicket: UInt64 = 0
  /// Looks from time to time whether the camera that runs is still permitted; `nil` while none that is lent runs.
  private var permissionWatch: Task<Void, Never>?

  private let microphone: MicrophoneDriver

  nonisolated init(
    store: CaptureStore, pump: PreviewPump, board: NoticeBoard, levels: SoundLevels, watcher: DeviceWatcher,
    lent: LentCameras?, pressure: PressureMonitor, limits: EngineLimits, looks: LookBox, test: TestSetup,
    note: any OpeningNote, depth: DepthBoard? = nil
  ) {
    self.store = store
    self.board = board
    self.watcher = watcher
    self.lent = lent
    self.pressure = pressure
    self.limits = limits
    machine = CameraStateMachine(steadiness: limits.steadiness)
    self.note = OpeningNoteKeeper(note)
    opener = CameraOpener(
      store: store, pump: pump, watcher: watcher, lent: lent, limits: limits, looks: looks, test: test, depth: depth)
    microphone = MicrophoneDriver(
      store: store, board: board, levels: levels, watcher: watcher, limits: limits, fault: test.fault)
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

  func checkPermission() async {
    let wasRefused = machine.status?.awaitsAccess == true
    guard wasRefused || machine.isDelivering else { return }
    let refusal = await lent?.refusal()
    if wasRefused {
      if refusal == nil, machine.status?.awaitsAccess == true { await retry() }
    } else if case .accessDenied? = refusal, let camera, camera.pipeline.session.camera.kind != .test {
      lost(.accessDenied, camera.pipeline.session.camera, after: .zero, camera.generation)
    }
  }

  func distrust(_ configuration: CameraConfiguration, because error: CameraError) {
    perform(machine.distrust(configuration, because: error))
  }

  func conceal(_ concealment: CameraStateMachine.Concealment) async {
    // A movie goes on behind another page. Where nobody is any more, it ends first.
    if concealment != .page { store.recorder?.stop() }
    _ = await answer { $0.conceal(concealment, $1) }
  }

  func reveal(_ concealment: CameraStateMachine.Concealment) { perform(machine.reveal(concealment)) }

  func stop() async {
    store.recorder?.stop()
    _ = await answer { $0.stop($1) }
    await microphone.waitUntilClosed()
  }

  func setLive(_ isOn: Bool, microphone choice: MicrophoneChoice) async -> LiveSound {
    await microphone.setLive(isOn, choice)
  }

  /// A movie is going to be recorded with this microphone. Returns what happens to sound when that is known, or `awaited`
  /// after the limit: what is to be filmed doesn't wait for a sound server that hangs.
  func setRecordingSound(_ choice: MicrophoneChoice) async -> LiveSound {
    let answer = OneShot<LiveSound, CameraError>()
    let microphone = microphone
    Task { answer.decide(.success(await microphone.setRecording(choice))) }
    return (try? await answer.wait(atMost: limits.recordingSound, late: .notRunning)) ?? .awaited
  }

  /// A movie has ended. Another one that has begun since keeps its microphone.
  func endRecordingSound() async {
    if store.recorder == nil { _ = await microphone.setRecording(nil) }
  }

  /// Something was plugged in or out.
  func devicesChanged() {
    // Not the list that came with the notification: two may have overtaken each other on their way here.
    guard let list = watcher.known else { return }
    board.post(.devices(list))
    let wasRunning = machine.isDelivering
    perform(machine.devicesChanged(list) { $0.isGone(from: list) })
    if wasRunning, !machine.isDelivering { askForAccess() }
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
      logger.critical("The camera’s driver \(reason).")
      assertionFailure(reason)
    }
    store.endRecordings(machine.endsRecordings)
    // After the work: whoever hears of a loss finds nothing of that camera any more.
    microphone.cameraDelivers(machine.isDelivering)
    pressure.setWatching(machine.isDelivering)
    watchPermission()
    if let status = machine.status { board.post(.status(status)) }
    for answer in action.answers { waiters.removeValue(forKey: answer.ticket)?.resume(returning: answer.outcome) }
  }

  private func open(_ configuration: CameraConfiguration, _ generation: UInt64) async {
    // No note yet: whoever ends the program instead of answering the desktop's question has not seen it crash.
    do throws(CameraError) { try await admit(configuration, generation) } catch {
      opening = nil
      perform(machine.openFailed(error, device: nil, generation))
      watcher.start()
      return
    }
    // Before anything is touched: looking for a camera opens it, too.
    if configuration.cameraID != CameraDevice.testID {
      isNoted = true
      await note.write(UnfinishedOpening(cameraID: configuration.cameraID))
    }
    do throws(CameraOpener.Failure) {
      let pipeline = try await opener.open(configuration, reports(of: generation))
      camera = (generation, pipeline)
      opening = nil
      removeNote()
      perform(machine.opened(pipeline.session, generation))
    } catch {
      opening = nil
      removeNote()
      perform(machine.openFailed(error.error, device: error.device, generation))
      askForCameras()
    }
    // The scan for devices waits while a camera is about to be opened.
    watcher.start()
  }

  /// Watches the permission while a lent camera runs. WirePlumber 0.4.13 goes on lending a camera whose permission was
  /// withdrawn, and the portal tells nobody.
  private func watchPermission() {
    guard lent != nil, machine.isDelivering else {
      permissionWatch?.cancel()
      permissionWatch = nil
      return
    }
    guard permissionWatch == nil else { return }
    let pause = limits.permissionCheck
    permissionWatch = Task { [weak self] in
      while (try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))) != nil { await self?.checkPermission() }
    }
  }

  /// Asks the desktop for permission, where cameras are lent.
  private func admit(_ configuration: CameraConfiguration, _ generation: UInt64) async throws(CameraError) {
    guard let lent, configuration.cameraID != CameraDevice.testID else { return }
    try await lent.waitUntilReady()
    perform(machine.awaitsPermission(true, generation))
    try await lent.admit()
    perform(machine.awaitsPermission(false, generation))
  }

  private func close(_ generation: UInt64) {
    guard let camera, camera.generation == generation else { return }
    // From now on nothing comes from this camera.
    opener.silence(camera.pipeline)
    self.camera = nil
    Task {
      await camera.pipeline.stop()
      perform(machine.closed(generation))
    }
  }

  // MARK: Events

  /// What the opener tells of one opening.
  private func reports(of generation: UInt64) -> CameraOpener.Reports {
    CameraOpener.Reports(
      found: { [weak self] device in
        guard let self, device.id != CameraDevice.testID else { return }
        isNoted = true
        note.rewrite(UnfinishedOpening(cameraID: device.id, cameraName: device.name))
      },
      waits: { [weak self] device in
        guard let self else { return }
        perform(machine.awaitsPicture(of: device, generation))
      },
      lost: { [weak self] error, device, span in self?.lost(error, device, after: span, generation) })
  }

  private func lost(_ error: CameraError, _ device: CameraDevice, after span: TimeSpan, _ generation: UInt64) {
    let error = error.refined(for: device, by: watcher.known)
    store.lose(device, because: error)
    perform(machine.lost(error, device: device, after: span, generation))
    askForCameras()
    askForAccess()
  }

  /// A camera has failed: perhaps its PipeWire was started again, which nobody says. A list that is another one then is
  /// told as ever.
  private func askForCameras() { Task { [watcher] in _ = await watcher.cameras() } }

  /// A lent camera has gone: perhaps because it was taken back, which is told to nobody.
  private func askForAccess() {
    guard let lent else { return }
    Task {
      if case .accessDenied? = await lent.refusal() { perform(machine.accessWithdrawn(.accessDenied)) }
    }
  }

  /// The opening has ended. A note that another run left is left to whoever asks about it.
  private func removeNote() {
    guard isNoted else { return }
    isNoted = false
    note.remove()
  }
}
