// State machine of the camera: the open session or why there is none, and the callers that wait for it.

/// The single owner of the camera's state. It decides and performs nothing: the engine reports every event and carries
/// out the action that each returns; models show `status` and keep no state of their own.
///
///     idle ──── open → opening ─┬ opened → running
///                               ├ openFailed → resting
///                               └ conceal, stop, open another, lost → withdrawing
///     running ──┬ lost → closing, and where it had run steadily, one opening of the same camera after that
///               └ conceal, stop, open another → finishing ─┬ gathered, lost → closing
///                                                          └ reveal → running
///     withdrawing ──┬ openFailed → resting, or the next opening
///                   └ opened, too late → closing
///     closing ─ closed → resting, or the next opening
///     resting ─ open, retry, reveal, devicesChanged → opening
///
/// Two rules hold by construction. There is one pipeline at a time: nothing opens before what was open before has
/// reported `closed` or `openFailed`. And a concealed camera never runs: every way into `opening` asks whether the
/// viewfinder can be seen, and concealing leaves `opening` and `running` at once.
///
/// A camera that stalls or breaks is opened again by itself, once, if it had sent good frames for `steadiness` before:
/// people see that it starts. One that breaks sooner, or can't be opened then, rests until it is asked for.
///
/// Events that arrive for something overtaken return `late`, and need nothing done. Events that no engine can send
/// (a pipeline closed twice, for example) return `impossible` with the reason: a defect of the driver.
public struct CameraStateMachine: Sendable {
  /// The number of one opening and of the pipeline that came of it. It grows with every opening.
  public typealias Generation = UInt64

  /// Identifies a caller that waits for an outcome; unique among those that wait.
  public struct Ticket: Hashable, Sendable {
    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
  }

  /// A reason why the viewfinder can't be seen. The camera is concealed while any of these holds.
  public enum Concealment: Hashable, Sendable, CaseIterable {
    /// Another page is in front, or the window is minimized.
    case page
    /// The program is closing, and finishes its last shots out of sight.
    case closing
    /// The desktop session is locked.
    case lock
    /// The machine is about to sleep.
    case sleep
  }

  enum State: Sendable {
    /// Nothing has been asked for yet.
    case idle
    /// A camera is being found and opened.
    case opening(Opening)
    /// Frames are arriving.
    case running(Running)
    /// The camera still delivers, only for the live photos that gather their movies. `wait` numbers that wait.
    case finishing(Running, wait: UInt64, then: Next)
    /// An opening was given up and hasn't ended yet.
    case withdrawing(Generation, then: Next)
    /// A pipeline is being closed. Nothing comes from it any more.
    case closing(Generation, then: Next)
    /// Nothing is open.
    case resting(Rest)
  }

  struct Opening: Sendable {
    var configuration: CameraConfiguration
    var generation: Generation
    var waiters: [Ticket]
    /// The name of the camera whose first picture takes long; `nil` while nothing takes long.
    var awaitedCamera: String?
    /// The camera that broke and is opened again; `nil` for an opening that was asked for.
    var reopened: CameraDevice?
    /// Whether the desktop is being asked.
    var asksPermission = false

    var status: CameraStatus {
      if asksPermission { return .awaitingPermission }
      return awaitedCamera.map { .awaitingPicture(camera: $0) } ?? .starting
    }
  }

  struct Running: Sendable {
    var session: CameraSession
    var configuration: CameraConfiguration
    var generation: Generation
  }

  /// The step after closing.
  enum Next: Sendable {
    case open(CameraConfiguration, [Ticket])
    /// Opens the camera that broke again. The rest takes its place if that very camera goes meanwhile.
    case reopen(CameraDevice, orRest: Rest)
    case rest(Rest, [Ticket])
  }

  /// The reason why nothing is open, and the request that a retry repeats.
  struct Rest: Sendable {
    var reason: Reason
    var configuration: CameraConfiguration
  }

