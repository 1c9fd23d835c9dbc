// Movies as the window shows them: the photo and movie switch, recording, pausing, the time and the space left.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Records movies into the library.
///
/// A movie is written in the folder of its month under a hidden name, and gets its name when it is finished: nothing is
/// copied, the library finds it as it finds what other programs put there, and what a kill leaves is there at the next
/// start (`restore`).
@MainActor @Observable
public final class MovieModel {
  /// What the shutter does.
  public enum Mode: Sendable, Equatable {
    case photo
    case movie
  }

  /// The state of the movie that is being recorded.
  public enum Phase: String, Sendable {
    case idle
    /// The microphone and the encoder are being opened.
    case starting
    case recording
    case paused
    /// The last frame is taken; the file is being finished.
    case finishing

    /// Whether the movie has begun and goes on, paused or not.
    public var isRolling: Bool { self == .recording || self == .paused }
  }

  /// Kept in the settings.
  public var mode: Mode { settings.values.recordsMovies ? .movie : .photo }
  public private(set) var phase = Phase.idle {
    didSet {
      live.setResting(.movie, isBusy)
      effects?.rest = isBusy ? localized("The effect can be changed after the video") : nil
    }
  }
  /// The length, the size and the time left, about once a second; `nil` before the first second.
  public private(set) var progress: RecordingProgress?
  /// The sound of the movie that is being recorded, or of the last one.
  public private(set) var sound = LiveSound.off
  /// The movie that was finished last.
  public private(set) var lastMovie: RecordedMovie?
  /// The end of the last recording; `nil` while one goes on, and before the first.
  public private(set) var lastOutcome: Result<RecordedMovie, CameraError>?

  /// Whether the movie that is being recorded gets sound now.
  public var hasSound: Bool {
    switch (phase, sound, live.sound) {
    case (.recording, .recording, .recording), (.paused, .recording, .recording): true
    default: false
    }
  }

  /// Whether the movie that is being recorded has no sound track: no microphone can change that anymore.
  var isWithoutSound: Bool { phase.isRolling && !hasSoundTrack }

  /// The length of the movie so far, without pauses.
  public var elapsed: TimeSpan { progress?.elapsed ?? .zero }

  /// The time until the disk is full; `nil` while nothing is recorded or nobody knows.
  public var timeLeft: TimeSpan? { progress?.timeLeft }

  /// Whether a movie is being recorded or finished: the machine must not go to sleep.
  public var isBusy: Bool { phase != .idle }

  public var activity: Activity { isBusy ? .movie(elapsed: elapsed) : .idle }

  /// The viewfinder's effect, which a movie gets as an edit once it is in the library; `nil` where there are no effects.
  @ObservationIgnored public var effects: EffectsModel?

  /// Why neither the mode nor the camera can be changed now; `nil` when they can.
  public var changeRefusal: String? { isBusy ? localized("A video is being recorded. Stop it first.") : nil }

  /// Why no movie can be recorded now; `nil` while one can, or nobody knows.
  @ObservationIgnored var refusal: (() -> CameraError?)?

  /// Called before the mode changes.
  @ObservationIgnored var modeChanges: (() -> Void)?

  /// Where movies are recorded; `nil` where nobody knows.
  @ObservationIgnored public var place: LocationModel?

  /// Changes with each event of a movie. While it stands still, nothing is being done for it.
  @ObservationIgnored private(set) var steps = 0

  /// The time that fits on the disk while no movie is recorded.
  let space: MovieSpaceModel

  @ObservationIgnored let service: any MovieRecording
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored let live: LivePhotoModel
  @ObservationIgnored let settings: SettingsModel
  @ObservationIgnored let messages: MessageModel
  @ObservationIgnored private let now: () -> Date
  @ObservationIgnored private var following: Task<Void, Never>?
  /// Hands the finished movie to the effects.
  @ObservationIgnored private var passingOn: Task<Void, Never>?
  /// The effect that was on when the movie began.
  @ObservationIgnored private var effect: AdjustmentRecipe.EffectSetting?
  /// Whether somebody was seen when the movie began.
  @ObservationIgnored private var hasPerson = false
  /// The effect of the movie that is being recorded, as it is filed.
  @ObservationIgnored private var filedEffect: Asset.ID?
  @ObservationIgnored private var hasSoundTrack = false
  /// Whether the movie was ended before it was asked for.
  @ObservationIgnored private var isStopWanted = false

