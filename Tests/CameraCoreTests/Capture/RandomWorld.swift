// Random events for the camera's state machine.

import CameraCore
import TestSupport

/// An engine that does what the machine says in a random order, beside people and devices that do what they like.
struct RandomWorld {
  private(set) var faults: [String] = []
  private var machine = CameraStateMachine()
  private var random: SeededNumbers
  private var concealed: Set<CameraStateMachine.Concealment> = []
  private var opening: UInt64?
  private var alive: UInt64?
  private var closing: UInt64?
  private var waits: [UInt64] = []
  private var unanswered: Set<CameraStateMachine.Ticket> = []
  private var lastTicket: UInt64 = 0
  /// Whether the camera that is being closed ran steadily before it broke; `nil` once anything else has happened.
  private var lossWasSteady: Bool?

  init(seed: UInt64) { random = SeededNumbers(state: seed) }

  mutating func step() {
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      let id = [nil, "cam", "other"].randomElement(using: &random) ?? nil
      ask { $0.open(CameraConfiguration(cameraID: id), $1) }
    case 1: ask { $0.retry($1) }
    case 2: ask { $0.stop($1) }
    case 3, 4:
      let concealment = CameraStateMachine.Concealment.allCases.randomElement(using: &random) ?? .page
      concealed.insert(concealment)
      ask { $0.conceal(concealment, $1) }
    case 5, 6: reveal(CameraStateMachine.Concealment.allCases.randomElement(using: &random) ?? .page)
    case 7: if let ticket = unanswered.sorted(by: { $0.rawValue < $1.rawValue }).first { take { $0.cancel(ticket) } }
    case 8: look()
    case 9: lose()
    default: work()
    }
  }

  /// Lets everything that is under way end, and looks whether nothing is left over.
  mutating func comeToRest() {
    while opening != nil || closing != nil || !waits.isEmpty { work() }
    if !concealed.isEmpty, alive != nil { faults.append("runs out of sight") }
    for concealment in CameraStateMachine.Concealment.allCases { reveal(concealment) }
    while opening != nil || closing != nil || !waits.isEmpty { work() }
    ask { $0.stop($1) }
    while opening != nil || closing != nil || !waits.isEmpty { work() }
    if alive != nil { faults.append("runs after stop") }
    if !unanswered.isEmpty { faults.append("\(unanswered.count) wait for ever") }
  }

  private mutating func work() {
    if let generation = opening {
      opening = nil
      if Bool.random(using: &random) {
        alive = generation
        take { $0.opened(CameraStateMachineTests.session, generation) }
      } else {
        let errors = [
          CameraError.noCamera, .notRunning, .unplugged(camera: "Webcam"), CameraStateMachineTests.broken,
        ]
        let error = errors.randomElement(using: &random) ?? .noCamera
        take { $0.openFailed(error, device: CameraStateMachineTests.camera, generation) }
      }
    } else if let generation = closing {
      closing = nil
      let isOpenedAgain = lossWasSteady
      take { $0.closed(generation) }
      if let isOpenedAgain, (opening != nil) != isOpenedAgain { faults.append("opens by itself, or doesn't") }
    } else if !waits.isEmpty {
      let wait = waits.removeFirst()
      take { $0.gathered(wait) }
    }
  }

  private mutating func lose() {
    guard let generation = alive ?? opening else { return }
    let isRunning = if case .running? = machine.status { true } else { false }
    let isSteady = Bool.random(using: &random)
    take {
      $0.lost(
        CameraStateMachineTests.broken, device: CameraStateMachineTests.camera,
        after: isSteady ? .seconds(10) : .seconds(9), generation)
    }
    if isRunning { lossWasSteady = isSteady }
  }

  private mutating func look() {
    let isThere = Bool.random(using: &random)
    let list = DeviceList(cameras: isThere ? [CameraStateMachineTests.camera] : [])
    take { $0.devicesChanged(list) { _ in !isThere } }
  }

  private mutating func reveal(_ concealment: CameraStateMachine.Concealment) {
    concealed.remove(concealment)
    take { $0.reveal(concealment) }
  }

  private mutating func ask(
    _ event: (inout CameraStateMachine, CameraStateMachine.Ticket) -> CameraStateMachine.Action
  ) {
    lastTicket += 1
    let ticket = CameraStateMachine.Ticket(rawValue: lastTicket)
    unanswered.insert(ticket)
    take { event(&$0, ticket) }
  }

  private mutating func take(_ event: (inout CameraStateMachine) -> CameraStateMachine.Action) {
    lossWasSteady = nil
    let action = event(&machine)
    switch action.work {
    case .none, .late: break
    case .open(_, let generation):
      if opening != nil || alive != nil || closing != nil { faults.append("two pipelines") }
      if !concealed.isEmpty { faults.append("opens out of sight") }
      opening = generation
    case .giveUp(let generation):
      if opening != generation, alive != generation { faults.append("gives up what isn't being opened") }
    case .waitForShots(let wait): waits.append(wait)
    case .close(let generation):
      if alive != generation { faults.append("closes what isn't open") }
      alive = nil
      closing = generation
    case .impossible(let reason): faults.append(reason)
    }
    for answer in action.answers where unanswered.remove(answer.ticket) == nil { faults.append("answered twice") }
    if case .running? = machine.status {
      if !concealed.isEmpty { faults.append("is shown as running out of sight") }
      if alive == nil { faults.append("is shown as running without a pipeline") }
    }
    if machine.isDelivering != (alive != nil) { faults.append("delivers without a pipeline, or the reverse") }
  }
}
