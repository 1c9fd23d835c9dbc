// The state machine of system pressure: from readings to a level, in steps and with hysteresis.

/// Decides on the level of pressure; performs nothing.
///
///     var rule = PressureRule()
///     if let changed = rule.received(signals, at: .now) { apply(changed.level.measures) }     // about once a second
///
/// The level rises by one step when two readings in a row call for more, and falls by one when nothing has called for it for
/// `patience`.
///
///     nominal ⇄ fair ⇄ serious ⇄ critical
///
/// Lost frames and a movie's backlog are counted with the present measures in force, and so call for one level more than the
/// present one. They also vanish as soon as a measure helps. So a computer that is always too slow would go up and down for
/// ever: a level that is left and comes back at once is kept twice as long the next time, up to `longestPatience`.
public struct PressureRule: Sendable {
  /// The time without a call for the present level, after which it falls by one.
  public static let patience = TimeSpan.seconds(10)
  /// The most that `patience` grows to.
  public static let longestPatience = TimeSpan.seconds(160)
  /// A level that comes back within this time after it was left was left too early.
  public static let relapse = TimeSpan.seconds(20)
  /// The readings in a row that have to call for more.
  static let confirmations = 2

  /// The lost share of the preview's frames that is worth a step. Below it, fewer frames at even distances would look
  /// worse than the ones that are left.
  static let notableLoss = 0.25
  /// The same while other programs wait for a processor as well, which makes it likely to last.
  static let notableLossWhileBusy = 0.15
  /// The processor's stall from which on the computer is busy, in percent.
  static let busy = 50.0
  /// The lost share that is worth the first step while people are told from the background in the preview: it costs no frame.
  static let notableLossWithMattes = 0.1
  /// The lost share that is worth the last step.
  static let heavyLoss = 0.5
  /// The backlog of a movie from which on the preview makes room for it.
  static let notableBacklog = 0.4
  /// The backlog from which on every other frame of the movie is left out: better than a gap of many.
  static let heavyBacklog = 0.8
  /// The stalls of memory that call for each level, in percent. At 60 systemd-oomd begins to kill programs.
  static let memoryStalls: [(stall: Double, level: PressureLevel)] = [(10, .fair), (30, .serious), (60, .critical)]
  /// A level is held until its signals are below this share of what called for it.
  static let holding = 0.5

  public private(set) var state = SystemPressure()
  private var risingCount = 0
  private var calmSince: MonotonicTime?
  private var lastFall: MonotonicTime?
  private var patience = Self.patience

  public init() {}

  /// Takes a reading.
  ///
  /// - Returns: The state if it has changed.
  public mutating func received(_ signals: PressureSignals, at time: MonotonicTime) -> SystemPressure? {
    let before = state
    if let lastFall, time - lastFall >= Self.relapse {
      self.lastFall = nil
      patience = Self.patience
    }
    let calls = Self.calls(of: signals, at: state.level)
    let wanted = calls.values.max() ?? .nominal
    if wanted > state.level {
      calmSince = nil
      risingCount += 1
      if risingCount >= Self.confirmations { rise(because: calls, at: time) }
    } else {
      risingCount = 0
      settle(signals, at: time)
    }
    return state == before ? nil : state
  }

  /// The camera has closed: there is nothing to relieve. What was learned about the computer is kept.
  ///
  /// - Returns: The state if it has changed.
  public mutating func rested() -> SystemPressure? {
    (risingCount, calmSince, lastFall) = (0, nil, nil)
    guard state != SystemPressure() else { return nil }
    state = SystemPressure()
    return state
  }

  private mutating func rise(because calls: [SystemPressure.Factor: PressureLevel], at time: MonotonicTime) {
    risingCount = 0
    if lastFall != nil {
      patience = min(Self.longestPatience, TimeSpan(nanoseconds: 2 * patience.nanoseconds))
      lastFall = nil
    }
    let level = state.level.next
    state = SystemPressure(level: level, factors: Set(calls.filter { $0.value >= level }.keys))
  }

  /// Nothing calls for more: the level is held or falls.
  private mutating func settle(_ signals: PressureSignals, at time: MonotonicTime) {
    guard state.level > .nominal else { return }
    let holds = Self.calls(of: signals.raised(by: 1 / Self.holding), at: state.level.previous)
      .filter { $0.value >= state.level }
    guard holds.isEmpty else {
      calmSince = nil
      state.factors = Set(holds.keys)
      return
    }
    guard let since = calmSince else {
      calmSince = time
      return
    }
    guard time - since >= patience else { return }
    calmSince = time
    lastFall = time
    let level = state.level.previous
    state = SystemPressure(level: level, factors: level == .nominal ? [] : state.factors)
  }

  /// The level that each factor calls for; none that calls for the nominal level.
  ///
  /// - Parameter level: The measures that were in force.
  static func calls(
    of signals: PressureSignals, at level: PressureLevel
  ) -> [SystemPressure.Factor: PressureLevel] {
    var calls: [SystemPressure.Factor: PressureLevel] = [:]
    switch signals.temperature {
    case .normal: break
    case .passive: calls[.temperature] = .fair
    case .hot: calls[.temperature] = .serious
    case .critical: calls[.temperature] = .critical
    }
    calls[.memory] = memoryStalls.last { signals.memoryStall >= $0.stall }?.level
    if signals.movieBacklog >= heavyBacklog {
      calls[.movie] = level.next
    } else if signals.movieBacklog >= notableBacklog {
      calls[.movie] = min(level.next, .serious)
    }
    var notable = signals.processorStall >= busy ? notableLossWhileBusy : notableLoss
    if signals.findsPeople, level == .nominal { notable = notableLossWithMattes }
    if signals.previewLoss >= heavyLoss {
      calls[.preview] = level.next
    } else if signals.previewLoss >= notable {
      calls[.preview] = min(level.next, .serious)
    }
    if signals.savesPower { calls[.powerSaver] = .fair }
    return calls
  }
}

extension PressureSignals {
  /// The same with its measured shares multiplied.
  fileprivate func raised(by factor: Double) -> PressureSignals {
    var signals = self
    signals.previewLoss *= factor
    signals.movieBacklog *= factor
    signals.memoryStall *= factor
    return signals
  }
}