  /// - Parameters:
  ///   - now: The wall clock, for the folder of the month.
  ///   - clock: Measures the time from one look at the disk to the next.
  public init(
    service: any MovieRecording, library: PhotoLibrary, live: LivePhotoModel, settings: SettingsModel,
    messages: MessageModel, now: @escaping () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.service = service
    self.library = library
    self.live = live
    self.settings = settings
    self.messages = messages
    self.now = now
    space = MovieSpaceModel(service: service, clock: clock)
    live.movieSoundChanged = { [weak self] in self?.soundChanged($0) }
  }

  /// Gives the movies of a run that was killed their names, and says so. Those that were recorded with an effect get it.
  public func restore() async {
    let all = await service.recoverRecordings(in: library.folder)
    for text in Self.summary(of: all) { messages.post(text) }
    for recovered in all {
      guard case .recovered(let url, let hiddenPath) = recovered else { continue }
      await effects?.shots.movieWasRecovered(hiddenPath, at: url)
    }
  }

  /// One sentence for all movies that were recovered, and the failures.
  static func summary(of recordings: [RecoveredRecording]) -> [String] {
    let recovered = recordings.filter { if case .recovered = $0 { true } else { false } }
    let failures = recordings.filter { !recovered.contains($0) }.map(\.description)
    guard let first = recovered.first else { return failures }
    let count = recovered.count
    let text =
      count == 1
      ? first.description
      : localized(
        "PhotoMe quit while recording. \(count) video was saved, except for its last half second.",
        plural: "PhotoMe quit while recording. \(count) videos were saved, except for their last half seconds.",
        count: count)
    return [text] + failures
  }

  /// Follows the camera of the next movie, for the time that fits on the disk.
  func follow(_ session: @escaping () -> CameraSession?) {
    space.follow { [weak self] in
      guard let self, mode == .movie, phase == .idle, let session = session() else { return nil }
      return MovieSpaceModel.Subject(settings: nextSettings(in: library.folder), session: session)
    }
  }

  /// The settings of a movie that begins now.
  private func nextSettings(in folder: URL, duration: TimeSpan? = nil, date: Date? = nil) -> RecordingSettings {
    let values = settings.values
    return RecordingSettings(
      folder: folder, microphone: values.microphone, quality: values.movieQuality, codec: values.movieCodec,
      duration: duration, date: date, position: place?.location?.iso6709, isMirrored: values.mirror == .files,
      isStabilized: values.stabilizesMovies)
  }

  // MARK: Intents

  /// Changes what the shutter does; refused, with a word, while a movie is recorded.
  public func setMode(_ wanted: Mode) {
    if let changeRefusal { return messages.post(changeRefusal) }
    guard wanted != mode else { return }
    modeChanges?()
    settings.update { $0.recordsMovies = wanted == .movie }
  }

  /// Changes between photos and movies; refused, with a word, while a movie is recorded.
  public func toggleMode() { setMode(mode == .photo ? .movie : .photo) }

  /// Changes the quality of the next movies.
  public func setQuality(_ quality: RecordingSettings.Quality) {
    settings.update(saying: localized("Video quality: \(quality.title).")) { $0.movieQuality = quality }
  }

  /// Whether the shaking of the camera is taken out of the next movies.
  public var isStabilized: Bool { settings.values.stabilizesMovies }

  /// Has the shaking of the camera taken out of the next movies, or not.
  public func setStabilized(_ isOn: Bool) {
    settings.update(
      saying: isOn ? localized("Video stabilization is on.") : localized("Video stabilization is off.")
    ) { $0.stabilizesMovies = isOn }
  }

  /// The quality of the next movies.
  public var quality: RecordingSettings.Quality { settings.values.movieQuality }

