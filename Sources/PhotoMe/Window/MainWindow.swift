// The main window: the camera's page, the library and the viewer, with what all of them share: messages and keys.
//
//     AdwApplicationWindow
//     └ pages ┬ camera:  header bar (Live, microphone, camera controls, camera menu, library, main menu)
//             │          toasts ─ viewfinder ─ over it: status pages
//             │                   or the page of effects ─ over both: LIVE badge, zoom, countdown, burst, QR code, remark on pressure
//             │          strip
//             │          options, shutter (pause and photos beside it while a movie is recorded), effects, camera switch
//             │          photo and video switch
//             ├ library: header bar, search
//             │          sidebar ─ toasts ─ grid
//             │          bar for the selection
//             └ viewer:  header bar
//                        toasts ─ picture or video ─ details
//     bar, while the library's disk is away
//
// Toasts lie over the pictures, and never over the shutter.

import CGtk
import CameraCore
import CameraModels
import EngineInterface
import Foundation
import GtkShim
import PhotoLibrary

/// Reads the models, calls their intents, and decides nothing.
@MainActor final class MainWindow {
  /// The `AdwApplicationWindow`.
  let window: GObjectRef
  /// Called at each exposure, to play the shutter sound.
  var exposed: (() -> Void)? {
    didSet { viewfinder.exposed = exposed }
  }
  /// Called when the pointer reaches the shutter.
  var shutterApproached: (() -> Void)? {
    didSet { shutter.approached = shutterApproached }
  }

  /// The toasts of the pages, and of the preferences.
  private(set) var messageToasts: MessageToasts?

  private let models: Models
  private let shutterButton: GObjectRef
  private let pages: GObjectRef
  private let toasts: GObjectRef
  private let liveButton: GObjectRef
  private let microphoneMark: GObjectRef
  private let viewfinder: Viewfinder
  private let effects: EffectsControl
  private let data: DataFolder
  /// Built when it is first opened, like the library's page: at startup there is no time for them.
  private var viewer: Viewer?
  private var libraryPage: LibraryPage?
  private var strip: ThumbnailStrip?
  private let flight: ShotFlight
  private let cameraMenu: CameraMenu
  private let microphone: MicrophonePopover
  private let cameraButton: GObjectRef
  private let cameraSwitch: CameraSwitch
  private let captureControl: CaptureControl
  private let countdown: CountdownOverlay
  private let burst: BurstBadge
  private let codeBar: CodeBar
  private let intervalBadge: IntervalBadge
  private let pressureRemark: PressureRemark
  private let spokenNews: SpokenNews
  private let availabilityBar: LibraryAvailabilityBar
  private let controls: ControlsPopover
  private let zoom: ViewfinderZoom
  private let shutter: Shutter
  private let shutterKeys: ShutterKeys
  /// The controls of movies on the camera's page.
  let movieControls: MovieControls
  /// The window's size and full screen.
  let state: WindowState
  private var observations: [ModelObservation] = []
  private var surface: GObjectRef?
  private var sight: ViewfinderSight?
  private let drops: WindowDrops

