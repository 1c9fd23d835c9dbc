// The GStreamer camera engine: cameras, microphones, shots and their movies.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import StillCodecs

/// The `CameraService` of the program.
///
///     let engine = CameraEngine()
///     try await engine.start(CameraConfiguration(cameraID: "test"))
///     for try await event in engine.capture(PhotoSettings(isLive: false, movieFolder: folder)) { … }
///
/// Nothing is opened, started or looked for before the first call.
public final class CameraEngine: CameraService {
  /// The picture of whichever camera runs, for the viewfinder.
  public var preview: any PreviewSource { viewfinder }

  /// Thumbnails of the same picture with effects. Costs nothing while it has no scene.
  public let gallery: any EffectGallery

  /// QR codes in the viewfinder's picture. Nothing is looked for while nobody listens.
  public let codes: any CodeScanning

  /// The controls of all cameras.
  public let controls: any CameraControlService

  let store: CaptureStore
  let writer: LivePhotoWriter
  private let viewfinder: Viewfinder
  private let board = NoticeBoard()
  private let levels = SoundLevels()
  private let watcher: DeviceWatcher
  private let limits: EngineLimits
  let core: EngineCore
  let recordingEnvironment: MovieRecorder.Environment
  private let note: any OpeningNote
  /// Whether a frame can be decoded to its end.
  let isWhole: @Sendable (CameraFrame) -> Bool
  /// Encodes stills in other formats than JPEG.
  let encoder: StillFormats.Encoder
  let pressureMonitor: PressureMonitor

  /// Starts loading GStreamer on a thread of its own and returns at once, for the first line of a program that is going to
  /// open a camera. A failure is reported by whatever needs GStreamer first.
  public static func prepare() {
    Thread.detachNewThread { _ = GStreamerRuntime.has("appsrc") }
  }

  /// - Parameters:
  ///   - notesOpenings: Whether a camera that takes the program with it is remembered for the next start, in
  ///     `photome/opening-camera` in the XDG state folder.
  ///   - access: Lends all cameras but the test camera; `nil` where they are opened directly.
  ///   - mattes: Tells people from the background in the pictures of the gallery; `nil` where nobody does.
  ///   - backdrops: Has the own backdrops of the gallery; `nil` where there are none.
  ///   - depth: Gets the distances of the depth camera beside the camera that runs; `nil` where nobody wants any.
  public convenience init(
    limits: EngineLimits = EngineLimits(), notesOpenings: Bool = false, access: (any CameraAccess)? = nil,
    mattes: (any MatteProvider)? = nil, backdrops: (any BackdropProvider)? = nil,
    depth: DepthBoard? = nil
  ) {
    self.init(
      limits: limits, fault: .none, note: notesOpenings ? OpeningNoteFile.standard : NoOpeningNote(), access: access,
      mattes: mattes, backdrops: backdrops, depth: depth, signals: LinuxSignals())
  }

  /// - Parameters:
  ///   - fault: How the test camera misbehaves.
  ///   - access: Lends all cameras but the test camera.
  ///   - recording: The world around recordings; `nil` for the real one.
  ///   - isWhole: Whether a frame can be decoded to its end; may take milliseconds.
  ///   - encoder: Encodes stills in other formats than JPEG.
  ///   - signals: The reader of the system's signals of pressure; without one, pressure isn't watched.
  init(
    limits: EngineLimits, fault: TestFault, note: any OpeningNote = NoOpeningNote(),
    access: (any CameraAccess)? = nil, mattes: (any MatteProvider)? = nil,
    backdrops: (any BackdropProvider)? = nil, depth: DepthBoard? = nil,
    recording: MovieRecorder.Environment? = nil,
    isWhole: @escaping @Sendable (CameraFrame) -> Bool = StillMaker.isWhole,
    encoder: @escaping StillFormats.Encoder = StillFormats.data,
    signals: (any SystemSignalReader)? = nil
  ) {
    (self.note, self.limits) = (note, limits)
    (self.isWhole, self.encoder) = (isWhole, encoder)
    recordingEnvironment = recording ?? MovieRecorder.Environment(limits: limits)
    let store = CaptureStore(limits: limits)
    self.store = store
    let pump = PreviewPump(name: "viewfinder") { store.markShown($0, at: $1) }
    viewfinder = Viewfinder(pump: pump, store: store)
    gallery = GalleryPump(pump: pump, mattes: mattes, backdrops: backdrops)
    codes = CodeScanner(pump: pump)
    writer = LivePhotoWriter(limits: limits, waiting: store.windows)
    let pressureMonitor = PressureMonitor(
      PressureMonitor.Subject(
        preview: { pump.statistics }, findsPeople: { pump.presence != nil },
        movieBacklog: { store.recorder?.backlog ?? 0 },
        changed: { [board] pressure in
          pump.setMeasures(pressure.measures)
          store.setHalvesMovies(pressure.level.measures.halvesMovies)
          board.post(.pressure(pressure))
        }),
      reader: signals ?? NoSystemSignals(), isTimed: signals != nil)
    self.pressureMonitor = pressureMonitor
    let relay = DeviceRelay()
    let lent = access.map { LentCameras($0) }
    watcher = DeviceWatcher(
      looksAtNodes: lent == nil,
      findSource: { server in
        if let lent, server == .pipeWire { lent.source() } else { DeviceProvider.connected(to: server) }
      },
      onChange: { _ in relay.changed() })
    let (looks, test) = (LookBox(), TestSetup(fault: fault))
    core = EngineCore(
      store: store, pump: pump, board: board, levels: levels, watcher: watcher, lent: lent,
      pressure: pressureMonitor, limits: limits, looks: looks, test: test, note: note, depth: depth)
    relay.core = core
    controls = CameraControls(test: test.controls, looks: looks, limits: limits)
  }

