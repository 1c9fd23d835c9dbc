// Driver of the microphone's state machine: microphone pipelines, waiting requests, and the published state of sound.

import CameraCore
import Logging

/// Owns the pipeline of the live photos' microphone. `MicrophoneStateMachine` decides; the camera never waits for it.
@PipelineActor
final class MicrophoneDriver {
  private let store: CaptureStore
  private let board: NoticeBoard
  private let watcher: DeviceWatcher
  private let limits: EngineLimits
  private let fault: TestFault
  private let logger = Logger(label: "photome.microphone")

  private var machine = MicrophoneStateMachine()
  private var opening: (generation: UInt64, task: Task<Void, Never>)?
  private var microphone: (generation: UInt64, pipeline: MicrophonePipeline)?
  private var waiters: [MicrophoneStateMachine.Ticket: CheckedContinuation<LiveSound, Never>] = [:]
  private var lastTicket: UInt64 = 0

  nonisolated init(
    store: CaptureStore, board: NoticeBoard, watcher: DeviceWatcher, limits: EngineLimits, fault: TestFault
  ) {
    self.store = store
    self.board = board
    self.watcher = watcher
    self.limits = limits
    self.fault = fault
  }

  // MARK: Requests

  /// Turns Live on or off, and waits until it is known what happens to sound.
  func setLive(_ isOn: Bool, _ choice: MicrophoneChoice) async -> LiveSound {
    await answer { machine, ticket in
      let action = machine.setLive(isOn ? choice : nil, ticket)
      store.setLive(machine.isLive)
      return action
    }
  }

  func cameraDelivers(_ delivers: Bool) { perform(machine.cameraDelivers(delivers)) }

  func devicesChanged(_ list: DeviceList) { perform(machine.devicesChanged(list)) }

  /// Returns when the microphone's device is free, after the camera's end.
  func waitUntilClosed() async { _ = await answer { $0.waitUntilClosed($1) } }

  /// Sends an event that is answered, and waits for the answer.
  private func answer(
    _ event: (inout MicrophoneStateMachine, MicrophoneStateMachine.Ticket) -> MicrophoneStateMachine.Action
  ) async -> LiveSound {
    lastTicket += 1
    let ticket = MicrophoneStateMachine.Ticket(rawValue: lastTicket)
    return await withCheckedContinuation { continuation in
      waiters[ticket] = continuation
      perform(event(&machine, ticket))
    }
  }

  // MARK: Actions

  private func perform(_ action: MicrophoneStateMachine.Action) {
    switch action.work {
    case .none, .late:
      break
    case .open(let choice, let generation):
      opening = (generation, Task { await open(choice, generation) })
    case .giveUp(let generation):
      if opening?.generation == generation { opening?.task.cancel() }
    case .close(let generation):
      close(generation)
    case .waitForShots(let ticket):
      Task {
        await store.waitUntilGathered()
        perform(machine.gathered(ticket))
      }
    case .impossible(let reason):
      logger.critical("The microphone's driver \(reason).")
      assertionFailure(reason)
    }
    if let sound = machine.sound { board.post(.sound(sound)) }
    for answer in action.answers { waiters.removeValue(forKey: answer.ticket)?.resume(returning: answer.sound) }
  }

  private func open(_ choice: MicrophoneChoice, _ generation: UInt64) async {
    do throws(CameraError) {
      let pipeline = try await begin(try await find(choice), generation)
      microphone = (generation, pipeline)
      opening = nil
      perform(machine.opened(pipeline.device, generation))
    } catch {
      store.setMicrophone(nil)
      opening = nil
      perform(machine.openFailed(error.description, generation))
    }
  }

  private func close(_ generation: UInt64) {
    guard let microphone, microphone.generation == generation else { return }
    self.microphone = nil
    store.setMicrophone(nil)
    Task {
      await microphone.pipeline.stop()
      perform(machine.closed(generation))
    }
  }

  /// Opens a microphone and waits for its first sound. The task's cancellation makes it fail soon.
  private func begin(_ device: MicrophoneDevice, _ generation: UInt64) async throws(CameraError) -> MicrophonePipeline {
    if Task.isCancelled { throw .notRunning }
    let pipeline = try MicrophonePipeline(device, store: store, fault: fault)
    store.setMicrophone(device)
    do throws(CameraError) {
      try await pipeline.start(limits: limits) { [weak self] error in
        guard let self else { return }
        perform(machine.lost(error.description, generation))
      }
      return pipeline
    } catch {
      await pipeline.stop()
      throw error
    }
  }

  private func find(_ choice: MicrophoneChoice) async throws(CameraError) -> MicrophoneDevice {
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
}
