// The desktop session: the camera rests while the screen is locked, and everything is safe before the machine sleeps.

import CameraCore
import Localization
import Observation

/// A change of the desktop session.
public enum SessionNotice: Hashable, Sendable {
  /// The screen was locked or unlocked.
  case locked(Bool)
  /// The machine is about to sleep, or has woken.
  case asleep(Bool)
}

/// Delays the machine's sleep as long as it lives, some seconds at most.
public protocol SleepDelay: AnyObject, Sendable {
  /// Lets the machine sleep.
  func release()
}

/// The desktop session, as the models see it.
@MainActor public protocol SessionService: AnyObject {
  /// Calls `onNotice` for each change from now on, on the main actor.
  func start(_ onNotice: @escaping @MainActor (SessionNotice) -> Void)

  /// Asks to be waited for before the machine sleeps.
  ///
  /// - Parameter done: Gets the delay; `nil` where nobody grants one. On the main actor, once.
  func delaySleep(because reason: String, _ done: @escaping @MainActor ((any SleepDelay)?) -> Void)
}

/// Releases the camera before the machine sleeps and while the screen is locked, and takes it back.
///
/// A delay of sleep is held as long as the machine is awake. When it is about to sleep, a movie is finished and the
/// camera closed, and then the delay is released; logind waits for that, 5 seconds unless it is told otherwise.
@MainActor
public final class SessionModel {
  private let camera: CameraModel
  private let service: any SessionService
  private let userLeft: () -> Void
  private var machine = SleepStateMachine()
  private var delay: (any SleepDelay)?
  private var isLocked = false

  /// - Parameter userLeft: Called when the screen is locked or the machine is about to sleep.
  public init(camera: CameraModel, service: any SessionService, userLeft: @escaping () -> Void) {
    self.camera = camera
    self.service = service
    self.userLeft = userLeft
  }

  /// Starts watching, until the program ends.
  public func start() {
    service.start { [weak self] in self?.received($0) }
    perform(machine.started())
  }

  private func received(_ notice: SessionNotice) {
    switch notice {
    case .locked(let isLocked):
      guard isLocked != self.isLocked else { return }
      self.isLocked = isLocked
      if isLocked { userLeft() }
      Task { await camera.setSessionLocked(isLocked) }
    case .asleep(true):
      userLeft()
      perform(machine.sleeps())
    case .asleep(false):
      perform(machine.wakes())
    }
  }

  private func perform(_ action: SleepStateMachine.Action) {
    switch action {
    case .none: break
    case .delay:
      service.delaySleep(because: localized("PhotoMe is finishing a video and releasing the camera")) {
        [weak self] delay in
        guard let self else { return }
        self.delay = delay
        perform(machine.delayed(isGranted: delay != nil))
      }
    case .prepare(let sleep):
      Task {
        await camera.prepareForSleep()
        perform(machine.prepared(sleep))
      }
    case .release:
      delay?.release()
      delay = nil
    case .resume(let delays):
      Task { await camera.setAsleep(false) }
      if delays { perform(.delay) }
    }
  }
}

/// Decides when sleep is delayed; performs nothing.
///
///     awake ─ sleeps → preparing ─┬ prepared → asleep (the delay is released)
///                                 └ wakes → awake
///     asleep ─ wakes → awake (a new delay is asked for)
///
/// A delay that is granted late, when the machine sleeps or is about to, is released with the others.
struct SleepStateMachine: Sendable {
  enum Action: Equatable, Sendable {
    case none
    /// Ask for a delay, then report `delayed`.
    case delay
    /// Finish what is under way, close the camera, then report `prepared` with this number.
    case prepare(UInt64)
    /// Let the machine sleep.
    case release
    /// Take the camera back, and ask for a new delay where `delays` says so.
    case resume(delays: Bool)
  }

  private enum Phase: Sendable { case awake, preparing, asleep }

  private var phase = Phase.awake
  private var sleepCount: UInt64 = 0
  private var isAsking = false
  private var isDelayed = false

  mutating func started() -> Action {
    isAsking = true
    return .delay
  }

  /// The answer to `delay`.
  mutating func delayed(isGranted: Bool) -> Action {
    (isAsking, isDelayed) = (false, isGranted)
    guard phase == .asleep, isGranted else { return .none }
    isDelayed = false
    return .release
  }

  mutating func sleeps() -> Action {
    guard phase == .awake else { return .none }
    phase = .preparing
    sleepCount += 1
    return .prepare(sleepCount)
  }

  /// Everything is finished and closed. An earlier sleep's report, after a wake, changes nothing.
  mutating func prepared(_ sleep: UInt64) -> Action {
    guard phase == .preparing, sleep == sleepCount else { return .none }
    phase = .asleep
    guard isDelayed else { return .none }
    isDelayed = false
    return .release
  }

  mutating func wakes() -> Action {
    guard phase != .awake else { return .none }
    phase = .awake
    let delays = !isDelayed && !isAsking
    if delays { isAsking = true }
    return .resume(delays: delays)
  }
}
