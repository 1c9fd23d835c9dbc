// The viewer's page: a large picture; live photos play while pressed or hovered, videos have playback controls.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// Shows a `ViewerModel` on a page of the window.
@MainActor final class Viewer {
  /// The page's widget.
  let page: GObjectRef
  /// The overlay for messages while the page is in front.
  let toasts: GObjectRef
  private let model: ViewerModel
  private let hover: HoverPlayback
  private let view: GObjectRef
  private let title: GObjectRef
  private let liveMark: GObjectRef
  private let failure: GObjectRef
  private let states: GObjectRef
  private let progress: GObjectRef
  private var feed: PreviewFeed?
  /// The view's size in device pixels; zero while it isn't on screen.
  private var size = PixelSize(width: 0, height: 0)
  private var observations: [ModelObservation] = []
  private var isSpaceDown = false
  private var shownID: Asset.ID?
  private let older: GObjectRef
  private let newer: GObjectRef
  private let favorite: GObjectRef
  private let details: ViewerDetails
  private let movieBar: MovieBar
  private let burstBar: BurstBar
  private let outsideBar: OutsideBar
  private let zooming: ViewerZooming
  private let drag: PictureDrag
  private var menuObservations: [ModelObservation] = []

  init(data: DataFolder, models: Models) throws(InstallationError) {
    let interface = try Interface(data.ui("viewer"))
    model = models.viewer
    hover = models.navigation.hover
    page = interface["viewer_page"]
    toasts = interface["viewer_toasts"]
    older = interface["viewer_older"]
    newer = interface["viewer_newer"]
    favorite = interface["viewer_favorite"]
    details = ViewerDetails(interface: interface, model: models.viewer)
    movieBar = MovieBar(interface: interface, model: models.viewer)
    burstBar = BurstBar(interface: interface, burst: models.burst)
    outsideBar = OutsideBar(interface: interface, model: models.viewer)
    zooming = ViewerZooming(view: interface["viewer_picture"], model: models.viewer)
    drag = PictureDrag(view: interface["viewer_picture"], model: models.viewer)
    let albums = interface["viewer_albums"]
    let library = models.library
    let history = interface["viewer_history"]
    menuObservations = [
      ModelObservation { AlbumsMenu.fill(albums, with: library.albums) },
      ModelObservation { [model = models.history] in HistoryMenu.fill(history, with: model) },
    ]
    view = interface["viewer_picture"]
    title = interface["viewer_title"]
    liveMark = interface["viewer_live"]
    failure = interface["viewer_failure"]
    states = interface["viewer_states"]
    progress = interface["viewer_progress"]
    view.onSize("resized") { [weak self] width, height in
      guard let self else { return }
      size = PixelSize(width: width, height: height)
      if width > 0 { model.setViewSize(size) }
      feed?.resized(width: width, height: height)
    }
    view.on("painted") { [weak self] in self?.feed?.painted() }
    view.onTimes("shown") { [weak self] in self?.feed?.shown(time: $0, since: $1) }
    zooming.swiped = { [weak self] in self?.model.move(by: $0) }
    newer.on("clicked") { [weak self] in self?.model.move(by: -1) }
    older.on("clicked") { [weak self] in self?.model.move(by: 1) }
    interface["viewer_back"].on("clicked") { [weak self] in self?.model.close() }
    playWhilePressed()
    playWhileHovered(liveMark, .badge)
    playWhileHovered(view, .picture)
    addKeys()
    observations = [
      ModelObservation { [weak self] in self?.followAsset() },
      ModelObservation { [weak self] in self?.followPicture() },
      ModelObservation { [weak self] in self?.followNeighbors() },
      ModelObservation(of: { [model] in model.loadingProgress }) { [progress] part in
        if let part { gtk_progress_bar_set_fraction(progress.opaque, part) }
        gtk_widget_set_visible(progress.widget, (part != nil).gboolean)
      },
    ]
  }

  /// Gives the keyboard focus to the page, rather than to one of its buttons.
  func focus() { gtk_widget_grab_focus(page.widget) }

  // MARK: Following the model

  private func followAsset() {
    guard let asset = model.asset else {
      shownID = nil
      return
    }
    adw_window_title_set_title(title.opaque, PictureInfo.when(asset))
    adw_window_title_set_subtitle(title.opaque, asset.url.lastPathComponent)
    gtk_widget_set_visible(liveMark.widget, asset.isLive.gboolean)
    // The page has the focus, and is read again when it gets another name.
    for widget in [view, page] { pm_set_accessible_label(widget.widget, PictureInfo.spokenName(of: asset)) }
    gtk_button_set_icon_name(
      favorite.of(GtkButton.self), asset.isFavorite ? "starred-symbolic" : "non-starred-symbolic")
    pm_set_accessible_label(
      favorite.widget, asset.isFavorite ? localized("Remove From Favorites") : localized("Add to Favorites"))
    gtk_widget_set_tooltip_text(
      favorite.widget, asset.isFavorite ? localized("Remove From Favorites (F)") : localized("Add to Favorites (F)"))
    if shownID != asset.id {
      shownID = asset.id
      focus()
    }
  }

