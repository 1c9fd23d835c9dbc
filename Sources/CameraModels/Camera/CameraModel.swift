// The camera as a person meets it: which one, how it is doing, and the shutter.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoLibrary

/// The capture life cycle: opens and closes cameras, follows what is plugged in and out, and takes photos.
@MainActor @Observable
public final class CameraModel {
  public private(set) var status = CameraStatus.starting {
    didSet { effects?.isAvailable = session != nil }
  }
  public private(set) var devices = DeviceList()
  public private(set) var activity = Activity.idle
  /// What is not installed and will be missed.
  public private(set) var missingParts: [CameraError] = []
  /// Grows by one at each exposure: the moment to blink and to sound the shutter.
  public private(set) var exposureCount = 0
  /// The camera that is open or being opened; `nil` before the first.
  public private(set) var selectedCameraID: CameraDevice.ID?

  public let live: LivePhotoModel
  public let strip: ThumbnailStripModel
  public let settings: SettingsModel
  public let messages: MessageModel
  /// The viewfinder's effect, which shots get as an edit; `nil` where there are no effects.
  @ObservationIgnored public var effects: EffectsModel? {
    didSet { effects?.isAvailable = session != nil }
  }

  /// Whether the viewfinder is a mirror. The files never are.
  public var isMirrored: Bool { settings.values.isMirrored }

  /// The camera and mode that run now.
  public var session: CameraSession? {
    if case .running(let session) = status { session } else { nil }
  }

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private var wanted = CameraConfiguration()
  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var inFlight: Set<String> = []
  @ObservationIgnored private var rolling: Set<String> = []

  public init(
    service: any CameraService, library: PhotoLibrary, strip: ThumbnailStripModel, settings: SettingsModel,
    messages: MessageModel
  ) {
    self.service = service
    self.library = library
    self.strip = strip
    self.settings = settings
    self.messages = messages
    live = LivePhotoModel(service: service, settings: settings, messages: messages)
  }

  deinit { listening?.cancel() }

  // MARK: Opening and closing

  /// Opens the camera at the start of the program: the one that is named, else the one that was used last, else the
  /// first that is plugged in. Whatever goes wrong ends in `status`.
  public func start(_ configuration: CameraConfiguration? = nil) async {
    listen()
    if let configuration {
      await show(configuration)
    } else if let suspect = settings.values.openingCameraID {
      // The last attempt to open this camera never ended. Ask before it happens again.
      settings.update { $0.openingCameraID = nil }
      wanted = remembered(suspect)
      selectedCameraID = suspect
      status = .failed(
        .device(camera: suspect, message: "PhotoMe ended unexpectedly while it was opening this camera the last time"))
    } else {
      await show(remembered(settings.values.cameraID))
    }
    missingParts = await service.missingParts()
    await live.restore()
  }

  /// Opens the camera that is described, and throws when it can't be had; `status` says the same.
  @discardableResult
  public func open(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    listen()
    generation += 1
    let mine = generation
    wanted = configuration
    status = .starting
    selectedCameraID = configuration.cameraID ?? selectedCameraID
    let guarded = configuration.cameraID ?? "the camera"
    if guarded != CameraDevice.testID { settings.update { $0.openingCameraID = guarded } }
    do {
      let session = try await service.start(configuration)
      settings.update { $0.openingCameraID = nil }
      if mine == generation {
        status = .running(session)
        selectedCameraID = session.camera.id
      }
      return session
    } catch {
      settings.update { $0.openingCameraID = nil }
      if mine == generation { status = Self.status(for: error) }
      throw error
    }
  }

  /// Changes to another camera, and remembers it.
  public func selectCamera(_ id: CameraDevice.ID) async {
    settings.update { $0.cameraID = id }
    await show(remembered(id))
  }

  /// Runs the present camera at another size, and remembers it for this camera. `nil` lets PhotoMe choose.
  public func selectSize(_ size: PixelSize?) async {
    guard let id = selectedCameraID else { return }
    settings.update { $0.cameras[id, default: .init()].size = size }
    await show(remembered(id))
  }

  /// The way out of most troubles.
  public func tryAgain() async {
    if status == .noCamera { wanted = remembered(settings.values.cameraID) }
    await show(wanted)
  }

  /// Shows the built-in moving scene. It isn't remembered: the next start looks for a real camera again.
  public func useTestCamera() async {
    await show(CameraConfiguration(cameraID: CameraDevice.testID))
  }

  /// The window was hidden or shown. A hidden window keeps no camera's light on.
  public func setWindowVisible(_ isVisible: Bool) async {
    if isVisible {
      if status == .interrupted(.suspended) { await tryAgain() }
    } else if session != nil {
      generation += 1
      status = .interrupted(.suspended)
      await service.stop()
    }
  }

  /// Closes everything. Shots that are under way are finished first.
  public func shutDown() async {
    generation += 1
    for shot in Array(shots.values) { await shot.waitForEnd() }
    listening?.cancel()
    await service.stop()
  }