  init(models: Models, preview: any PreviewSource, data: DataFolder, hasSettings: Bool) throws(InstallationError) {
    self.models = models
    self.data = data
    pm_preview_view_ensure_type()
    pm_focus_group_ensure_type()
    pm_flight_ensure_type()
    let interface = try Interface(data.ui("window"))
    window = interface["window"]
    state = WindowState(interface: interface, model: models.window)
    pages = interface["pages"]
    toasts = interface["toasts"]
    liveButton = interface["live_button"]
    microphoneMark = interface["microphone_mark"]
    let camera = models.camera
    let viewfinder = Viewfinder(
      interface: interface, camera: camera, retries: models.retries, source: preview, hasSettings: hasSettings)
    self.viewfinder = viewfinder
    effects = EffectsControl(interface: interface, camera: camera, model: models.effects, data: data)
    cameraMenu = CameraMenu(menu: interface["camera_menu"], camera: camera)
    microphone = MicrophonePopover(interface: interface, model: camera.microphones)
    cameraButton = interface["camera_button"]
    cameraSwitch = CameraSwitch(interface: interface, camera: camera)
    captureControl = CaptureControl(interface: interface, camera: camera, movies: models.movies)
    countdown = CountdownOverlay(interface: interface, camera: camera)
    intervalBadge = IntervalBadge(interface: interface, model: camera)
    codeBar = CodeBar(interface: interface, model: models.codes, countdown: camera.countdown)
    burst = BurstBadge(interface: interface, burst: camera.burst)
    camera.willChooseFrame = { viewfinder.settle() }
    pressureRemark = PressureRemark(interface: interface, model: camera.pressure)
    spokenNews = SpokenNews(camera: camera, movies: models.movies)
    availabilityBar = LibraryAvailabilityBar(interface: interface, model: models.availability)
    controls = ControlsPopover(interface: interface, model: models.controls)
    zoom = ViewfinderZoom(interface: interface, model: models.controls, countdown: camera.countdown)
    let shutterButton = interface["shutter"]
    self.shutterButton = shutterButton
    let press = { (time: MonotonicTime) -> Void in camera.pressShutter(at: time) }
    movieControls = MovieControls(interface: interface, camera: camera, movies: models.movies) { time in
      camera.takePhoto(pressed: time)
    }
    flight = ShotFlight(interface: interface)
    drops = WindowDrops(window: window, mark: interface["drop_mark"], model: models.opening)
    shutter = Shutter(button: shutterButton, burst: camera.burst, press: press)
    let navigation = models.navigation
    shutterKeys = ShutterKeys(
      window: window, shutterButton: shutterButton, ownKeys: [interface["strip"], interface["effects_holder"]],
      burst: camera.burst, isActive: { navigation.page == .camera }, press: press)

    strip = try ThumbnailStrip(
      interface: interface, cellLayout: data.ui("strip-cell"), model: models.strip, edits: models.editor.queue
    ) {
      navigation.openSelected()
    }
    strip?.shotArrived = { [flight] picture, cell in flight.fly(picture, to: cell) }
    pages.onChange(of: "transition-running") { [weak self] in
      guard let self else { return }
      if gtk_stack_get_transition_running(pages.opaque) != 0 { slideCount += 1 }
      pageMoved()
    }
    window.on("realize") { [weak self] in self?.followSurface() }
    gtk_window_set_focus(window.of(GtkWindow.self), shutterButton.widget)
    let (history, flashLight) = (interface["main_history"], interface["flash_light"])
    Motion.follow { isReduced in
      models.viewer.player.startsLoops = !isReduced
      models.viewer.animation.startsByItself = !isReduced
      models.editor.preview.startsMovies = !isReduced
    }
    observations = [
      ModelObservation { HistoryMenu.fill(history, with: models.history) },
      ModelObservation { [weak self] in self?.followLive() },
      ModelObservation { gtk_widget_set_visible(flashLight.widget, camera.flash.isLit.gboolean) },
      ModelObservation(of: { (navigation.page, models.library.isReady) }) { [weak self] in self?.show($0, $1) },
      ModelObservation(of: { models.availability.returnCount }) { [weak self] count in
        guard count > 0 else { return }
        models.viewer.tryAgain()
        self?.libraryPage?.loadAgain()
        self?.strip?.loadAgain()
      },
      ModelObservation(of: { models.strip.failure }) { if let text = $0 { models.messages.post(text) } },
    ]
    messageToasts = MessageToasts(models: models) { [weak self] page in
      switch page {
      case .viewer: self?.viewer?.toasts
      case .library: self?.libraryPage?.toasts
      case .camera, .editor: self?.toasts
      }
    }
  }

  /// Opens the menu of cameras.
  func showCameraMenu() { gtk_menu_button_popup(cameraButton.opaque) }

  /// Opens the popover with the microphones.
  func showMicrophones() { microphone.show() }

  /// Calls `shown` when the menu of cameras is opened or closed.
  func followCameraMenu(_ shown: @escaping (_ isShown: Bool) -> Void) {
    guard let popover = gtk_menu_button_get_popover(cameraButton.opaque) else { return }
    let menu = GObjectRef(retaining: popover)
    menu.on("map") { shown(true) }
    menu.whenClosed { shown(false) }
  }

  /// Called with what offers another camera beside the shutter, now and when it changes.
  var cameraSwitchChanged: ((CameraSwitch.Form) -> Void)? {
    didSet { cameraSwitch.formChanged = cameraSwitchChanged }
  }

  /// Opens the popover with the camera's controls.
  func showCameraControls() { controls.show() }

  /// Called when the popover with the camera's controls was opened or closed.
  var cameraControlsShown: ((_ isShown: Bool) -> Void)? {
    didSet { controls.shownChanged = cameraControlsShown }
  }

  /// Opens the popover with the options of the shutter.
  func showShutterOptions() { captureControl.show() }

  /// Called when the popover with the options of the shutter was opened or closed.
  var shutterOptionsShown: ((_ isShown: Bool) -> Void)? {
    didSet { captureControl.shownChanged = shutterOptionsShown }
  }

  /// Brings the window to the front.
  func present() { gtk_window_present(window.of(GtkWindow.self)) }

  /// Called with the number of tiles on the page of effects that show a picture, when it changes.
  var effectPicturesChanged: ((_ count: Int) -> Void)? {
    didSet { effects.picturesChanged = effectPicturesChanged }
  }

  // MARK: Pages

