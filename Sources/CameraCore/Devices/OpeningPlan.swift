// The attempts to open a camera, one after the other, until one succeeds or nothing is left to try.

/// Decides what is tried when a camera can't be opened. It performs nothing: the driver reports each failure and makes the
/// attempt that is returned, or gives up.
///
///     var plan = OpeningPlan(configuration, camera)                  // nil: the camera has no such mode
///     plan.first                                                     // the mode that was asked for
///     plan.failed(.device(…), after: elapsed)                        // .attempt: the same again, after a pause
///     plan.failed(.device(…), after: elapsed)                        // .attempt: by PipeWire instead of V4L2
///     plan.failed(.device(…), after: elapsed)                        // .attempt: in a smaller mode
///
/// An unexplained error of the device is answered by all of these, a camera that is in use by the other way alone, damaged
/// pictures by smaller modes, which a weak cable may carry, and none at all by one smaller mode, since each costs the whole
/// time limit. An error that another attempt can't change, as a refused permission, ends the plan. What is told in the end
/// is the first error, unless a later one says more.
public struct OpeningPlan: Sendable {
  /// The bounds of a plan.
  public struct Limits: Sendable {
    /// No attempt begins later than this after the first one.
    public var time: TimeSpan
    /// Before the same is tried again.
    public var pause: TimeSpan
    /// The number of smaller modes that are tried.
    public var smallerModes: Int

    public init(time: TimeSpan = .seconds(25), pause: TimeSpan = .milliseconds(400), smallerModes: Int = 3) {
      self.time = time
      self.pause = pause
      self.smallerModes = smallerModes
    }
  }

  /// One attempt.
  public struct Attempt: Equatable, Sendable {
    /// The camera, by the way that is to be tried, with the modes that it hasn't refused; and the mode.
    public var session: CameraSession
    /// The time to wait before.
    public var pause: TimeSpan
  }

  /// The answer to a failure.
  public enum Step: Equatable, Sendable {
    case attempt(Attempt)
    /// Nothing is left to try; the error is the one to tell.
    case giveUp(CameraError)
  }

  private enum Tactic: Equatable {
    case again, otherWay, smallerMode
  }

  /// The first attempt.
  public let first: Attempt
  private let configuration: CameraConfiguration
  private let limits: Limits
  /// The attempt that is under way.
  private var current: CameraSession
  /// The smallest mode that was tried by the first way.
  private var lowest: CameraSession
  /// What is left to try, in this order.
  private var tactics: [Tactic]
  private var told: CameraError?
  private var hadNoFrames = false
  /// The modes in which the first way failed for no reason that has a name.
  private var refusedModes: [String] = []

  /// - Returns: `nil` when the camera has no mode that meets the request.
  public init?(_ configuration: CameraConfiguration, _ camera: CameraDevice, limits: Limits = Limits()) {
    guard let session = configuration.mode(of: camera) else { return nil }
    self.configuration = configuration
    self.limits = limits
    first = Attempt(session: session, pause: .zero)
    (current, lowest) = (session, session)
    // PipeWire (0.3.65) has refused two times in five when its last listener had just left, and none of 160 times since the
    // elements have a connection of their own: a smaller picture would be the price of giving up too soon.
    let repeats = if case .pipeWire = camera.kind { 2 } else { 1 }
    tactics = [Tactic](repeating: .again, count: repeats)
    tactics.append(.otherWay)
    tactics += [Tactic](repeating: .smallerMode, count: limits.smallerModes)
  }

  /// The attempt that is under way came to nothing.
  ///
  /// - Parameter elapsed: Since the first attempt began.
  public mutating func failed(_ error: CameraError, after elapsed: TimeSpan) -> Step {
    // What the other way reports may be about that way alone, so it neither ends the plan nor is told.
    if current.camera.kind == first.session.camera.kind { learn(from: error) }
    return nextStep(elapsed) ?? .giveUp(summary ?? error)
  }

  private mutating func nextStep(_ elapsed: TimeSpan) -> Step? {
    while elapsed < limits.time, !tactics.isEmpty {
      if let attempt = attempt(tactics.removeFirst()) {
        current = attempt.session
        return .attempt(attempt)
      }
    }
    return nil
  }

  /// The error to tell: where several modes were tried, with their names.
  private var summary: CameraError? {
    guard case .device(let camera, let message)? = told, refusedModes.count > 1 else { return told }
    return .refusedModes(camera: camera, modes: refusedModes, message: message)
  }

  private mutating func learn(from error: CameraError) {
    defer { if case .noFrames = error { hadNoFrames = true } }
    switch (told, error) {
    case (nil, _): told = error
    // The driver's words say less than a cause that has a name.
    case (.device?, .inUse), (.device?, .permissionDenied), (.device?, .unplugged), (.device?, .unresponsive):
      told = error
    default: break
    }
    switch error {
    case .device:
      let mode = "\(current.format.encoding) \(current.format.size)"
      if !refusedModes.contains(mode) { refusedModes.append(mode) }
    case .inUse, .missingPlugin: tactics.removeAll { $0 != .otherWay }
    case .damagedFrames: tactics.removeAll { $0 != .smallerMode }
    case .noFrames: tactics = hadNoFrames ? [] : Array(tactics.filter { $0 == .smallerMode }.prefix(1))
    default: tactics = []
    }
  }

  private mutating func attempt(_ tactic: Tactic) -> Attempt? {
    switch tactic {
    case .again:
      return Attempt(session: current, pause: limits.pause)
    case .otherWay:
      return first.session.camera.byOtherWay.flatMap(configuration.mode(of:)).map { Attempt(session: $0, pause: .zero) }
    case .smallerMode:
      // The refused modes are taken from the camera, so that the session that comes of it meets the request, and nothing
      // is opened again when the same is asked for.
      var camera = lowest.camera
      let (refused, isExact) = (lowest.format, configuration.sizeIsExact)
      // Another encoding of the same size is worth a try only where no other size will do: raw takes more of the cable.
      camera.formats.removeAll { $0 == refused || (!isExact && $0.size.area >= refused.size.area) }
      guard let session = configuration.mode(of: camera) else { return nil }
      lowest = session
      return Attempt(session: session, pause: .zero)
    }
  }
}
