// State machine of the microphone for live photos.

import Localization

/// Decides what becomes of the microphone, and performs nothing: the engine reports every event and carries out the
/// action that each returns. It is a machine of its own because a sound server that hangs must hold up no camera: the
/// camera runs with its first frame, whatever the microphone does.
///
///     off ─ wanted → opening ───┬ opened → recording
///                               ├ openFailed → silent
///                               └ another or none wanted, lost → withdrawing ─┬ openFailed → the next state
///                                                                             └ opened, too late → closing
///     recording ─ another or none wanted, lost → closing ─ closed → off, silent, or the next opening
///     silent ──┬ asked again, devicesChanged, pauseEnded → opening
///              └ none wanted → off
///
/// A microphone is wanted while Live is on and the camera delivers: nobody is listened to while nothing is seen. Shots
/// that are under way keep the sound that they began with, so turning Live off waits for them first.
///
/// One that breaks or falls silent is opened again at once: a sound server that was restarted costs a second of sound and
/// no word. If that doesn't help, Live is silent, and the microphone is tried again after pauses that grow to a few
/// seconds. The first failure of such a series is what people are told until somebody asks, something is plugged in, or
/// sound comes again: a reason that changed with every attempt would be a message every few seconds.
///
/// A microphone that goes away is replaced by the next one at once. When the one that was chosen is plugged in again, or
/// the desktop's default becomes another one, it is changed to as soon as no shot and no movie needs the present one.
///
/// As in `CameraStateMachine`, `late` events belong to something overtaken, and `impossible` ones are defects.
public struct MicrophoneStateMachine: Sendable {
  /// The number of one opening and of the pipeline that came of it.
  public typealias Generation = UInt64
  public typealias Ticket = CameraStateMachine.Ticket

  enum State: Sendable {
    /// Live is off, or no camera delivers.
    case off
    case opening(MicrophoneChoice, Generation, [Ticket])
    case recording(MicrophoneDevice, MicrophoneChoice, Generation, since: MonotonicTime)
    /// Live works without sound, for this reason, and a pause of this number goes before the next attempt.
    case silent(MicrophoneChoice, reason: String, pause: UInt64)
    /// An opening was given up and hasn't ended yet.
    case withdrawing(Generation, then: Next)
    case closing(Generation, then: Next)
  }

  enum Next: Sendable {
    case off([Ticket])
    case open(MicrophoneChoice, [Ticket])
    case silent(MicrophoneChoice, reason: String)

    var waiters: [Ticket] {
      switch self {
      case .off(let waiters), .open(_, let waiters): waiters
      case .silent: []
      }
    }
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

  /// A piece of work for the driver, most of which is reported back as an event with the same generation. An action has
  /// one at most: there is one pipeline at a time.
  public enum Work: Sendable, Equatable {
    case none
    /// Find and open a microphone, then report `opened` or `openFailed`.
    case open(MicrophoneChoice, Generation)
    /// Make the opening end soon; it still reports `opened` or `openFailed`.
    case giveUp(Generation)
    /// Close the pipeline; nothing of it counts from now on. Then report `closed`.
    case close(Generation)
    /// Wait until no shot gathers sound and no movie is recorded any more, then report `gathered`.
    case waitForShots(Ticket)
    /// Wait for so long, then report `pauseEnded` with this number. Ends the pause before.
    case pause(TimeSpan, UInt64)
    /// The event came for something that has been overtaken.
    case late
    /// The event contradicts the state: a defect of the driver. The state is unchanged.
    case impossible(String)
  }

  /// Sent to someone who waits: what happens to sound.
  public struct Answer: Sendable, Equatable {
    public var ticket: Ticket
    public var sound: LiveSound
  }

  /// The failures since a microphone worked well, or since somebody asked.
  private struct Series: Sendable {
    var count = 0
    /// The first one since there was sound.
    var reason: String?
  }

  /// The longest pause between two attempts.
  public static let longestPause = TimeSpan.seconds(4)
  /// Nobody's ticket: no request waits for this answer.
  private static let nobody = Ticket(rawValue: 0)
  /// After so long a recording, a failure is the first of a new series.
  public static let steadiness = TimeSpan.seconds(30)

  private var state = State.off
  private var failures = Series()
  private var lastPause: UInt64 = 0
  /// The microphone that was chosen for Live; `nil` while Live is off.
  private var choice: MicrophoneChoice?
  private var isCameraDelivering = false
  /// The devices as they were reported last.
  private var list: DeviceList?
  private var lastGeneration: Generation = 0

  public init() {}

  /// Whether Live is on.
  public var isLive: Bool { choice != nil }

  /// The failure that keeps sound away now; `nil` when nothing failed.
  public var failure: String? { failures.reason }

