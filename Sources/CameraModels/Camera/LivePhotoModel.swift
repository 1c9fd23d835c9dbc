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

  /// Whether the toggle can be pressed.
  public var isAvailable: Bool { capability == .available }

  /// The microphone that was chosen, which may not be plugged in.
  public var microphone: MicrophoneChoice { settings.values.microphone }

  /// One sentence for the toggle's tooltip: what Live does, or why it can't.
  public var explanation: String {
    switch (capability, sound) {
    case (.unavailable(let reason), _): reason
    case (_, .silent(let reason)): "Live is on, without sound: \(reason)"
    case (_, .recording(let microphone)): "Live is on, with sound from \(microphone.name)"
    case (_, .off): "Keep the moment around each photo, with sound"
    }
  }

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
    if settings.values.isLiveOn, isAvailable { await setOn(true) }
  }

  /// Turns Live on or off. Where it can't be on, says why.
  public func toggle() async { await setOn(!isOn) }

  /// Turns Live on or off. Where it can't be on, says why.
  public func setOn(_ wanted: Bool) async {
    await findOut()
    if wanted, case .unavailable(let reason) = capability {
      messages.post(reason)
      return
    }
    isOn = wanted
    settings.update { $0.isLiveOn = wanted }
    await apply()
  }

  /// Takes sound from another microphone, or from none.
  public func selectMicrophone(_ choice: MicrophoneChoice) async {
    settings.update { $0.microphone = choice }
    if isOn { await apply() }
  }

  /// The engine's notification about sound, for example that the microphone was unplugged.
  func received(_ sound: LiveSound) {
    if case .silent(let reason) = sound, sound != self.sound, settings.values.microphone != .none {
      messages.post("Live photos have no sound: \(reason)")
    }
    self.sound = sound
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
    if mine == generation { received(sound) }
  }
}
