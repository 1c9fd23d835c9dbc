// Driver of the microphone's state machine: microphone pipelines, waiting requests, and the published state of sound.

import CameraCore
import Localization
import Logging

/// Owns the pipeline of the microphone of live photos and movies. `MicrophoneStateMachine` decides; the camera never waits
/// for it.
@PipelineActor
final class MicrophoneDriver {
  private let store: CaptureStore
  private let board: NoticeBoard
  private let watcher: DeviceWatcher
  private let limits: EngineLimits
  private let fault: TestFault
  private let levels: SoundLevels
  private let logger = Logger(label: "photome.microphone")

  private var machine = MicrophoneStateMachine()
  private var opening: (generation: UInt64, task: Task<Void, Never>)?
  private var microphone: (generation: UInt64, pipeline: MicrophonePipeline)?
  private var waiters: [MicrophoneStateMachine.Ticket: CheckedContinuation<LiveSound, Never>] = [:]
  private var lastTicket: UInt64 = 0
  /// The pause before the next attempt.
  private var pause: Task<Void, Never>?
  /// Closed pipelines whose device hasn't let go yet.
  private var hanging: [MicrophonePipeline] = []

  private static var noAnswer: CameraError {
    CameraError.microphone(
      message: localized("the sound server isn’t responding; restart it, or log out and back in"))
  }

  /// The most devices that may hang at a time: each holds a thread and a connection until the sound server answers or
  /// libpulse gives up, after half a minute.
  private static let mostHanging = 2

  /// The microphones that Live and a movie want; `nil` for none. The movie's comes first.
  private var liveChoice: MicrophoneChoice?
  private var recordingChoice: MicrophoneChoice?

  nonisolated init(
    store: CaptureStore, board: NoticeBoard, levels: SoundLevels, watcher: DeviceWatcher, limits: EngineLimits,
    fault: TestFault
  ) {
    self.store = store
    self.board = board
    self.levels = levels
    self.watcher = watcher
    self.limits = limits
    self.fault = fault
  }

  // MARK: Requests

  /// Turns Live on or off, and waits until it is known what happens to sound.
  func setLive(_ isOn: Bool, _ choice: MicrophoneChoice) async -> LiveSound {
    liveChoice = isOn ? choice : nil
    // A movie that has sound changes its microphone as well.
    if recordingChoice != nil { recordingChoice = choice }
    store.setLive(isOn)
    let sound = await apply()
    return isOn ? sound : .off
  }

  /// A movie wants this microphone, or none any more. Waits until it is known what happens to sound.
  func setRecording(_ choice: MicrophoneChoice?) async -> LiveSound {
    recordingChoice = choice
    return await apply()
  }

  private func apply() async -> LiveSound {
    let choice = recordingChoice ?? liveChoice
    return await answer { machine, ticket in machine.setLive(choice, ticket) }
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
    case .pause(let span, let number):
      pause?.cancel()
      pause = Task { [weak self] in
        guard (try? await Task.sleep(nanoseconds: UInt64(span.nanoseconds))) != nil, let self else { return }
        perform(machine.pauseEnded(number))
      }
    case .impossible(let reason):
      logger.critical("The microphone’s driver \(reason).")
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
      perform(machine.opened(pipeline.device, generation, at: .now))
    } catch {
      // Another microphone is wanted instead, or none: that is no reason.
      store.setMicrophone(nil, because: error == .notRunning ? nil : error.description)
      opening = nil
      perform(machine.openFailed(error.description, generation))
    }
  }

  private func close(_ generation: UInt64) {
    guard let microphone, microphone.generation == generation else { return }
    self.microphone = nil
    store.setMicrophone(nil, because: machine.failure)
    Task {
      await stop(microphone.pipeline)
      perform(machine.closed(generation))
    }
  }

  /// Closes a pipeline; one that hangs is left to itself.
  private func stop(_ pipeline: MicrophonePipeline) async {
    await pipeline.stop()
    levels.end()
    board.post(.silence(nil))
    guard !pipeline.isClosed else { return }
    hanging.append(pipeline)
    Task {
      await pipeline.waitUntilClosed()
      hanging.removeAll { $0.isClosed }
      perform(machine.serverAnswered())
    }
  }

  /// Opens a microphone and waits for its first sound. The task's cancellation makes it fail soon.
  private func begin(_ device: MicrophoneDevice, _ generation: UInt64) async throws(CameraError) -> MicrophonePipeline {
    if Task.isCancelled { throw .notRunning }
    guard hanging.count < Self.mostHanging else { throw Self.noAnswer }
    let pipeline = try MicrophonePipeline(device, store: store, fault: fault) { [levels, board] in
      levels.publish($0.level)
      if let isSilent = $0.isSilent { board.post(.silence(isSilent ? device : nil)) }
    }
    store.setMicrophone(device)
    do throws(CameraError) {
      try await pipeline.start(limits: limits) { [weak self] error in
        guard let self else { return }
        perform(machine.lost(error.description, generation, at: .now))
      }
      return pipeline
    } catch {
      await stop(pipeline)
      throw error
    }
  }

  private func find(_ choice: MicrophoneChoice) async throws(CameraError) -> MicrophoneDevice {
    if let missing = LivePhotoEncoders.missingForSound() { throw missing }
    if choice == .none { throw .microphone(message: localized("no microphone is selected")) }
    if choice == .device(MicrophoneDevice.testID) { return TestCamera.microphone }
    if !GStreamerRuntime.has("pulsesrc") { throw GStreamerRuntime.missing("pulsesrc") }
    let list = await watcher.devices()
    if let device = list.microphone(for: choice) { return device }
    if watcher.isWaiting(for: .pulse) { throw Self.noAnswer }
    if case .device(let id) = choice { throw .unknownMicrophone(id: id, known: list.microphones.map(\.id)) }
    throw .microphone(message: localized("no microphone was found"))
  }
}