  /// The state of sound; `nil` while a microphone is being opened, when it isn't known yet.
  public var sound: LiveSound? {
    switch state {
    case .off: .off
    case .opening: nil
    case .recording(let device, _, _, _): .recording(device)
    case .silent(_, let reason, _): .silent(reason: reason)
    case .withdrawing(_, let next), .closing(_, let next):
      switch next {
      case .off: .off
      case .open: nil
      case .silent(_, let reason): .silent(reason: reason)
      }
    }
  }

  /// Live is turned on with this microphone, or off. A microphone that couldn't be had is tried again.
  ///
  /// - Parameters:
  ///   - choice: `nil` turns Live off.
  ///   - ticket: Answered when it is known what happens to sound.
  public mutating func setLive(_ choice: MicrophoneChoice?, _ ticket: Ticket) -> Action {
    self.choice = choice
    if choice != nil { failures = Series() }
    return choice == nil ? Action(.waitForShots(ticket)) : follow([ticket])
  }

  /// The shots that were under way when Live was turned off have their sound.
  public mutating func gathered(_ ticket: Ticket) -> Action { follow(ticket == Self.nobody ? [] : [ticket]) }

  /// The camera begins to deliver, or ends.
  public mutating func cameraDelivers(_ delivers: Bool) -> Action {
    guard delivers != isCameraDelivering else { return Action(.none) }
    isCameraDelivering = delivers
    return follow([])
  }

  /// Someone waits for the microphone's device to be free, after the camera's end.
  ///
  /// - Parameter ticket: Answered when it is closed; at once while the camera delivers.
  public mutating func waitUntilClosed(_ ticket: Ticket) -> Action {
    isCameraDelivering ? Action(.none, [Answer(ticket: ticket, sound: sound ?? .off)]) : follow([ticket])
  }

  /// Changes the microphone to the one that is wanted now, or to none.
  private mutating func follow(_ tickets: [Ticket]) -> Action {
    guard let choice, isCameraDelivering else { return close(tickets) }
    switch state {
    case .off:
      return open(choice, tickets)
    case .opening(choice, let generation, let waiters):
      state = .opening(choice, generation, waiters + tickets)
      return Action(.none)
    case .opening(_, let generation, let waiters):
      state = .withdrawing(generation, then: .open(choice, waiters + tickets))
      return Action(.giveUp(generation))
    case .recording(let device, let present, let generation, let since):
      if choice == present || choice == .device(device.id), !isSuperseded(device, choice) {
        state = .recording(device, choice, generation, since: since)
        return Action(.none, tickets.map { Answer(ticket: $0, sound: .recording(device)) })
      }
      state = .closing(generation, then: .open(choice, tickets))
      return Action(.close(generation))
    case .silent:
      return open(choice, tickets)
    case .withdrawing(let generation, let next):
      state = .withdrawing(generation, then: .open(choice, next.waiters + tickets))
      return Action(.none)
    case .closing(let generation, let next):
      state = .closing(generation, then: .open(choice, next.waiters + tickets))
      return Action(.none)
    }
  }

  /// The first sound of an opening has arrived.
  ///
  /// - Parameter time: The present.
  public mutating func opened(
    _ device: MicrophoneDevice, _ generation: Generation, at time: MonotonicTime
  ) -> Action {
    switch state {
    case .opening(let choice, generation, let waiters):
      failures.reason = nil
      state = .recording(device, choice, generation, since: time)
      return Action(.none, waiters.map { Answer(ticket: $0, sound: .recording(device)) })
    case .withdrawing(generation, let next):
      state = .closing(generation, then: next)
      return Action(.close(generation))
    case .off, .opening, .recording, .silent, .withdrawing, .closing:
      return Action(.impossible("opened what wasn’t being opened"))
    }
  }

  /// An opening came to nothing, and nothing of it is open.
  public mutating func openFailed(_ reason: String, _ generation: Generation) -> Action {
    switch state {
    case .opening(let choice, generation, let waiters):
      return fallSilent(choice, reason, waiters)
    case .withdrawing(generation, let next):
      return proceed(to: next)
    case .off, .opening, .recording, .silent, .withdrawing, .closing:
      return Action(.impossible("failed to open what wasn’t being opened"))
    }
  }