  // MARK: The shutter

  /// The shots that are under way, by the ids of the assets they will become.
  @ObservationIgnored private var shots: [String: PhotoCapture] = [:]

  /// Takes a photo, live when Live is on. The frame is the one that was on screen at `pressed`. Never refuses because
  /// another shot is under way.
  ///
  /// - Returns: The shot, whose `saved` waits for the file; `nil` when no camera runs, which is then said.
  @discardableResult
  public func takePhoto(pressed: MonotonicTime = .now) -> PhotoCapture? {
    guard session != nil else {
      messages.post(CameraError.notRunning.description)
      return nil
    }
    let shot = PhotoCapture(
      settings: PhotoSettings(isLive: live.isOn, pressed: pressed, movieFolder: library.movieFolder),
      service: service, library: library)
    shots[shot.assetID] = shot
    if let effects, let effect = effects.setting, effect.intensity > 0 {
      effects.shots.shotBegan(shot.assetID, with: effect)
    }
    inFlight.insert(shot.assetID)
    updateActivity()
    let id = shot.assetID
    let events = shot.events
    Task { [weak self] in
      do {
        for try await event in events { self?.received(event, of: id) }
        self?.ended(id, error: nil)
      } catch { self?.ended(id, error: error) }
    }
    return shot
  }

  private func received(_ event: CaptureEvent, of id: String) {
    switch event {
    case .willBegin(let resolved):
      strip.shotBegan(id, resolved: resolved)
      if resolved.isLive {
        rolling.insert(id)
        live.rollingBegan()
        updateActivity()
      }
    case .didCapture:
      exposureCount += 1
    case .thumbnail(let jpeg):
      strip.shotHasThumbnail(id, jpeg: jpeg)
    case .movieRecorded:
      stopRolling(id)
    case .finished(let saved):
      strip.shotWasSaved(id)
      effects?.shots.shotWasSaved(id)
      if let shortfall = saved.shortfall { messages.post(shortfall) }
    case .willCapture, .photo, .movie:
      break
    }
  }

  private func ended(_ id: String, error: (any Error)?) {
    stopRolling(id)
    shots[id] = nil
    inFlight.remove(id)
    updateActivity()
    guard let error else { return }
    strip.shotFailed(id)
    effects?.shots.shotFailed(id)
    messages.post("The photo could not be saved. \(error.localizedDescription)")
  }

  private func stopRolling(_ id: String) {
    guard rolling.remove(id) != nil else { return }
    live.rollingEnded()
    updateActivity()
  }

  private func updateActivity() {
    activity = inFlight.isEmpty ? .idle : .photo(inFlight: inFlight.count, live: rolling.count)
  }

  // MARK: What happens by itself

  private func listen() {
    guard listening == nil else { return }
    let notices = service.notices()
    listening = Task { [weak self] in
      for await notice in notices {
        guard let self else { return }
        await self.received(notice)
      }
    }
  }

  private func received(_ notice: CameraNotice) async {
    switch notice {
    case .devices(let devices):
      self.devices = devices
      await followDevices()
    case .status(let status):
      // Starts are answered to whoever asked; here only what comes by itself counts: a running camera that was lost.
      if session != nil, Self.isLoss(status) {
        generation += 1
        self.status = status
      }
    case .sound(let sound):
      live.received(sound)
    }
  }

  /// A camera was plugged in: opens it when one was waited for.
  private func followDevices() async {
    switch status {
    case .noCamera where !devices.realCameras.isEmpty:
      await tryAgain()
    case .interrupted(.unplugged):
      // The list is also sent for other devices: only the return of this very camera counts.
      if let id = selectedCameraID, devices.camera(id) != nil { await tryAgain() }
    default: break
    }
  }

  private static func isLoss(_ status: CameraStatus) -> Bool {
    switch status {
    case .starting, .running: false
    case .noCamera, .permissionDenied, .interrupted, .failed: true
    }
  }

  private static func status(for error: CameraError) -> CameraStatus {
    switch error {
    case .noCamera: .noCamera
    case .permissionDenied: .permissionDenied
    case .inUse: .interrupted(.inUse)
    case .unplugged: .interrupted(.unplugged)
    default: .failed(error)
    }
  }

  private func remembered(_ id: CameraDevice.ID?) -> CameraConfiguration {
    CameraConfiguration(cameraID: id, size: id.flatMap { settings.values.cameras[$0]?.size })
  }

  /// Opens a camera for the window: a failure is told by `status` alone.
  private func show(_ configuration: CameraConfiguration) async {
    do { try await open(configuration) } catch {
      // The camera of the last time isn't plugged in today: that is no error, any camera will do.
      guard case .unknownCamera(let id, _) = error, id == settings.values.cameraID, status == .failed(error) else {
        return
      }
      await show(CameraConfiguration())
    }
  }
}
