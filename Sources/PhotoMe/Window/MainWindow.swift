// The window: the camera's page, the viewer's page, and what concerns both: messages, keys, being out of sight.
//
//     AdwApplicationWindow
//     └ pages ┬ camera: header bar (Live, camera menu, main menu)
//             │         toasts ─ viewfinder ─ over it: state pages, LIVE badge
//             │         strip
//             │         shutter
//             └ viewer: header bar
//                       toasts ─ picture or movie
//
// Toasts lie over the pictures, and never over the shutter.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim

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
  private let viewerToasts: GObjectRef
  private let liveButton: GObjectRef
  private let microphoneMark: GObjectRef
  private let viewfinder: Viewfinder
  private let viewer: Viewer
  private let strip: ThumbnailStrip
  private let cameraMenu: CameraMenu
  private let shutter: Shutter
  private let shutterKeys: ShutterKeys
  private var observations: [ModelObservation] = []
  private var surface: GObjectRef?
  /// Whether the window is minimised or on no screen at all.
  private var isHidden = false
  /// Whether the viewer has been open for longer than a glance.
  private var isBrowsing = false
  private var isCameraWanted = true
  private var glanceTimer: UInt32?

  init(models: Models, preview: any PreviewSource, data: DataFolder, hasSettings: Bool) throws(InstallationError) {
    self.models = models
    pm_preview_view_ensure_type()
    let interface = try Interface(data.ui("window"))
    window = interface["window"]
    pages = interface["pages"]
    toasts = interface["toasts"]
    viewerToasts = interface["viewer_toasts"]
    liveButton = interface["live_button"]
    microphoneMark = interface["microphone_mark"]
    let camera = models.camera
    viewfinder = Viewfinder(interface: interface, camera: camera, source: preview, hasSettings: hasSettings)
    let viewer = Viewer(interface: interface, model: models.viewer)
    self.viewer = viewer
    strip = try ThumbnailStrip(interface: interface, cellLayout: data.ui("strip-cell"), model: models.strip) {
      viewer.openSelected()
    }
    cameraMenu = CameraMenu(menu: interface["camera_menu"], camera: camera)
    let shutterButton = interface["shutter"]
    self.shutterButton = shutterButton
    shutter = Shutter(button: shutterButton) { camera.takePhoto(pressed: $0) }
    let viewerModel = models.viewer
    shutterKeys = ShutterKeys(
      window: window, shutterButton: shutterButton, ownKeys: [interface["strip"]],
      isActive: { viewerModel.asset == nil }, press: { camera.takePhoto(pressed: $0) })

    window.on("realize") { [weak self] in self?.followSurface() }
    gtk_window_set_focus(window.of(GtkWindow.self), shutterButton.widget)
    observations = [
      ModelObservation { [weak self] in self?.followLive() },
      ModelObservation { [weak self] in self?.followPage() },
      ModelObservation(of: { models.messages.messages.count }) { [weak self] count in
        if count > 0 { self?.showMessages() }
      },
    ]
  }

  /// Brings the window to the front.
  func present() { gtk_window_present(window.of(GtkWindow.self)) }

  /// Opens the selected picture, or the newest when none is.
  func openSelected() {
    if models.strip.selectedID == nil { models.strip.moveSelection(by: 0) }
    viewer.openSelected()
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
    let isViewing = models.viewer.asset != nil
    let page = isViewing ? "viewer" : "camera"
    guard String(cString: gtk_stack_get_visible_child_name(pages.opaque)) != page else { return }
    gtk_stack_set_visible_child_name(pages.opaque, page)
    glanceTimer.map(MainLoop.cancel)
    glanceTimer = nil
    isBrowsing = false
    if isViewing {
      glanceTimer = MainLoop.after(milliseconds: Self.glance) { [weak self] in
        self?.glanceTimer = nil
        self?.isBrowsing = true
        self?.followSight()
      }
    } else {
      gtk_widget_grab_focus(shutterButton.widget)
    }
    followSight()
  }

  private func showMessages() {
    let overlay = models.viewer.asset == nil ? toasts : viewerToasts
    while let message = models.messages.takeNext() {
      guard let toast = adw_toast_new(""), let label = gtk_label_new(message.text) else { return }
      // A toast's own title is one line and is cut where it ends; ours say what can be done, and that takes a few words.
      let text = GObjectRef(retaining: label)
      gtk_label_set_wrap(text.opaque, true.gboolean)
      gtk_label_set_natural_wrap_mode(text.opaque, GTK_NATURAL_WRAP_NONE)
      gtk_label_set_max_width_chars(text.opaque, 60)
      adw_toast_set_custom_title(toast, text.widget)
      adw_toast_set_timeout(toast, Self.readingTime(of: message.text))
      adw_toast_overlay_add_toast(overlay.opaque, toast)
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
    let isMinimised = gdk_toplevel_get_state(surface.opaque).rawValue & GDK_TOPLEVEL_STATE_MINIMIZED.rawValue != 0
    isHidden = isMinimised || gdk_surface_get_mapped(surface.opaque) == 0
    followSight()
  }

  /// Where nobody looks at the viewfinder, no camera's light is on.
  private func followSight() {
    let isWanted = !isHidden && !isBrowsing
    guard isWanted != isCameraWanted else { return }
    isCameraWanted = isWanted
    let camera = models.camera
    Task { await camera.setWindowVisible(isWanted) }
  }
}

/// The models that the window shows.
@MainActor struct Models {
  var camera: CameraModel
  var strip: ThumbnailStripModel
  var viewer: ViewerModel
  var messages: MessageModel
}