  private func followNeighbors() {
    gtk_widget_set_visible(newer.widget, model.hasNewer.gboolean)
    gtk_widget_set_visible(older.widget, model.hasOlder.gboolean)
  }

  private func followPicture() {
    let playback = model.player.playback
    let image = model.shownImage
    feed?.stop()
    feed = nil
    if let text = model.failure {
      adw_status_page_set_description(failure.opaque, escapedMarkup(text))
      failure.nameStatusPage(String(cString: adw_status_page_get_title(failure.opaque)), text)
      gtk_stack_set_visible_child_name(states.opaque, "failure")
      return
    }
    gtk_stack_set_visible_child_name(states.opaque, "picture")
    if let image, !(model.isMovie && playback != nil) {
      view.showImage(image)
    } else if model.asset == nil {
      view.clearPicture()
    }
    if let playback {
      let feed = PreviewFeed(view: view, source: playback.preview)
      feed.resized(width: size.width, height: size.height)
      self.feed = feed
      gtk_widget_add_css_class(liveMark.widget, "playing")
    } else {
      gtk_widget_remove_css_class(liveMark.widget, "playing")
    }
  }

  // MARK: Playing

  private func playWhilePressed() {
    let press = GObjectRef(adopting: gtk_gesture_click_new())
    press.onPress("pressed") { [weak self] _ in self?.model.playLivePhoto() }
    press.onPress("released") { [weak self] _ in self?.model.player.stopLivePhoto() }
    // Another gesture claimed the press, or the pointer left the window.
    press.onPointer("cancel") { [weak self] _ in self?.model.player.stopLivePhoto() }
    view.addController(press)
  }

  private func playWhileHovered(_ widget: GObjectRef, _ area: HoverPlayback.Area) {
    let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
    motion.onPoint("enter") { [hover] in hover.entered(area, x: $0, y: $1) }
    motion.onPoint("motion") { [hover] x, y in if !Motion.isReduced { hover.moved(area, x: x, y: y) } }
    motion.on("leave") { [hover] in hover.left(area) }
    widget.addController(motion)
  }

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, modifiers in self?.pressed(key, modifiers) ?? false }
    keys.onKey("key-released") { [weak self] key, _ in
      guard let self, Int32(key) == GDK_KEY_space else { return false }
      isSpaceDown = false
      model.player.stopLivePhoto()
      return false
    }
    page.addController(keys)
  }

  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType) -> Bool {
    // An open menu handles its own keys.
    if let focus = gtk_widget_get_root(page.widget).flatMap({ gtk_root_get_focus($0) }),
      gtk_widget_get_ancestor(focus, gtk_popover_get_type()) != nil
    {
      return false
    }
    let control = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
    func act(_ action: String) { gtk_widget_activate_action_variant(page.widget, "app.\(action)", nil) }
    switch Int32(key) {
    case GDK_KEY_Escape: model.close()
    case GDK_KEY_Left: model.move(by: -page.stepToRight)
    case GDK_KEY_Right: model.move(by: page.stepToRight)
    case GDK_KEY_space:
      // A key that is held down repeats; the movie plays once.
      if !isSpaceDown { model.playOrPause() }
      isSpaceDown = true
    case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: zooming.zoom(by: ViewerZoom.step)
    case GDK_KEY_minus, GDK_KEY_KP_Subtract: zooming.zoom(by: 1 / ViewerZoom.step)
    case GDK_KEY_0, GDK_KEY_KP_0: zooming.showAll()
    case GDK_KEY_comma where !control: act("previous-frame")
    case GDK_KEY_period where !control: act("next-frame")
    case GDK_KEY_Delete, GDK_KEY_KP_Delete: act("delete")
    case GDK_KEY_c where control: act("copy")
    case GDK_KEY_C where control: act("copy-edits")
    case GDK_KEY_V where control: act("paste-edits")
    case GDK_KEY_p where control: act("print")
    case GDK_KEY_z where control, GDK_KEY_Z where control:
      act(modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0 ? "redo" : "undo")
    case GDK_KEY_f where !control: act("favorite")
    case GDK_KEY_e where !control: act(model.isOutside ? "edit-as-copy" : "edit")
    case GDK_KEY_i where !control: act("show-info")
    default: return false
    }
    return true
  }
}