  /// Shows a page, and gives the keyboard to what it is about.
  ///
  /// - Parameter isLibraryReady: Whether the grid has caught up with the library, so that a picture of it can have the focus.
  private func show(_ page: NavigationModel.Page, _ isLibraryReady: Bool) {
    switch page {
    case .library where makeLibraryPage() == nil: return models.library.close()
    case .viewer where viewerPage() == nil: return models.viewer.close()
    default: break
    }
    let shown = gtk_stack_get_visible_child_name(pages.opaque).map { String(cString: $0) }
    if shown != page.rawValue { slide(to: page, from: shown.flatMap(NavigationModel.Page.init)) }
    switch page {
    case .camera where shown != page.rawValue: gtk_widget_grab_focus(shutterButton.widget)
    case .library where isLibraryReady: libraryPage?.focusGrid()
    case .viewer where shown != page.rawValue: viewer?.focus()
    case .camera, .library, .viewer, .editor: break
    }
  }

  /// A page slides in from the end of the line, and out to it again when the page under it comes back.
  private func slide(to page: NavigationModel.Page, from shown: NavigationModel.Page?) {
    let order: [NavigationModel.Page] = [.camera, .library, .viewer]
    let isDeeper = (shown.flatMap(order.firstIndex) ?? 0) < (order.firstIndex(of: page) ?? 0)
    gtk_stack_set_visible_child_full(
      pages.opaque, page.rawValue,
      isDeeper != pages.isMirrored ? GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT : GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT)
    pageMoved()
  }

  /// The number of times that pages have slid.
  private(set) var slideCount = 0

  /// Called with the page that is in its place; with `nil` while pages slide.
  var pageShown: ((NavigationModel.Page?) -> Void)? {
    didSet { pageMoved() }
  }

  /// While pages slide, a click would meet another picture than the one that was meant: they take none until they are in
  /// their places.
  private func pageMoved() {
    let isMoving = gtk_stack_get_transition_running(pages.opaque) != 0
    gtk_widget_set_can_target(pages.widget, (!isMoving).gboolean)
    let shown = gtk_stack_get_visible_child_name(pages.opaque).map { String(cString: $0) }
    pageShown?(isMoving ? nil : shown.flatMap(NavigationModel.Page.init))
  }

  private func makeLibraryPage() -> LibraryPage? {
    if let libraryPage { return libraryPage }
    do throws(InstallationError) {
      let page = try LibraryPage(data: data, models: models)
      gtk_stack_add_named(pages.opaque, page.root.widget, "library")
      libraryPage = page
      return page
    } catch {
      models.messages.post(error.description)
      return nil
    }
  }

  private func viewerPage() -> Viewer? {
    if let viewer { return viewer }
    do throws(InstallationError) {
      let viewer = try Viewer(data: data, models: models)
      gtk_stack_add_named(pages.opaque, viewer.page.widget, "viewer")
      self.viewer = viewer
      return viewer
    } catch {
      models.messages.post(error.description)
      return nil
    }
  }

  // MARK: Following the models

  private func followLive() {
    let live = models.camera.live
    gtk_widget_set_tooltip_text(liveButton.widget, live.explanation)
    pm_set_accessible_description(liveButton.widget, live.explanation)
    let hasSound = if case .recording = live.sound { true } else { false }
    // While a movie is recorded, the mark beside its length says it.
    gtk_widget_set_visible(microphoneMark.widget, (hasSound && live.rests.isEmpty).gboolean)
  }

  // MARK: Visibility

  private func followSurface() {
    guard let native = gtk_native_get_surface(window.opaque) else { return }
    let surface = GObjectRef(retaining: native)
    self.surface = surface
    sight?.stop()
    let sight = ViewfinderSight(window: window, surface: surface) { [weak self] in self?.surfaceChanged() }
    self.sight = sight
    viewfinder.frameArrived = { sight.frameArrived() }
    effects.picturesArrived = { sight.frameArrived() }
    surface.onChange(of: "state") { [weak self] in self?.surfaceChanged() }
    surface.onChange(of: "mapped") { [weak self] in self?.surfaceChanged() }
  }

  private func surfaceChanged() {
    guard let surface else { return }
    let state = gdk_toplevel_get_state(surface.opaque).rawValue
    let isMinimized = state & GDK_TOPLEVEL_STATE_MINIMIZED.rawValue != 0
    // GDK_TOPLEVEL_STATE_SUSPENDED, since GTK 4.12: the compositor shows nothing of the window. Older versions never set
    // it; then the paintings tell.
    let isSuspended = state & 1 << 16 != 0 || sight?.isHidden == true
    models.navigation.setWindowHidden(isMinimized || isSuspended || gdk_surface_get_mapped(surface.opaque) == 0)
  }
}
