// The viewer: one picture, large; the movie of a live photo plays while the picture is pressed or hovered.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim

/// Shows a `ViewerModel` on the window's second page.
@MainActor final class Viewer {
  /// How long after the pointer came the movie plays, in milliseconds.
  private static let hoverDelay: UInt32 = 250
  /// How far the pointer must move on the picture before that counts as hovering, in pixels.
  private static let hoverDistance = 8.0

  private let model: ViewerModel
  private let page: GObjectRef
  private let view: GObjectRef
  private let title: GObjectRef
  private let liveMark: GObjectRef
  private let failure: GObjectRef
  private let states: GObjectRef
  private var feed: PreviewFeed?
  private var observations: [ModelObservation] = []
  private var hoverTimer: UInt32?
  private var isSpaceDown = false
  private var size = PixelSize(width: 1920, height: 1080)

  init(interface: Interface, model: ViewerModel) {
    self.model = model
    page = interface["viewer_page"]
    view = interface["viewer_picture"]
    title = interface["viewer_title"]
    liveMark = interface["viewer_live"]
    failure = interface["viewer_failure"]
    states = interface["viewer_states"]
    view.onSize("resized") { [weak self] width, height in
      guard let self else { return }
      if width > 0 { size = PixelSize(width: width, height: height) }
      feed?.resized(width: width, height: height)
    }
    view.on("painted") { [weak self] in self?.feed?.painted() }
    view.onTimes("shown") { [weak self] in self?.feed?.shown(time: $0, since: $1) }
    interface["viewer_newer"].on("clicked") { [weak self] in self?.move(by: -1) }
    interface["viewer_older"].on("clicked") { [weak self] in self?.move(by: 1) }
    interface["viewer_back"].on("clicked") { [weak self] in self?.close() }
    playWhilePressed()
    playWhileHovered()
    addKeys()
    observations = [
      ModelObservation { [weak self] in self?.followAsset() },
      ModelObservation { [weak self] in self?.followPicture() },
    ]
  }

  /// Opens the strip's selected picture.
  func openSelected() { model.openSelected(size: size) }

  func move(by step: Int) { model.move(by: step, size: size) }

  func close() { model.close() }

  // MARK: Following the model

  private func followAsset() {
    guard let asset = model.asset else { return }
    let when = asset.created.formatted(date: .abbreviated, time: .shortened)
    adw_window_title_set_title(title.opaque, when)
    adw_window_title_set_subtitle(title.opaque, asset.url.lastPathComponent)
    gtk_widget_set_visible(liveMark.widget, model.isPlayable.gboolean)
    pm_set_accessible_label(view.widget, "\(asset.isLive ? "Live photo" : "Photo") of \(when)")
    gtk_widget_grab_focus(page.widget)
  }

  private func followPicture() {
    let playback = model.playback
    let image = model.image
    feed?.stop()
    feed = nil
    if let text = model.failure {
      adw_status_page_set_description(failure.opaque, escapedMarkup(text))
      gtk_stack_set_visible_child_name(states.opaque, "failure")
      return
    }
    gtk_stack_set_visible_child_name(states.opaque, "picture")
    if let image {
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
    press.onPress("pressed") { [weak self] _ in self?.model.play() }
    press.onPress("released") { [weak self] _ in self?.model.stop() }
    // The press was lost to another gesture, or the pointer left the window.
    press.onPointer("cancel") { [weak self] _ in self?.model.stop() }
    view.addController(press)
  }

  private func playWhileHovered() {
    playWhileHovered(liveMark, isWanted: { _ in true })
    // A picture that opens under a pointer at rest is not hovered: nobody likes a movie that starts by itself.
    playWhileHovered(view, isWanted: { $0 > Self.hoverDistance })
  }

  /// - Parameter isWanted: Whether the pointer has gone far enough on the widget since it entered, in pixels.
  private func playWhileHovered(_ widget: GObjectRef, isWanted: @escaping (Double) -> Bool) {
    let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
    var entered: (x: Double, y: Double)?
    var hasPlayed = false
    motion.onPoint("enter") { x, y in
      entered = (x, y)
      hasPlayed = false
    }
    motion.onPoint("motion") { [weak self] x, y in
      // Once a visit: at its end the movie gives way to the still.
      guard let self, let start = entered, !hasPlayed, hoverTimer == nil, isWanted(hypot(x - start.x, y - start.y))
      else { return }
      hasPlayed = true
      hoverTimer = MainLoop.after(milliseconds: Self.hoverDelay) { [weak self] in
        self?.hoverTimer = nil
        self?.model.play()
      }
    }
    motion.on("leave") { [weak self] in
      guard let self else { return }
      hoverTimer.map(MainLoop.cancel)
      hoverTimer = nil
      model.stop()
    }
    widget.addController(motion)
  }

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, _ in
      guard let self else { return false }
      switch Int32(key) {
      case GDK_KEY_Escape: close()
      case GDK_KEY_Left: move(by: -1)
      case GDK_KEY_Right: move(by: 1)
      case GDK_KEY_space:
        // A key that is held down repeats itself; the movie plays once.
        if !isSpaceDown { model.play() }
        isSpaceDown = true
      default: return false
      }
      return true
    }
    keys.onKey("key-released") { [weak self] key, _ in
      guard let self, Int32(key) == GDK_KEY_space else { return false }
      isSpaceDown = false
      model.stop()
      return false
    }
    page.addController(keys)
  }
}
