// The Live toggle: its availability, its state, and the sound of live photos.

import CameraCore
import EngineInterface
import Observation

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

  /// Why Live rests although it may be on: a movie is being recorded. `nil` when it doesn't. Shots are plain photos
  /// meanwhile, and Live is as it was afterwards.
  public internal(set) var rest: String?

  /// The microphone that has sent nothing but zeros for some seconds.
  public internal(set) var silentMicrophone: MicrophoneDevice?

  /// Whether the toggle can be pressed.
  public var isAvailable: Bool { capability == .available && rest == nil }

  /// Whether a shot that is taken now is live.
  public var isActive: Bool { isOn && rest == nil }

  /// The microphone that was chosen, which may not be plugged in.
  public var microphone: MicrophoneChoice { settings.values.microphone }

  /// One sentence for the toggle's tooltip: what Live does, or why it can't.
  public var explanation: String {
    if let rest { return rest }
    return switch (capability, sound) {
    case (.unavailable(let reason), _): reason
    case (_, .silent(let reason)): "Live is on, without sound: \(reason)"
    case (_, .recording(let microphone)) where isOn && silentMicrophone == microphone:
      "Live is on, but “\(microphone.name)” sends silence. It may be muted in the system's settings."
    case (_, .recording(let microphone)) where isOn: "Live is on, with sound from \(microphone.name)"
    case (_, .off), (_, .recording): "Keep the moment around each photo, with sound"
    }
  }

  /// Called with the state of sound while Live rests: it is a movie's.
  @ObservationIgnored var soundChangedAtRest: ((LiveSound) -> Void)?

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var generation = 0

  public init(service: any CameraService, settings: SettingsModel, messages: MessageModel) {
    self.service = service
    self.settings = settings
    self.messages = messages
  }

  /// Turns Live on if it was on the last time.
  public func restore() async {
    await findOut()
    if settings.values.isLiveOn, capability == .available { await setOn(true) }
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

  /// Takes sound from another microphone, or from none; of a movie that is being recorded as well.
  public func selectMicrophone(_ choice: MicrophoneChoice) async {
    settings.update { $0.microphone = choice }
    if isOn || rest != nil { await apply() }
  }

  /// The engine's notification about sound, for example that the microphone was unplugged.
  func received(_ sound: LiveSound) {
    defer { self.sound = sound }
    // While Live rests, the sound is a movie's.
    if rest != nil { soundChangedAtRest?(sound) }
    if case .silent(let reason) = sound, sound != self.sound, isActive, settings.values.microphone != .none {
      messages.post("Live photos have no sound: \(reason)")
    }
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
    if mine == generation, isOn || rest == nil { received(sound) }
  }
}