  enum Reason: Sendable, Equatable {
    /// It can't be seen. Opens when it is revealed.
    case concealed
    /// `stop` was called. Opens when it is asked to.
    case stopped
    /// Waits for any camera.
    case noCamera
    /// Waits for cameras that can be opened.
    case permissionDenied(CameraError)
    case inUse(camera: String, holder: String?)
    /// Waits for this camera to come back.
    case unplugged(CameraDevice.ID?)
    /// `device` is the camera that failed, where one was found. When it goes, this becomes `unplugged`.
    case failed(CameraError, device: CameraDevice?)
  }

  /// The driver's task: one piece of work, and answers to those who wait.
  public struct Action: Sendable, Equatable {
    public var work: Work
    public var answers: [Answer]

    init(_ work: Work, _ answers: [Answer] = []) {
      self.work = work
      self.answers = answers
    }
  }

  /// A piece of work for the driver, most of which is reported back as an event with the same number. An action has
  /// one at most: there is one pipeline at a time.
  public enum Work: Sendable, Equatable {
    case none
    /// Find and open a camera, then report `opened` or `openFailed`.
    case open(CameraConfiguration, Generation)
    /// Make the opening end soon; it still reports `opened` or `openFailed`.
    case giveUp(Generation)
    /// Report `gathered` when no live photo gathers its movie any more.
    case waitForShots(UInt64)
    /// Close the pipeline; nothing of it counts from now on. Then report `closed`.
    case close(Generation)
    /// The event came for something that has been overtaken.
    case late
    /// The event contradicts the state: a defect of the driver. The state is unchanged.
    case impossible(String)
  }

  /// Sent to someone who waits.
  public struct Answer: Sendable, Equatable {
    /// The result of a request: of `open` and `retry` a session or an error, of `conceal` and `stop` that the camera is
    /// closed. A request that was overtaken is refused with `CameraError.notRunning`.
    public enum Outcome: Sendable, Equatable {
      case running(CameraSession)
      /// The camera is closed, as requested.
      case closed
      case refused(CameraError)
    }

    public var ticket: Ticket
    public var outcome: Outcome
  }

  var state = State.idle
  var concealments: Set<Concealment> = []
  private var lastNumber: UInt64 = 0
  /// The time that a camera must have sent good frames to be opened again when it breaks.
  private let steadiness: TimeSpan

  /// - Parameter steadiness: The time that a camera must have sent good frames to be opened again by itself.
  public init(steadiness: TimeSpan = .seconds(10)) { self.steadiness = steadiness }

  // MARK: Status

  /// The state as a person meets it; `nil` before anything was asked for.
  public var status: CameraStatus? {
    switch state {
    case .idle: nil
    case .opening(let opening): opening.status
    case .running(let running): .running(running.session)
    case .finishing(_, _, let next), .withdrawing(_, let next), .closing(_, let next):
      switch next {
      case .open, .reopen: .starting
      case .rest(let rest, _): rest.status
      }
    case .resting(let rest): rest.status
    }
  }

  /// Whether frames arrive and may be kept: the microphone of live photos is open just as long.
  public var isDelivering: Bool {
    switch state {
    case .running, .finishing: true
    case .idle, .opening, .withdrawing, .closing, .resting: false
    }
  }

  /// Whether the camera is about to be closed for more than a page in front of it: a movie ends first, and none begins.
  public var endsRecordings: Bool {
    guard case .finishing(_, _, let next) = state else { return false }
    switch next {
    case .open, .reopen: return true
    case .rest(let rest, _): return rest.reason != .concealed || concealments != [.page]
    }
  }

  var isVisible: Bool { concealments.isEmpty }

  // MARK: Events