  /// The microphone broke, or sends nothing any more.
  ///
  /// - Parameter time: The present.
  public mutating func lost(_ reason: String, _ generation: Generation, at time: MonotonicTime) -> Action {
    switch state {
    case .recording(_, let choice, generation, let since):
      if time - since >= Self.steadiness { failures = Series() }
      failures.reason = reason
      let isFirst = failures.count == 0
      if isFirst { failures.count = 1 }
      state = .closing(generation, then: isFirst ? .open(choice, []) : .silent(choice, reason: reason))
      return Action(.close(generation))
    case .opening(let choice, generation, let waiters):
      // After the first sound, and before the driver could report it.
      let told = failures.reason ?? reason
      failures.reason = told
      state = .withdrawing(generation, then: .silent(choice, reason: told))
      return Action(.giveUp(generation), waiters.map { Answer(ticket: $0, sound: .silent(reason: told)) })
    case .off, .opening, .recording, .silent, .withdrawing, .closing:
      return Action(.late)
    }
  }

  /// The pipeline is closed.
  public mutating func closed(_ generation: Generation) -> Action {
    guard case .closing(generation, let next) = state else {
      return Action(.impossible("closed what wasn’t being closed"))
    }
    return proceed(to: next)
  }

  /// Something was plugged in or out. PulseAudio moves a listener whose microphone went away to whatever else there is,
  /// and says nothing; so the list counts. A microphone that couldn't be had is tried again.
  public mutating func devicesChanged(_ list: DeviceList) -> Action {
    self.list = list
    switch state {
    case .recording(let device, let choice, let generation, _) where list.microphone(device.id) == nil:
      let reason = CameraError.microphone(message: localized("“\(device.name)” was unplugged")).description
      failures.reason = reason
      // Where there is no other one, it isn't opened again at once: it is gone.
      state = .closing(
        generation, then: list.microphone(for: choice) == nil ? .silent(choice, reason: reason) : .open(choice, []))
      return Action(.close(generation))
    case .recording(let device, let choice, _, _) where isSuperseded(device, choice):
      return Action(.waitForShots(Self.nobody))
    case .silent(let choice, _, _) where choice != .none:
      failures = Series()
      return open(choice, [])
    case .off, .opening, .recording, .silent, .withdrawing, .closing:
      return Action(.none)
    }
  }

  /// A microphone that hung has let go of its device: the sound server answers again.
  public mutating func serverAnswered() -> Action {
    guard case .silent(let choice, _, _) = state, choice != .none else { return Action(.none) }
    return open(choice, [])
  }

  /// Whether another microphone than the one that records is the right one for a choice by now.
  private func isSuperseded(_ device: MicrophoneDevice, _ choice: MicrophoneChoice) -> Bool {
    guard let list, let better = list.microphone(for: choice), better.id != device.id else { return false }
    // Where the desktop has no default, the one that records is as good as the first of the list.
    return choice == .device(better.id) || better.isDefault
  }

  /// The pause of this number is over.
  public mutating func pauseEnded(_ pause: UInt64) -> Action {
    guard case .silent(let choice, _, pause) = state else { return Action(.late) }
    return open(choice, [])
  }

  private mutating func open(_ choice: MicrophoneChoice, _ waiters: [Ticket]) -> Action {
    lastGeneration += 1
    state = .opening(choice, lastGeneration, waiters)
    return Action(.open(choice, lastGeneration))
  }

  /// There is no sound; the next attempt comes after a pause, unless no microphone is wanted.
  private mutating func fallSilent(_ choice: MicrophoneChoice, _ reason: String, _ waiters: [Ticket]) -> Action {
    let told = failures.reason ?? reason
    failures.reason = told
    failures.count += 1
    lastPause += 1
    state = .silent(choice, reason: told, pause: lastPause)
    let seconds = Double(1 << min(failures.count - 1, 10))
    let pause = min(TimeSpan.seconds(seconds), Self.longestPause)
    return Action(
      choice == .none ? .none : .pause(pause, lastPause),
      waiters.map { Answer(ticket: $0, sound: .silent(reason: told)) })
  }

  private mutating func close(_ tickets: [Ticket]) -> Action {
    failures = Series()
    switch state {
    case .off, .silent:
      state = .off
      return Action(.none, tickets.map { Answer(ticket: $0, sound: .off) })
    case .opening(_, let generation, let waiters):
      state = .withdrawing(generation, then: .off(waiters + tickets))
      return Action(.giveUp(generation))
    case .recording(_, _, let generation, _):
      state = .closing(generation, then: .off(tickets))
      return Action(.close(generation))
    case .withdrawing(let generation, let next):
      state = .withdrawing(generation, then: .off(next.waiters + tickets))
      return Action(.none)
    case .closing(let generation, let next):
      state = .closing(generation, then: .off(next.waiters + tickets))
      return Action(.none)
    }
  }

  private mutating func proceed(to next: Next) -> Action {
    switch next {
    case .off(let waiters):
      state = .off
      return Action(.none, waiters.map { Answer(ticket: $0, sound: .off) })
    case .open(let choice, let waiters):
      return open(choice, waiters)
    case .silent(let choice, let reason):
      return fallSilent(choice, reason, [])
    }
  }
}
