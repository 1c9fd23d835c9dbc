// The camera on the screen: its status, its devices, and the shutter.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoLibrary

/// Shows the status that the engine publishes, passes requests to it, and takes photos.
///
/// The camera's state is decided by the engine's `CameraStateMachine` alone: nothing here sets `status` but a
/// look at what the engine published last.
@MainActor @Observable
public final class CameraModel {
  /// As the engine published it last; `starting` until it has published anything.
  public private(set) var status = CameraStatus.starting {
    didSet {
      effects?.isAvailable = session != nil
      place?.setInUse(session != nil)
      controls?.follow(session?.camera)
    }
  }
  public private(set) var devices = DeviceList()
  public private(set) var activity = Activity.idle
  /// The plugins that are not installed and will be missed.
  public private(set) var missingParts: [CameraError] = []
  /// Grows by one at each exposure, the moment to sound the shutter; of a burst, at its first one only.
  public private(set) var exposureCount = 0
  /// Grows with `exposureCount`, but not so often that blinks would hide the picture: see `BlinkPacing`.
  public private(set) var blinkCount = 0
  /// What a capture has done last; `nil` before the first.
  public private(set) var news: CaptureNews?
  /// The last photo that was taken a while after the press; `nil` before the first.
  public private(set) var timedShot: TimedShot?
  /// What hides the viewfinder now; the camera rests meanwhile.
  public private(set) var concealments: Set<CameraStateMachine.Concealment> = []
  /// The camera that is open or was asked for last; `nil` before the first.
  public private(set) var selectedCameraID: CameraDevice.ID?

  /// The countdown to the next shot or movie. Another page, a hidden window, a lost camera and a locked session cancel it.
  public let countdown: CountdownModel
  /// The photos that are taken while the shutter is held. What cancels the countdown ends them.
  public let burst: BurstModel
  /// The photos that are taken at an interval.
  public let intervals: IntervalModel
  /// The four photos of a sheet. What cancels the countdown ends them.
  public let booth = BoothModel()
  /// The screen's light for photos.
  public let flash: FlashModel
  public let live: LivePhotoModel
  public let microphones: MicrophoneModel
  public let pressure: PressureModel
  public let strip: ThumbnailStripModel
  public let settings: SettingsModel
  public let messages: MessageModel
  /// The viewfinder's effect, which shots get as an edit; `nil` where there are no effects.
  @ObservationIgnored public var effects: EffectsModel? {
    didSet { effects?.isAvailable = session != nil }
  }

  /// Where pictures are taken; `nil` where they don't say.
  @ObservationIgnored public var place: LocationModel? {
    didSet { place?.setInUse(session != nil) }
  }

  /// The hardware controls of the camera that runs; `nil` where they are left alone.
  @ObservationIgnored public var controls: ControlsModel? {
    didSet { controls?.follow(session?.camera) }
  }

  /// The movies of this camera; `nil` where none are recorded.
  @ObservationIgnored public var movies: MovieModel? {
    didSet {
      microphones.movies = movies
      movies?.follow { [weak self] in self?.session }
      // Whoever changes what the shutter does has another picture in mind than the one that is counted down.
      movies?.modeChanges = { [weak self] in self?.cancelRelease() }
      movies?.refusal = { [weak self] in self?.movieRefusal }
    }
  }

  /// Called before the frame of a shot is chosen from what is on screen.
  @ObservationIgnored public var willChooseFrame: (() -> Void)?

  /// Sounds the tick of a countdown.
  @ObservationIgnored public var soundTick: (() -> Void)?

  /// Whether the viewfinder is a mirror. Files are only where that is wanted as well.
  public var isMirrored: Bool { settings.values.isMirrored }

  /// The camera and mode that run now.
  public var session: CameraSession? {
    if case .running(let session) = status { session } else { nil }
  }

