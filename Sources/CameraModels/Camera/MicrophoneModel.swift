// The choice of the microphone, its level meter, and the words for one that is away or sends silence.

import CameraCore
import EngineInterface
import Localization
import Observation

/// The microphone of live photos and movies, as the window offers it.
///
/// The choice is kept by the microphone's stable id. While that one isn't connected, the engine records the desktop's
/// default instead and changes back by itself; this model says so once.
@MainActor @Observable
public final class MicrophoneModel {
  /// One of the microphones to choose from.
  public struct Row: Hashable, Identifiable, Sendable {
    public var choice: MicrophoneChoice
    public var title: String
    /// Whether it can be had now; `false` only for one that was chosen and isn't connected.
    public var isConnected: Bool

    public var id: MicrophoneChoice { choice }
  }

  /// The level of the microphone that is open, while it is followed; `nil` while none is open.
  public private(set) var level: SoundLevel?
  /// The microphone that has sent nothing but zeros for some seconds.
  public private(set) var silent: MicrophoneDevice?
  /// The microphone that records now.
  public private(set) var recording: MicrophoneDevice?
  private var devices = DeviceList()

  /// The movies of this microphone; `nil` where none are recorded.
  @ObservationIgnored weak var movies: MovieModel?

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let live: LivePhotoModel
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var followers = 0
  @ObservationIgnored private var following: Task<Void, Never>?
  /// The chosen microphone that was said to be away.
  @ObservationIgnored private var toldAway: MicrophoneDevice.ID?

  init(service: any CameraService, live: LivePhotoModel, settings: SettingsModel, messages: MessageModel) {
    self.service = service
    self.live = live
    self.settings = settings
    self.messages = messages
    live.microphones = self
  }

  deinit { following?.cancel() }

  // MARK: The choice

  /// The microphone that was chosen, which may not be connected.
  public var selected: MicrophoneChoice { settings.values.microphone }

  /// The microphones to choose from: the desktop's default first, none last.
  public var rows: [Row] {
    let real = devices.microphones.filter { $0.kind != .test }
    let preferred =
      devices.defaultMicrophone.map { localized("Automatic (\($0.name))", comment: "{0} is the name of a microphone") }
      ?? localized("Automatic", context: "microphone")
    var rows = [Row(choice: .automatic, title: preferred, isConnected: true)]
    rows += real.map { Row(choice: .device($0.id), title: $0.name, isConnected: true) }
    if case .device(let id) = selected, !rows.contains(where: { $0.choice == selected }) {
      let isTest = id == MicrophoneDevice.testID
      let name =
        isTest ? localized("Test Tone") : localized("\(settings.values.microphoneName ?? id) (Not Connected)")
      rows.append(Row(choice: selected, title: name, isConnected: isTest))
    }
    return rows + [Row(choice: .none, title: localized("None", context: "microphone"), isConnected: true)]
  }

  /// Takes sound from another microphone, or from none, and remembers it.
  public func select(_ choice: MicrophoneChoice) async {
    toldAway = nil
    let isChange = choice != selected
    settings.update {
      if case .device(let id) = choice { $0.microphoneName = devices.microphone(id)?.name ?? $0.microphoneName }
      $0.microphone = choice
    }
    if isChange {
      let title = rows.first { $0.choice == choice }?.title ?? localized("None", context: "microphone")
      messages.post(
        choice != .none && movies?.isWithoutSound == true
          ? localized("This video has no sound. The microphone will be used for the next one.")
          : localized("Microphone: \(title)."), topic: .setting)
    }
    await live.microphoneWasChosen()
  }

  // MARK: The meter

  /// What is known of the sound now, in one sentence.
  public var explanation: String {
    if movies?.isWithoutSound == true {
      return localized("This video has no sound. The microphone will be used for the next one.")
    }
    if let silent { return Self.sentence(ofSilent: silent) }
    return switch live.sound {
    case .silent(let reason): reason
    case .recording(let microphone): localized("Sound comes from “\(microphone.name)”.")
    case .off: localized("The level is shown while Live is on.")
    }
  }

  /// Keeps `level` up to date until `unfollow`, which each call needs. Nothing is measured for nobody.
  public func follow() {
    followers += 1
    guard following == nil else { return }
    let levels = service.soundLevels()
    following = Task { [weak self] in
      for await level in levels {
        guard let self, !Task.isCancelled else { return }
        self.level = level
      }
    }
  }

  /// Ends what `follow` began.
  public func unfollow() {
    followers = max(0, followers - 1)
    guard followers == 0 else { return }
    following?.cancel()
    following = nil
    level = nil
  }

  // MARK: Following the engine

  func received(_ devices: DeviceList) {
    if self.devices.microphones != devices.microphones { self.devices = devices }
  }

  func received(_ sound: LiveSound) {
    recording = if case .recording(let device) = sound { device } else { nil }
    guard case .device(let id) = selected, let recording else { return }
    if recording.id == id {
      toldAway = nil
      settings.update { $0.microphoneName = recording.name }
    } else if toldAway != id {
      toldAway = id
      let name = settings.values.microphoneName ?? id
      messages.post(
        localized(
          "The microphone “\(name)” isn’t connected. Sound comes from “\(recording.name)” until it is plugged in again."
        ))
    }
  }

  func received(silenceOf microphone: MicrophoneDevice?) {
    guard microphone != silent else { return }
    silent = microphone
    if let microphone { messages.post(Self.sentence(ofSilent: microphone)) }
  }

  private static func sentence(ofSilent microphone: MicrophoneDevice) -> String {
    localized("The microphone “\(microphone.name)” is silent. It may be muted in the system’s settings.")
  }
}