  /// The first frame of an opening has arrived.
  public mutating func opened(_ session: CameraSession, _ generation: Generation) -> Action {
    switch state {
    case .opening(let opening) where opening.generation == generation:
      state = .running(Running(session: session, configuration: opening.configuration, generation: generation))
      return Action(.none, opening.waiters.map { Answer(ticket: $0, outcome: .running(session)) })
    case .withdrawing(generation, let next):
      state = .closing(generation, then: next)
      return Action(.close(generation))
    case .idle, .opening, .running, .finishing, .withdrawing, .closing, .resting:
      return Action(.impossible("opened what wasn’t being opened"))
    }
  }

  /// An opening takes long: the camera is open, and its first picture hasn't come.
  public mutating func awaitsPicture(of camera: CameraDevice, _ generation: Generation) -> Action {
    guard case .opening(var opening) = state, opening.generation == generation else { return Action(.late) }
    opening.awaitedCamera = camera.name
    state = .opening(opening)
    return Action(.none)
  }

  /// An opening came to nothing, and nothing of it is open.
  ///
  /// - Parameter device: The camera that was tried, where one was found.
  public mutating func openFailed(_ error: CameraError, device: CameraDevice?, _ generation: Generation) -> Action {
    switch state {
    case .opening(let opening) where opening.generation == generation:
      state = .resting(opening.rest(after: error, device))
      return Action(.none, opening.waiters.map { Answer(ticket: $0, outcome: .refused(error)) })
    case .withdrawing(generation, let next):
      return proceed(to: next)
    case .idle, .opening, .running, .finishing, .withdrawing, .closing, .resting:
      return Action(.impossible("failed to open what wasn’t being opened"))
    }
  }

  /// The camera broke, stalled or went away.
  ///
  /// - Parameter span: The time for which it had sent good frames.
  public mutating func lost(
    _ error: CameraError, device: CameraDevice, after span: TimeSpan, _ generation: Generation
  ) -> Action {
    switch state {
    case .opening(let opening) where opening.generation == generation:
      // After the first frame, and before the driver could report it.
      let rest = Rest(error, device: device, opening.configuration)
      state = .withdrawing(generation, then: .rest(rest, []))
      return Action(.giveUp(generation), opening.waiters.map { Answer(ticket: $0, outcome: .refused(error)) })
    case .running(let running) where running.generation == generation:
      let rest = Rest(error, device: device, running.configuration)
      let isOpenedAgain = error.isBreakdown && span >= steadiness
      state = .closing(generation, then: isOpenedAgain ? .reopen(device, orRest: rest) : .rest(rest, []))
      return Action(.close(generation))
    case .finishing(let running, _, let next) where running.generation == generation:
      // Its shots get what there was; what was to follow follows.
      state = .closing(generation, then: next)
      return Action(.close(generation))
    case .idle, .opening, .running, .finishing, .withdrawing, .closing, .resting:
      return Action(.late)
    }
  }

  /// No live photo gathers its movie any more.
  public mutating func gathered(_ wait: UInt64) -> Action {
    guard case .finishing(let running, wait, let next) = state else { return Action(.late) }
    state = .closing(running.generation, then: next)
    return Action(.close(running.generation))
  }

  /// The pipeline is closed and its device free, unless that hangs.
  public mutating func closed(_ generation: Generation) -> Action {
    guard case .closing(generation, let next) = state else {
      return Action(.impossible("closed what wasn’t being closed"))
    }
    return proceed(to: next)
  }