  /// The reason why a press would take no picture now; `nil` while a camera runs.
  public var shotRefusal: CameraError? {
    switch status {
    case .running: nil
    case .interrupted(.unplugged): .unpluggedBeforeShot(camera: lastCameraName ?? localized("The camera"))
    case .failed(let error): error.ofShot
    case .interrupted(.inUse): status.error
    case .starting, .awaitingPermission, .awaitingPicture, .noCamera, .interrupted(.suspended): .notRunning
    case .permissionDenied(let error): error
    }
  }

  @ObservationIgnored let service: any CameraService
  @ObservationIgnored let library: PhotoLibrary
  @ObservationIgnored private var listening: Task<Void, Never>?
  /// The name of the camera that ran last.
  @ObservationIgnored private(set) var lastCameraName: String?
  /// The shots that aren't saved yet, by the ids of their future assets.
  @ObservationIgnored var shots: [String: ShotInFlight] = [:]
  @ObservationIgnored private var blinks = BlinkPacing()
  /// The burst that was clicked for.
  @ObservationIgnored private var clickedBurst: String?

  /// - Parameter clock: Measures the seconds of the countdown, and how long remarks are shown.
  public init(
    service: any CameraService, library: PhotoLibrary, strip: ThumbnailStripModel, settings: SettingsModel,
    messages: MessageModel, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.service = service
    self.library = library
    self.strip = strip
    self.settings = settings
    self.messages = messages
    live = LivePhotoModel(service: service, settings: settings, messages: messages)
    pressure = PressureModel(service: service, clock: clock)
    microphones = MicrophoneModel(service: service, live: live, settings: settings, messages: messages)
    flash = FlashModel(service: service, clock: clock)
    countdown = CountdownModel(clock: clock)
    burst = BurstModel(messages: messages, clock: clock)
    intervals = IntervalModel(messages: messages, clock: clock)
    countdown.ticked = { [weak self] remaining in
      if let self, ticks(at: remaining) { soundTick?() }
    }
    prepareBursts()
    prepareIntervals()
    prepareBooth()
  }

  deinit { listening?.cancel() }

  // MARK: Opening and closing

  /// Opens the camera at the start of the program: the one that is named, else the one that was used last, else the
  /// first that is plugged in. Whatever goes wrong ends in `status`.
  public func start(_ configuration: CameraConfiguration? = nil) async {
    listen()
    if let configuration {
      await show(configuration)
    } else if let unfinished = service.takeUnfinishedOpening() {
      // The last attempt to open this camera never ended. Ask before it happens again.
      selectedCameraID = unfinished.cameraID
      await service.distrust(
        remembered(unfinished.cameraID ?? settings.values.cameraID),
        because: .endedLastRun(camera: unfinished.cameraName ?? unfinished.cameraID))
      followStatus()
    } else {
      // Earlier versions remembered the test camera.
      let last = settings.values.cameraID
      await show(remembered(last == CameraDevice.testID ? nil : last))
    }
    await live.restore()
    missingParts = await service.missingParts()
  }

  /// Opens the camera that is described. `status` tells the same as what is returned or thrown.
  ///
  /// - Throws: Why the camera can't be had; `CameraError.notRunning` when another request overtook this one, and while
  ///   the viewfinder is concealed.
  @discardableResult
  public func open(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    listen()
    selectedCameraID = configuration.cameraID ?? selectedCameraID
    service.prepare(for: settings.values.photoQuality)
    defer { followStatus() }
    return try await service.start(configuration)
  }

  /// The way out of most troubles: opens what was wanted last.
  public func tryAgain() async {
    await service.retry()
    followStatus()
  }

  /// A person comes back, perhaps from the settings: the permission to use the camera may be another one.
  func checkPermission() async {
    await service.checkPermission()
    followStatus()
  }

  /// The viewfinder can be seen, or can't: another page is in front, or the window is minimized. Where nobody looks at
  /// it no camera's light is on.
  public func setViewfinderVisible(_ isVisible: Bool) async { await set(.page, !isVisible) }

