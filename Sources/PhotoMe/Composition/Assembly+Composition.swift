// Composition root: the library, the engine and the models over both.

import CameraCore
import CameraModels
import Dispatch
import Foundation
import GtkShim
import MediaEngine
import PersonMatte
import PhotoLibrary
import Synchronization

extension Assembly {
  /// Starts what takes time and depends on nothing: GStreamer is loaded and the library's index opened on threads of their
  /// own, while this one asks the session bus whether PhotoMe runs already.
  static func prepare(_ options: LaunchOptions) -> Opening {
    CameraEngine.prepare()
    return Opening(of: LibraryFolderChoice(named: options.library, store: FileSettingsStore.standard))
  }

  /// Creates engine and models, and starts opening the camera.
  ///
  /// - Parameter opening: From `prepare`. The models need the library from their birth, and the camera needs the models;
  ///   there is no main loop yet that could wait instead.
  /// - Throws: `MissingLibraryFolder`, and `PhotoLibraryError` when the library's folder can't be one.
  static func make(_ options: LaunchOptions, data: DataFolder, opening: Opening) throws -> Assembly {
    let (library, choice) = (try opening.wait(), opening.choice)
    let portal = options.usesCameraPortal ? PortalCameraAccess() : nil
    let depth = DepthBoard()
    let mattes = PersonMatteProvider()
    // Of what the camera sees now. Whatever is played or edited was elsewhere.
    let liveMattes = DepthMatteProvider(depth, others: mattes)
    let engine = CameraEngine(
      notesOpenings: true, access: portal, mattes: liveMattes, backdrops: library.backdrops, depth: depth)
    let messages = MessageModel()
    let settings = SettingsModel(store: FileSettingsStore.standard, messages: messages)
    let (thumbnails, movieFrames) = (UserFolders().thumbnails, EngineMovieReader())
    let strip = ThumbnailStripModel(
      library: library,
      images: ImageManager(
        cacheByteLimit: ThumbnailStripModel.imageCacheByteLimit, thumbnailFolder: thumbnails, movieFrames: movieFrames))
    let camera = CameraModel(service: engine, library: library, strip: strip, settings: settings, messages: messages)
    let backdrops = BackdropsModel(library: library, reader: movieFrames)
    let faces = FaceDetector()
    camera.burst.detector = faces
    camera.flash.detector = FaceDetector(findsSmallFaces: false)
    let effects = EffectsModel(
      preview: engine.preview, gallery: engine.gallery, settings: settings,
      shots: ShotEffects(
        editing: AssetEditor(library: library, renderer: EngineEditRenderer(isInBackground: true), mattes: mattes),
        library: library, messages: messages, file: .standard),
      mattes: liveMattes, backdrops: backdrops)
    camera.effects = effects
    let movies = MovieModel(
      service: engine, library: library, live: camera.live, settings: settings, messages: messages)
    movies.effects = effects
    camera.movies = movies
    let controls = ControlsModel(service: engine.controls, settings: settings, messages: messages)
    camera.controls = controls
    // Nobody who opens a file wants the camera's light on.
    if options.opensFiles { Task { await camera.setViewfinderVisible(false) } }
    Task { await camera.start(options.cameraID.map { CameraConfiguration(cameraID: $0) }) }
    // The loop does not run yet, and GTK will keep this thread busy for a while before it does: this lets the task reach
    // the engine, whose own threads go on from there.
    pm_main_queue_drain()

    let retries = CameraRetryModel(camera: camera)
    let viewer = ViewerModel(
      library: library,
      images: ImageManager(
        cacheByteLimit: ViewerModel.imageCacheByteLimit, thumbnailFolder: thumbnails, movieFrames: movieFrames),
      players: EngineMoviePlayerFactory(), messages: messages)
    let hiddenLock = HiddenLock(settings: settings, prompt: PolkitPrompt(), messages: messages)
    let grid = LibraryModel(
      library: library,
      images: ImageManager(
        cacheByteLimit: 24 << 20, thumbnailFolder: thumbnails, movieFrames: movieFrames,
        jobCount: ProcessInfo.processInfo.activeProcessorCount),
      messages: messages, lock: hiddenLock)
    let editing = AssetEditor(library: library, renderer: EngineEditRenderer(), mattes: mattes)
    let history = ChangeHistory(
      library: library, messages: messages, edits: editing, file: .standard(digest: library.folderDigest))
    history.mayShowHidden = { await hiddenLock.permit() }
    let editor = EditModel(
      editing: editing, library: library, reader: movieFrames, players: EngineMoviePlayerFactory(),
      messages: messages, mattes: mattes, backdrops: backdrops, detector: faces)
    editor.changes = history
    editor.queue.file = .standard(digest: library.folderDigest)
    // A failure is reported by the effects themselves.
    editor.waitForPendingEffect = { id in try? await effects.shots.waitForEffect(of: id) }
    let navigation = NavigationModel(
      camera: camera, strip: strip, library: grid, viewer: viewer, editor: editor, messages: messages,
      awaitsFiles: options.opensFiles)
    let pictures = PictureActionsModel(
      library: library, history: history, grid: grid, navigation: navigation, editor: editor, messages: messages)
    let albums = AlbumActionsModel(history: history, grid: grid, messages: messages)
    let place = LocationModel(
      settings: settings, source: GeoClueLocation(desktopID: Application.id), messages: messages)
    camera.place = place
    movies.place = place
    let transfers = TransferModel(
      library: library, messages: messages, history: history, movieFrames: movieFrames, renderer: EngineEditRenderer())
    let sharing = SharingModel(library: library, navigation: navigation, messages: messages)
    let opening = OpeningModel(
      library: library, grid: grid, viewer: viewer, editor: editor, navigation: navigation, transfers: transfers,
      messages: messages)
    let availability = LibraryAvailabilityModel(library: library)
    let libraryFolder = LibraryFolderModel(
      current: library.folder, origin: choice.origin, settings: settings, messages: messages)
    let shutter = ShutterSound(file: URL(fileURLWithPath: data.shutterSound))
    let tick = ShutterSound(file: URL(fileURLWithPath: data.tickSound))
    camera.soundTick = { tick.play() }
    let printing = PrintModel(
      images: ImageManager(cacheByteLimit: 0, movieFrames: movieFrames), navigation: navigation, messages: messages)
    return Assembly(
      models: Models(
        camera: camera, retries: retries, controls: controls, movies: movies,
        codes: CodeModel(scanner: engine.codes, settings: settings), effects: effects, strip: strip, library: grid,
        viewer: viewer, burst: BurstReview(viewer: viewer, library: library, messages: messages, detector: faces),
        editor: editor,
        navigation: navigation,
        window: WindowModel(settings: settings, camera: camera, navigation: navigation),
        notices: ShotNoticeModel(
          camera: camera, library: library,
          images: ImageManager(cacheByteLimit: 0, thumbnailFolder: thumbnails, movieFrames: movieFrames),
          viewer: viewer, strip: strip, navigation: navigation, messages: messages),
        welcome: WelcomeModel(
          settings: settings, folder: libraryFolder, isFree: options.request.isEmpty && !options.opensFiles),
        pictures: pictures,
        captureMetadata: CaptureMetadataModel(
          library: library, history: history, grid: grid, navigation: navigation, editor: editor, messages: messages),
        albums: albums,
        deleted: DeletedPicturesModel(library: library, history: history, grid: grid, messages: messages),
        transfers: transfers, opening: opening,
        export: ExportModel(
          library: library, navigation: navigation, transfers: transfers, sharing: sharing, settings: settings),
        sharing: sharing,
        printing: printing,
        history: history, hiddenLock: hiddenLock, place: place, libraryFolder: libraryFolder,
        availability: availability, messages: messages),
      preview: engine.preview,
      closing: ClosingModel(
        camera: camera, effects: effects.shots,
        others: [
          printing.unfinishedWork,
          ClosingModel.UnfinishedWork(
            finished: { await editor.queue.finished() }, steps: { editor.queue.steps }),
        ]),
      session: SessionModel(camera: camera, service: DesktopSession()) { navigation.userLeft() },
      windowIsShown: {
        // Why the settings can't be read was said when they were.
        if let warning = choice.warning { messages.post(warning) }
        for text in RecoveryNote.summary(of: library.recovery) { messages.post(text) }
        availability.start()
        Task { await sharing.removeOldCopies() }
        Task {
          for await warning in library.warnings() {
            // The window has a bar for it while it lasts.
            if case .absent = warning { continue }
            messages.post(warning.description)
          }
        }
        StatisticsReport.start(engine.preview, engine)
        camera.pressure.follow(DesktopPowerSaver())
        await strip.start()
        // Until then, edits aren't kept for a sudden end.
        await editor.queue.load()
        await movies.restore()
        await history.load()
        // A folder that can't be written is known before the first shot is lost to it.
        do throws(PhotoLibraryError) { try await library.prepareForCapture() } catch {
          messages.post(error.description)
        }
        await effects.shots.resume()
        for names in await library.unusableNames() { messages.post(names.description) }
      },
      windowIsMapped: { portal?.windowIsMapped() },
      windowIsActive: {
        library.lookAgain()
        Task { await retries.windowIsActive() }
      },
      prepareShutterSound: { if settings.values.capture.playsSounds { shutter.prepare() } },
      soundShutter: { if settings.values.capture.playsSounds { shutter.play() } },
      close: {
        await settings.saved()
        await history.saved()
        await editor.queue.kept()
        await library.close()
      })
  }
}

/// A library that is being opened. Only its index is (a few milliseconds); the folder is looked through later.
final class Opening: Sendable {
  let choice: LibraryFolderChoice
  private let outcome = Mutex<Result<PhotoLibrary, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(of choice: LibraryFolderChoice) {
    self.choice = choice
    Task.detached { [self] in
      let result: Result<PhotoLibrary, any Error>
      do { result = .success(try await choice.open()) } catch { result = .failure(error) }
      decide(result)
    }
  }

  @inline(never)  // called by an asynchronous function: see “Locks” in MediaEngine.md
  private func decide(_ result: Result<PhotoLibrary, any Error>) {
    outcome.withLock { $0 = result }
    isDone.signal()
  }

  /// The library; waits for it.
  func wait() throws -> PhotoLibrary {
    isDone.wait()
    // For whoever asks again.
    isDone.signal()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("signaled without an outcome") }
    return try result.get()
  }
}