  public func notices() -> AsyncStream<CameraNotice> {
    // Looking for devices waits while a camera is about to be opened: `start` begins it as soon as that runs.
    Task.detached { [watcher, pause = limits.deviceSearch] in
      try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))
      watcher.start()
    }
    return board.listen()
  }

  public func devices() async -> DeviceList { await watcher.devices() }

  public func liveCapability() async -> LiveCapability {
    LivePhotoEncoders.capability()
  }

  public func missingParts() async -> [CameraError] {
    var missing: [CameraError] = []
    for element in ["appsrc", "pipewiresrc", "pulsesrc"] where !GStreamerRuntime.has(element) {
      missing.append(GStreamerRuntime.missing(element))
    }
    return missing + LivePhotoEncoders.missingParts()
  }

  /// Whether an encoder is missing; see `CameraService`.
  public func refusal(of format: PhotoFormat) -> String? { StillCodecs.missingEncoder(for: format) }

  /// Whether photos of a format have 8 bits; see `CameraService`.
  public func deepRefusal(of format: PhotoFormat) -> String? { StillCodecs.missingDeepEncoder(for: format) }

  /// Whether movies have 8 bits; see `CameraService`.
  public func deepMovieRefusal() -> String? { VideoEncoder.deepRefusal() }

  /// Opens a camera; see `CameraService`.
  ///
  /// - Throws: Why there is no camera; `CameraError.notRunning` when another request overtook this one, when the task
  ///   was canceled, and while the viewfinder is concealed.
  @discardableResult
  public func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession {
    try await core.start(configuration)
  }

  public func retry() async { await core.retry() }

  public func checkPermission() async { await core.checkPermission() }

  public func takeUnfinishedOpening() -> UnfinishedOpening? {
    guard let opening = note.read() else { return nil }
    note.remove()
    return opening
  }

  public func distrust(_ configuration: CameraConfiguration, because error: CameraError) async {
    await core.distrust(configuration, because: error)
  }

  public func conceal(
    _ concealment: CameraStateMachine.Concealment, isolation: isolated (any Actor)? = #isolation
  ) async { await core.conceal(concealment) }

  public func reveal(
    _ concealment: CameraStateMachine.Concealment, isolation: isolated (any Actor)? = #isolation
  ) async { await core.reveal(concealment) }

  public func stop() async { await core.stop() }

  public var status: CameraStatus? { board.status }

  @discardableResult
  public func setLive(_ isOn: Bool, microphone: MicrophoneChoice) async -> LiveSound {
    await core.setLive(isOn, microphone: microphone)
  }

  public func soundLevels() -> AsyncStream<SoundLevel?> { levels.listen() }

  public func brightness(of faces: [FoundFace]) async -> FrameBrightness? {
    guard let frame = store.newestFrame else { return nil }
    return await Blocking.run { BrightnessMeter.measure(frame, faces: faces) }
  }

  public func newestPicture() async -> DecodedImage? {
    guard let frame = store.newestFrame else { return nil }
    return await Blocking.run { FramePicture.decoded(frame, atLeast: PixelSize(width: 480, height: 270)) }
  }

  public func prepare(for quality: PhotoQuality) { store.setKeepsCompanions(quality == .quality) }

  public func setSavesPower(_ savesPower: Bool) { pressureMonitor.setSavesPower(savesPower) }

  public var pressure: SystemPressure { pressureMonitor.pressure }

  public func waitForPreRoll() async { await store.waitForPreRoll() }

  public var movieSteps: Int { writer.stepCount }

  public var ringByteCount: Int { store.ringByteCount }

  /// The bytes of all frames that are kept: the ring's, those on the screen, and those of live photos that wait for their
  /// movies or are being written.
  public var frameByteCount: Int { store.budget.byteCount }
}

/// Forwards the watcher's notifications to the core, which is created after it.
private final class DeviceRelay: @unchecked Sendable {
  // Sendable: written once, before the watcher starts.
  weak var core: EngineCore?

  func changed() {
    guard let core else { return }
    Task { await core.devicesChanged() }
  }
}

/// The camera's preview: the pump, with a notification to the store when nothing is shown any more.
private final class Viewfinder: PreviewSource {
  private let pump: PreviewPump
  private let store: CaptureStore

  init(pump: PreviewPump, store: CaptureStore) {
    self.pump = pump
    self.store = store
  }

  func setTarget(_ size: PixelSize?) {
    pump.setTarget(size)
    if size == nil { store.forgetShown() }
  }
  func setMirrored(_ isMirrored: Bool) { pump.setMirrored(isMirrored) }
  func setProcessor(_ processor: (any FrameProcessing)?) { pump.setProcessor(processor) }
  func setFrameHandler(_ handler: (@Sendable () -> Void)?) { pump.setFrameHandler(handler) }
  func takeFrame() -> (any PreviewFrame)? { pump.takeFrame() }
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime) { pump.markShown(time, at: shown) }
  var statistics: PreviewStatistics { pump.statistics }
  var presence: Double? { pump.presence }
  func setMatteFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) { pump.setMatteFailureHandler(handler) }
}