  /// Something was plugged in or out.
  ///
  /// - Parameter isGone: Whether a camera that was known is no longer there.
  public mutating func devicesChanged(_ list: DeviceList, isGone: (CameraDevice) -> Bool) -> Action {
    switch state {
    case .running(let running), .finishing(let running, _, _):
      let camera = running.session.camera
      guard isGone(camera) else { return Action(.none) }
      return lost(.unplugged(camera: camera.name), device: camera, after: .zero, running.generation)
    case .resting(let rest):
      switch follow(rest, list, isGone) {
      case .rest(let changed, _): state = .resting(changed)
      case .open(let configuration, _): return begin(configuration, [])
      case .reopen(let device, _): return begin(rest.configuration, [], reopened: device)
      }
    case .withdrawing(let generation, .rest(let rest, let waiters)):
      let next = follow(rest, list, isGone).waited(forBy: waiters)
      state = .withdrawing(generation, then: next.0)
      return Action(.none, next.1)
    case .closing(let generation, .rest(let rest, let waiters)):
      let next = follow(rest, list, isGone).waited(forBy: waiters)
      state = .closing(generation, then: next.0)
      return Action(.none, next.1)
    case .closing(let generation, .reopen(let device, let rest)) where isGone(device):
      // The error was the first sign of an unplug.
      state = .closing(generation, then: follow(rest, list, isGone))
    case .idle, .opening, .withdrawing, .closing:
      // An opening that is under way finds out by itself.
      break
    }
    return Action(.none)
  }

  // MARK: Steps

  /// The configuration that is open, or would be.
  var configuration: CameraConfiguration? {
    switch state {
    case .idle: nil
    case .opening(let opening): opening.configuration
    case .running(let running): running.configuration
    case .finishing(_, _, let next), .withdrawing(_, let next), .closing(_, let next): next.configuration
    case .resting(let rest): rest.configuration
    }
  }

  private mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func begin(
    _ configuration: CameraConfiguration, _ waiters: [Ticket], reopened device: CameraDevice? = nil
  ) -> Action {
    let generation = nextNumber()
    state = .opening(
      Opening(configuration: configuration, generation: generation, waiters: waiters, reopened: device))
    guard let device else { return Action(.open(configuration, generation)) }
    // No other camera takes the place of the one that broke without a word.
    var own = configuration
    (own.cameraID, own.acceptsOthers) = (device.id, false)
    return Action(.open(own, generation))
  }

  mutating func finish(_ running: Running, then next: Next) -> Action {
    let wait = nextNumber()
    state = .finishing(running, wait: wait, then: next)
    return Action(.waitForShots(wait))
  }

  /// Goes to rest from wherever it is. Those who wait for an earlier rest go on waiting.
  mutating func retire(to rest: Rest, _ waiters: [Ticket] = []) -> Action {
    switch state {
    case .idle, .resting:
      state = .resting(rest)
      return Action(.none, waiters.map { Answer(ticket: $0, outcome: .closed) })
    case .opening(let opening):
      state = .withdrawing(opening.generation, then: .rest(rest, waiters))
      return Action(.giveUp(opening.generation), Self.refuse(opening.waiters))
    case .running(let running):
      return finish(running, then: .rest(rest, waiters))
    case .finishing(let running, let wait, let next):
      let (merged, answers) = next.replaced(by: rest, waiters)
      state = .finishing(running, wait: wait, then: merged)
      return Action(.none, answers)
    case .withdrawing(let generation, let next):
      let (merged, answers) = next.replaced(by: rest, waiters)
      state = .withdrawing(generation, then: merged)
      return Action(.none, answers)
    case .closing(let generation, let next):
      let (merged, answers) = next.replaced(by: rest, waiters)
      state = .closing(generation, then: merged)
      return Action(.none, answers)
    }
  }

  /// The step after a change of devices, from a rest.
  private func follow(_ rest: Rest, _ list: DeviceList, _ isGone: (CameraDevice) -> Bool) -> Next {
    switch rest.following(list, isGone) {
    case .rest(let changed): .rest(changed, [])
    case .open where isVisible: .open(rest.configuration, [])
    case .open: .rest(Rest(reason: .concealed, configuration: rest.configuration), [])
    }
  }

  mutating func proceed(to next: Next) -> Action {
    switch next {
    case .open(let configuration, let waiters):
      return begin(configuration, waiters)
    case .reopen(let device, let rest):
      return begin(rest.configuration, [], reopened: device)
    case .rest(let rest, let waiters):
      state = .resting(rest)
      return Action(.none, waiters.map { Answer(ticket: $0, outcome: .closed) })
    }
  }
}