  /// The same for what else hides the viewfinder: the machine sleeps, the session is locked, the program is closing.
  ///
  /// Nothing is awaited before the engine has the request: tasks of the main actor that call this take effect in the
  /// order of their creation.
  func set(_ concealment: CameraStateMachine.Concealment, _ isConcealed: Bool) async {
    if isConcealed { cancelRelease() }
    if isConcealed { concealments.insert(concealment) } else { concealments.remove(concealment) }
    if isConcealed {
      await service.conceal(concealment, isolation: #isolation)
    } else {
      await service.reveal(concealment, isolation: #isolation)
    }
    followStatus()
  }

  /// The session was locked or unlocked.
  public func setSessionLocked(_ isLocked: Bool) async { await set(.lock, isLocked) }

  /// The machine is about to sleep, or has woken.
  public func setAsleep(_ isAsleep: Bool) async { await set(.sleep, isAsleep) }

  /// The machine is about to sleep. Returns when the camera is closed, and shots and a movie are safe on disk.
  func prepareForSleep() async {
    await setAsleep(true)
    await waitForShots()
  }

  /// Gives up the shot that waits for its countdown or for the flash, and ends a burst: nobody poses for a picture that can't
  /// be seen.
  public func cancelRelease() {
    countdown.cancel()
    burst.stop()
    booth.stop()
    flashing.values.forEach { $0.cancel() }
  }

  /// Closes everything. Shots and a movie that are under way are finished first.
  public func shutDown() async {
    cancelRelease()
    intervals.stop()
    await movies?.stop()
    await waitForShots()
    await choosing?.value
    await makingSheet?.value
    listening?.cancel()
    await service.stop()
  }

  /// Returns when no shot is under way, and no movie is recorded or being finished.
  func waitForShots() async {
    while let shot = shots.values.lazy.compactMap(\.following).first { await shot.value }
    await movies?.waitForEnd()
  }

  /// Changes with each step of what is being done for shots.
  var shotSteps: Int { service.movieSteps &- shots.count &+ (movies?.steps ?? 0) }

  // MARK: The shutter

  /// The photos that wait for the light of the flash.
  @ObservationIgnored var flashing: [UUID: Task<PhotoCapture?, Never>] = [:]
  /// Chooses the key photo of the last burst.
  @ObservationIgnored var choosing: Task<Void, Never>?
  /// Takes the photos of a sheet, and makes it.
  @ObservationIgnored var makingSheet: Task<Void, Never>?

  /// Takes a photo, live when Live is on. The frame is the one that was on screen at `pressed`. Never refuses because
  /// another shot is under way.
  ///
  /// - Returns: The shot, whose `saved` waits for the file; `nil` when no camera runs, which is then said.
  @discardableResult
  public func takePhoto(pressed: MonotonicTime = .now) -> PhotoCapture? { takePhoto(pressed: pressed, of: nil) }

  /// - Parameter group: The photos that it belongs to; `nil` for a single one.
  func takePhoto(pressed: MonotonicTime, of group: PhotoGroup?) -> PhotoCapture? {
    if let shotRefusal {
      messages.post(shotRefusal.description)
      return nil
    }
    willChooseFrame?()
    let isBurst = group?.isBurst == true
    let shot = PhotoCapture(
      settings: PhotoSettings(
        isLive: live.isActive && !isBurst, pressed: pressed, movieFolder: library.movieFolder,
        quality: quality(isBurst: isBurst), isMirrored: settings.values.mirror == .files,
        // Ten encodings a second are more than a computer has time for.
        format: isBurst ? .jpeg : format(isLive: live.isActive), group: group),
      service: service, library: library, location: place?.location)
    if let effects, let effect = effects.settingOfShot() {
      effects.shots.shotBegan(shot.assetID, with: effect, hasPerson: effects.seesPerson)
    }
    let id = shot.assetID
    let events = shot.events
    let following = Task { [weak self] in
      do {
        for try await event in events { self?.received(event, of: id) }
        self?.ended(id, error: nil)
      } catch { self?.ended(id, error: error) }
    }
    shots[id] = ShotInFlight(pressed: pressed, group: group, following: following)
    updateActivity()
    return shot
  }

  private func received(_ event: CaptureEvent, of id: String) {
    switch event {
    case .willBegin(let resolved):
      strip.shotBegan(id, resolved: resolved)
      if resolved.isLive {
        shots[id]?.isRolling = true
        live.rollingBegan()
        updateActivity()
      }
    case .didCapture:
      exposed(id)
      endFlash(of: id)
    case .thumbnail(let jpeg):
      strip.shotHasThumbnail(id, jpeg: jpeg)
    case .movieRecorded:
      stopRolling(id)
    case .finished(let saved):
      strip.shotWasSaved(id)
      effects?.shots.shotWasSaved(id)
      if saved.isLive { tell(.livePhotoSaved) }
      if let shot = shots[id], shot.isTimed {
        timedShot = TimedShot(id: id, url: saved.url, count: shot.isOfSeries ? max(intervals.taken, 1) : 1)
      }
      if let shortfall = saved.shortfall { messages.post(shortfall, topic: .photo) }
    case .willCapture, .photo, .improved, .movie:
      break
    }
  }

  /// A burst neither blacks out the viewfinder nor rattles: its first photo stands for all.
  private func exposed(_ id: String) {
    guard let shot = shots[id] else { return }
    if let group = shot.group, group.isBurst {
      guard group.id != clickedBurst else { return }
      clickedBurst = group.id
    }
    exposureCount += 1
    if blinks.exposed(at: shot.pressed) { blinkCount += 1 }
    tell(.photoTaken)
  }

  private func tell(_ event: CaptureNews.Event) { news = CaptureNews(event: event, number: (news?.number ?? 0) + 1) }

  private func ended(_ id: String, error: (any Error)?) {
    stopRolling(id)
    endFlash(of: id)
    let shot = shots.removeValue(forKey: id)
    updateActivity()
    guard let error else { return }
    strip.shotFailed(id)
    effects?.shots.shotFailed(id)
    // A series says at its end what was missed.
    guard shot?.isOfSeries != true else { return }
    // What the camera says is about the photo; what the library says, about its file.
    let text = error.localizedDescription
    messages.post(error is CameraError ? text : localized("The photo couldn’t be saved. \(text)"))
  }

  private func stopRolling(_ id: String) {
    guard shots[id]?.isRolling == true else { return }
    shots[id]?.isRolling = false
    live.rollingEnded()
    updateActivity()
  }

  private func updateActivity() {
    let rolling = shots.values.count { $0.isRolling }
    activity = shots.isEmpty ? .idle : .photo(inFlight: shots.count, live: rolling)
  }

  // MARK: Following the engine

  private func listen() {
    guard listening == nil else { return }
    let notices = service.notices()
    listening = Task { [weak self] in
      for await notice in notices {
        guard let self else { return }
        switch notice {
        case .devices(let devices):
          self.devices = devices
          self.microphones.received(devices)
        // Not the status that came with it: it may have been overtaken on its way here.
        case .status: self.followStatus()
        case .sound(let sound):
          self.live.received(sound)
          self.microphones.received(sound)
        case .silence(let microphone): self.microphones.received(silenceOf: microphone)
        case .pressure(let pressure): self.pressure.received(pressure)
        }
      }
    }
  }

  private func followStatus() {
    guard let published = service.status else { return }
    guard published != status else { return }
    let previous = session?.camera.id
    status = published
    if session?.camera.id != previous { cancelRelease() }
    if let session {
      selectedCameraID = session.camera.id
      lastCameraName = session.camera.name
    }
  }

  /// A camera as it was used the last time. Where it isn't plugged in today any other will do.
  func remembered(_ id: CameraDevice.ID?) -> CameraConfiguration {
    let chosen = id.map { settings.values.camera($0, among: devices) }
    return CameraConfiguration(
      cameraID: id, acceptsOthers: true, size: chosen?.size, rate: chosen?.rate,
      savesRaw: settings.values.savesRaw, isHDR: chosen?.isHDR ?? false)
  }

  /// Opens a camera for the window: a failure is told by `status` alone.
  func show(_ configuration: CameraConfiguration) async { _ = try? await open(configuration) }
}
