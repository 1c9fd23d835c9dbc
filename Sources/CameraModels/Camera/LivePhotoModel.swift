// The Live toggle: its availability, its state, and the sound of live photos.

import CameraCore
import EngineInterface
import Localization
import Observation

/// What Live rests for. Shots are plain photos meanwhile, and Live is as it was afterwards.
public enum LiveRest: Sendable {
  case movie
  case burst
  case booth
}

/// Live photos as the toolbar shows them.
@MainActor @Observable
public final class LivePhotoModel {
  /// Whether live photos can be made here; `nil` until it is known.
  public private(set) var capability: LiveCapability?
  /// Whether the next shot will be live.
  public private(set) var isOn = false
  /// Whether, and from where, sound is being kept.
  public private(set) var sound = LiveSound.off
  /// The live shots whose movie is still rolling. The LIVE badge shows while it is above zero.
  public private(set) var rollingCount = 0

  /// All that Live rests for now, although it may be on.
  public private(set) var rests: Set<LiveRest> = []

  /// Why Live rests; `nil` when it doesn't.
  public var rest: String? {
    if rests.contains(.movie) { return localized("Live is off while a video is being recorded") }
    if rests.contains(.booth) { return localized("Live is off in the photo booth") }
    return rests.contains(.burst) ? localized("Live is off during a burst") : nil
  }

  /// Whether the toggle can be pressed.
  public var isAvailable: Bool { capability == .available && rests.isEmpty }

  /// Whether a shot that is taken now is live.
  public var isActive: Bool { isOn && rests.isEmpty }

  /// One sentence for the toggle's tooltip: what Live does, or why it can't.
  public var explanation: String {
    if let rest { return rest }
    return switch (capability, sound) {
    case (.unavailable(let reason), _): reason
    case (_, .silent(let reason)): localized("Live is on, but without sound. \(reason)")
    case (_, .recording(let microphone)) where isOn && microphones?.silent == microphone:
      localized(
        "Live is on, but the microphone “\(microphone.name)” is silent. It may be muted in the system’s settings.")
    case (_, .recording(let microphone)) where isOn: localized("Live is on, with sound from “\(microphone.name)”")
    case (_, .off), (_, .recording): localized("Capture the moments before and after each photo, with sound")
    }
  }

  /// Called with the state of sound while a movie is recorded: it is the movie's.
  @ObservationIgnored var movieSoundChanged: ((LiveSound) -> Void)?

  /// The microphones, of which one may be silent.
  @ObservationIgnored weak var microphones: MicrophoneModel?

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var generation = 0
  /// The silence that was said last, until there is sound again or none is wanted.
  @ObservationIgnored private var toldSilence: LiveSound?

  public init(service: any CameraService, settings: SettingsModel, messages: MessageModel) {
    self.service = service
    self.settings = settings
    self.messages = messages
  }

  /// Turns Live on if it was on the last time; also while it rests, for afterwards.
  public func restore() async {
    await findOut()
    guard settings.values.isLiveOn, capability == .available, !isOn else { return }
    isOn = true
    await apply()
  }

  /// Turns Live on or off. Where it can't be on, says why.
  public func toggle() async { await setOn(!isOn) }

  /// Turns Live on or off. Where it can't be on, says why.
  public func setOn(_ wanted: Bool) async {
    if let rest {
      messages.post(rest)
      return
    }
    await findOut()
    if wanted, case .unavailable(let reason) = capability {
      messages.post(reason)
      return
    }
    isOn = wanted
    settings.update { $0.isLiveOn = wanted }
    await apply()
  }

  /// Another microphone was chosen; a movie that is being recorded takes its sound from it as well.
  func microphoneWasChosen() async {
    if isOn || !rests.isEmpty { await apply() }
  }

  /// Something begins or ends that Live rests for. What was not said of its sound meanwhile is said at the end.
  func setResting(_ rest: LiveRest, _ isResting: Bool) {
    guard rests.contains(rest) != isResting else { return }
    if isResting { rests.insert(rest) } else { rests.remove(rest) }
    tellSilence()
  }

  /// The engine's notification about sound, for example that the microphone was unplugged.
  func received(_ sound: LiveSound) {
    self.sound = sound
    if rests.contains(.movie) { movieSoundChanged?(sound) }
    tellSilence()
  }

  private func tellSilence() {
    guard case .silent(let reason) = sound else {
      toldSilence = nil
      return
    }
    guard isActive, sound != toldSilence, settings.values.microphone != .none else { return }
    toldSilence = sound
    messages.post(localized("Live photos have no sound. \(reason)"))
  }

  func rollingBegan() { rollingCount += 1 }
  func rollingEnded() { rollingCount -= 1 }

  private func findOut() async {
    if capability == nil { capability = await service.liveCapability() }
  }

  private func apply() async {
    generation += 1
    let mine = generation
    let sound = await service.setLive(isOn, microphone: settings.values.microphone)
    // Without Live the answer says nothing of a movie's sound.
    if mine == generation, isOn || rests.isEmpty { received(sound) }
  }
}
