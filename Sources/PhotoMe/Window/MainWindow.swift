// The window: the camera's page, the library's, the viewer's, and what concerns all: messages, keys, being out of sight.
//
//     AdwApplicationWindow
//     └ pages ┬ camera:  header bar (Live, camera menu, library, main menu)
//             │          toasts ─ viewfinder ─ over it: state pages
//             │                   or page of effects ─ over both: LIVE badge
//             │          strip
//             │          shutter, effects
//             ├ library: header bar, search
//             │          sidebar ─ toasts ─ grid
//             │          bar for what is selected
//             └ viewer:  header bar
//                        toasts ─ picture or movie ─ facts
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
  /// Called at each exposure, to sound the shutter.
  var exposed: (() -> Void)? {
    didSet { viewfinder.exposed = exposed }
  }
  /// Called when the pointer comes to the shutter.
  var shutterApproached: (() -> Void)? {
    didSet { shutter.approached = shutterApproached }
  }

  /// How long a look at a picture may take before the camera is closed meanwhile, in milliseconds. Opening it again takes
  /// up to a second: too long after a glance, and unseen after a while with the album.
  private static let glance: UInt32 = 3000

  private let models: Models
  private let shutterButton: GObjectRef
  private let pages: GObjectRef
  private let toasts: GObjectRef
  private let liveButton: GObjectRef
  private let microphoneMark: GObjectRef
  private let viewfinder: Viewfinder
  private let effects: EffectsControl
  private let data: DataFolder
  /// Made when it is first opened, as the library's page is: at the start there is no time for them.
  private var viewer: Viewer?
  private var libraryPage: LibraryPage?
  private var strip: ThumbnailStrip?
  private let cameraMenu: CameraMenu
  private let shutter: Shutter
  private let shutterKeys: ShutterKeys
  private var observations: [ModelObservation] = []
  private var surface: GObjectRef?
  /// Whether the window is minimised or on no screen at all.
  private var isHidden = false
  private var shownPage = "camera"
  /// The same, or `editor` while its window lies over it.
  private var frontPage = "camera"
  /// Whether another page has been open for longer than a glance.
  private var isBrowsing = false
  private var isCameraWanted = true
  private var glanceTimer: UInt32?

  init(models: Models, preview: any PreviewSource, data: DataFolder, hasSettings: Bool) throws(InstallationError) {
    self.models = models
    self.data = data
    pm_preview_view_ensure_type()
    let interface = try Interface(data.ui("window"))
    window = interface["window"]
    pages = interface["pages"]
    toasts = interface["toasts"]
    liveButton = interface["live_button"]
    microphoneMark = interface["microphone_mark"]
    let camera = models.camera
    viewfinder = Viewfinder(interface: interface, camera: camera, source: preview, hasSettings: hasSettings)
    effects = EffectsControl(interface: interface, camera: camera, model: models.effects, data: data)
    cameraMenu = CameraMenu(menu: interface["camera_menu"], camera: camera)
    let shutterButton = interface["shutter"]
    self.shutterButton = shutterButton
    shutter = Shutter(button: shutterButton) { camera.takePhoto(pressed: $0) }
    let (viewerModel, library) = (models.viewer, models.library)
    shutterKeys = ShutterKeys(
      window: window, shutterButton: shutterButton, ownKeys: [interface["strip"], interface["effects_holder"]],
      isActive: { viewerModel.asset == nil && !library.isOpen }, press: { camera.takePhoto(pressed: $0) })

    strip = try ThumbnailStrip(interface: interface, cellLayout: data.ui("strip-cell"), model: models.strip) {
      [weak self] in self?.openSelected()
    }
    window.on("realize") { [weak self] in self?.followSurface() }
    gtk_window_set_focus(window.of(GtkWindow.self), shutterButton.widget)
    observations = [
      ModelObservation { [weak self] in self?.followLive() },
      ModelObservation { [weak self] in self?.followPage() },
      ModelObservation(of: { models.messages.messages.count }) { [weak self] count in
        if count > 0 { self?.showMessages() }
      },
      ModelObservation(of: { models.strip.failure }) { if let text = $0 { models.messages.post(text) } },
    ]
  }

  /// Brings the window to the front.
  func present() { gtk_window_present(window.of(GtkWindow.self)) }

  /// Called when there are more or fewer tiles with a picture on the page of effects.
  var effectPicturesChanged: ((_ count: Int) -> Void)? {
    didSet { effects.picturesChanged = effectPicturesChanged }
  }

  /// Called when another page is shown, or the editor's window over it.
  var pageChanged: ((_ page: String) -> Void)?

  // MARK: Pages

  /// Opens the selected picture, or the newest when none is.
  func openSelected() {
    if models.strip.selectedID == nil { models.strip.moveSelection(by: 0) }
    guard let viewer = viewerPage() else { return }
    models.viewer.openSelected(size: viewer.size)
  }

  /// Opens the library's page.
  func openLibrary() {
    guard makeLibraryPage() != nil else { return }
    models.viewer.close()
    let (library, wasOpen) = (models.library, models.library.isOpen)
    Task { [weak self] in
      await library.open()
      if !wasOpen { self?.libraryPage?.focusGrid() }
    }
  }

  /// Opens a picture of the library's page, by its id.
  func openPicture(_ id: String) {
    openLibrary()
    Task { [models, weak self] in
      await models.library.open()
      if let asset = models.library.list.place(of: id).flatMap({ models.library.list.asset(at: $0) }) {
        self?.openLarge(asset)
      } else {
        models.messages.post("There is no picture “\(id)” in what the library shows.")
      }
    }
  }

  /// Shows the next older (`1`) or newer (`-1`) picture in the viewer.
  func moveViewer(by step: Int) { viewer?.move(by: step) }

  private func openLarge(_ asset: Asset) {
    guard let viewer = viewerPage() else { return }
    models.viewer.open(asset, in: models.library, size: viewer.size)
  }

  private func makeLibraryPage() -> LibraryPage? {
    if let libraryPage { return libraryPage }
    do throws(InstallationError) {
      let page = try LibraryPage(data: data, models: models) { [weak self] in self?.openLarge($0) }
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
    gtk_widget_set_visible(microphoneMark.widget, hasSound.gboolean)
  }

  private func followPage() {
    let (isViewing, isInLibrary) = (models.viewer.asset != nil, models.library.isOpen)
    let page = isViewing ? "viewer" : isInLibrary ? "library" : "camera"
    followFront(models.editor.state == .closed ? page : "editor")
    guard page != shownPage else { return }
    let before = shownPage
    shownPage = page
    gtk_stack_set_visible_child_name(pages.opaque, page)
    switch page {
    case "camera": gtk_widget_grab_focus(shutterButton.widget)
    case "library" where before == "viewer": libraryPage?.focusGrid()
    case "viewer": Task { [models] in await models.library.loadAlbums() }
    default: break
    }
  }

  private func followFront(_ page: String) {
    guard page != frontPage else { return }
    let before = frontPage
    frontPage = page
    pageChanged?(page)
    guard (page == "camera") != (before == "camera") else { return }
    glanceTimer.map(MainLoop.cancel)
    glanceTimer = nil
    isBrowsing = false
    if page != "camera" {
      glanceTimer = MainLoop.after(milliseconds: Self.glance) { [weak self] in
        self?.glanceTimer = nil
        self?.isBrowsing = true
        self?.followSight()
      }
    }
    followSight()
  }

  private func showMessages() {
    let overlay =
      models.viewer.asset != nil ? viewer?.toasts : models.library.isOpen ? libraryPage?.toasts : toasts
    while let message = models.messages.takeNext() {
      guard let toast = adw_toast_new(""), let label = gtk_label_new(message.text) else { return }
      // A toast's own title is one line and is cut where it ends; ours say what can be done, and that takes a few words.
      let text = GObjectRef(retaining: label)
      gtk_label_set_wrap(text.opaque, true.gboolean)
      gtk_label_set_natural_wrap_mode(text.opaque, GTK_NATURAL_WRAP_NONE)
      gtk_label_set_max_width_chars(text.opaque, 60)
      adw_toast_set_custom_title(toast, text.widget)
      adw_toast_set_timeout(toast, Self.readingTime(of: message.text))
      if message.canBeUndone {
        adw_toast_set_button_label(toast, "_Undo")
        adw_toast_set_action_name(toast, "app.undo-delete")
      }
      adw_toast_overlay_add_toast((overlay ?? toasts).opaque, toast)
    }
  }

  /// How long a toast stays, in seconds: some 15 letters a second, and a moment to notice it.
  private static func readingTime(of text: String) -> UInt32 { UInt32(4 + text.count / 15) }

  // MARK: Out of sight

  private func followSurface() {
    guard let native = gtk_native_get_surface(window.opaque) else { return }
    let surface = GObjectRef(retaining: native)
    self.surface = surface
    surface.onChange(of: "state") { [weak self] in self?.surfaceChanged() }
    surface.onChange(of: "mapped") { [weak self] in self?.surfaceChanged() }
  }

  private func surfaceChanged() {
    guard let surface else { return }
    let state = gdk_toplevel_get_state(surface.opaque).rawValue
    let isMinimised = state & GDK_TOPLEVEL_STATE_MINIMIZED.rawValue != 0
    // GDK_TOPLEVEL_STATE_SUSPENDED, from GTK 4.12 on: the compositor shows nothing of the window. Older ones never set it.
    let isSuspended = state & 1 << 16 != 0
    isHidden = isMinimised || isSuspended || gdk_surface_get_mapped(surface.opaque) == 0
    followSight()
  }

  /// Where nobody looks at the viewfinder, no camera's light is on.
  private func followSight() {
    let isWanted = !isHidden && !isBrowsing
    guard isWanted != isCameraWanted else { return }
    isCameraWanted = isWanted
    let camera = models.camera
    Task { await camera.setViewfinderVisible(isWanted) }
  }
}

/// The models that the window shows.
@MainActor struct Models {
  var camera: CameraModel
  var effects: EffectsModel
  var strip: ThumbnailStripModel
  var library: LibraryModel
  var viewer: ViewerModel
  var pictures: PictureActionsModel
  var editor: EditModel
  var albums: AlbumActionsModel
  var transfers: TransferModel
  var messages: MessageModel
}