  /// Begins a movie; returns when that is on its way. What goes wrong is said.
  ///
  /// - Parameter duration: The length at which it ends by itself; `nil` for none.
  public func start(duration: TimeSpan? = nil) async {
    guard phase == .idle else { return }
    if let refusal = refusal?() {
      lastOutcome = .failure(refusal)
      return messages.post(localized("The video can’t be recorded. \(refusal.description)"))
    }
    phase = .starting
    progress = nil
    lastOutcome = nil
    isStopWanted = false
    effect = effects?.settingOfShot()
    hasPerson = effects?.seesPerson == true
    if live.isOn {
      messages.post(
        localized("Live is off while a video is being recorded. Photos taken meanwhile won’t be live."), topic: .live)
    }
    // One instant for folder and name, also at the turn of a month.
    let date = now()
    let folder: URL
    do {
      // An unmounted disk is known before anything is recorded beside it.
      folder = try await library.prepareForMovie(at: date)
    } catch {
      phase = .idle
      lastOutcome = .failure(.recordingFailed(message: error.localizedDescription.asClause))
      messages.post(localized("The video can’t be recorded. \(error.localizedDescription)"))
      return
    }
    if isStopWanted {
      phase = .idle
      return
    }
    let events = service.record(nextSettings(in: folder, duration: duration, date: date))
    following = Task { [weak self] in
      do {
        for try await event in events { self?.received(event) }
        self?.ended(nil)
      } catch { self?.ended(error) }
    }
  }

  /// Pauses the movie, or goes on with it.
  public func togglePause() { if phase == .paused { resume() } else { pause() } }

  public func pause() { service.pauseRecording() }

  public func resume() { service.resumeRecording() }

  /// Ends the movie; returns when its file is finished.
  public func stop() async {
    isStopWanted = true
    service.stopRecording()
    await waitForEnd()
  }

  /// Returns when no movie is recorded or being finished, and the last one has been handed to the effects.
  public func waitForEnd() async {
    await following?.value
    await passingOn?.value
  }

  // MARK: Following the engine

  private func received(_ event: RecordingEvent) {
    steps += 1
    switch event {
    case .opened(let movie):
      // Another file takes the place of the first.
      if let filed = filedEffect { effects?.shots.shotFailed(filed) }
      filedEffect = effect.flatMap { effects?.shots.movieBegan(movie, with: $0, hasPerson: hasPerson) }
    case .hevcUnavailable(let reason):
      messages.post(localized("The video is recorded as H.264 instead of HEVC. \(reason)"))
    case .began(let sound):
      self.sound = sound
      hasSoundTrack = if case .recording = sound { true } else { sound == .awaited }
      phase = .recording
      if case .silent(let reason) = sound { messages.post(localized("The video has no sound. \(reason)")) }
    case .progress(let progress): self.progress = progress
    case .paused: phase = .paused
    case .resumed: phase = .recording
    case .stabilizationEnded:
      messages.post(localized("The video is no longer stabilized, because the computer can’t keep up."))
    case .ending: phase = .finishing
    case .finished(let movie):
      lastMovie = movie
      lastOutcome = .success(movie)
      if let shortfall = movie.shortfall { messages.post(shortfall, topic: .recording) }
      library.noticeFile(at: movie.url)
      passOn(movie)
    }
  }

  /// The microphone of a movie fell silent, or came back. A movie that began without sound stays without.
  private func soundChanged(_ sound: LiveSound) {
    guard phase.isRolling, hasSoundTrack, sound != self.sound, sound != .off else { return }
    defer { self.sound = sound }
    if case .silent(let reason) = sound { messages.post(localized("The video has no sound from here on. \(reason)")) }
  }

  private func ended(_ error: (any Error)?) {
    steps += 1
    following = nil
    phase = .idle
    messages.withdraw(.live)
    progress = nil
    passOn(nil)
    if let error {
      let failure =
        (error as? CameraError)?.ofMovie ?? .recordingFailed(message: error.localizedDescription.asClause)
      lastOutcome = .failure(failure)
      messages.post(failure.description)
    }
  }

  /// Has the effect applied, once the library knows the movie, or dropped where there is none.
  private func passOn(_ movie: RecordedMovie?) {
    guard let filed = filedEffect, let effects else { return }
    filedEffect = nil
    let earlier = passingOn
    passingOn = Task {
      await earlier?.value
      if let movie {
        await effects.shots.movieWasSaved(filed, at: movie.url)
      } else {
        await effects.shots.movieFailed(filed)
      }
    }
  }
}
