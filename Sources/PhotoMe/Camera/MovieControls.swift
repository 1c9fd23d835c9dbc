// The camera page's controls of movies: the shutter's look, pause, the shutter for photos, and the length over the picture.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Follows a `MovieModel`.
@MainActor final class MovieControls {
  private let camera: CameraModel
  private let movies: MovieModel
  private let shutter: GObjectRef
  private let mark: GObjectRef
  private let pauseButton: GObjectRef
  private let photoButton: GObjectRef
  private let badge: GObjectRef
  private let badgeBox: GObjectRef
  private let dot: GObjectRef
  private let spinner: GObjectRef
  private let elapsed: GObjectRef
  private let remark: GObjectRef
  private let soundMark: GObjectRef
  private let photoShutter: Shutter
  private let pointer = GObjectRef(adopting: gtk_event_controller_motion_new())
  private var isShutterPointed = false
  private var shownTooltip: String?
  private var shownDescription = ""
  private var observations: [ModelObservation] = []
  /// The program's end, whose words come before the model's.
  private var closing: ClosingModel?

  /// - Parameter takePhoto: Called with the time of a press on the shutter for photos, which is there from a movie’s first frame on.
  init(
    interface: Interface, camera: CameraModel, movies: MovieModel, takePhoto: @escaping (MonotonicTime) -> Void
  ) {
    self.camera = camera
    self.movies = movies
    shutter = interface["shutter"]
    mark = interface["shutter_mark"]
    pauseButton = interface["pause_button"]
    photoButton = interface["photo_button"]
    badge = interface["movie_badge"]
    badgeBox = interface["movie_badge_box"]
    dot = interface["movie_dot"]
    spinner = interface["movie_spinner"]
    elapsed = interface["movie_elapsed"]
    remark = interface["movie_remark"]
    soundMark = interface["movie_sound"]
    photoShutter = Shutter(button: photoButton, press: takePhoto)
    pointer.onPoint("enter") { [weak self] _, _ in self?.pointed(true) }
    pointer.on("leave") { [weak self] in self?.pointed(false) }
    shutter.addController(pointer)
    observations = [
      ModelObservation { [weak self] in self?.followShutter() },
      ModelObservation { [weak self] in self?.followBadge() },
    ]
  }

  /// Shows from now on what is said while the program closes.
  func follow(_ closing: ClosingModel) {
    self.closing = closing
    observations.append(ModelObservation { [weak self] in self?.followBadge() })
  }

  private func pointed(_ isPointed: Bool) {
    isShutterPointed = isPointed
    explainShutter()
  }

  private func followShutter() {
    let state = camera.shutter
    let isRolling = movies.phase.isRolling
    shutter.setClass("video", state.look == .movie)
    shutter.setClass("stop", state.look == .stop)
    gtk_widget_set_visible(mark.widget, (state.look == .stop).gboolean)
    enableShutter(camera.isShutterEnabled)
    pm_set_accessible_label(shutter.widget, state.name)
    explainShutter()
    gtk_widget_set_visible(pauseButton.widget, isRolling.gboolean)
    // Finishing a long movie can take a while, and photos don't wait for it.
    gtk_widget_set_visible(photoButton.widget, (isRolling || movies.phase == .finishing).gboolean)
    let isPaused = movies.phase == .paused
    gtk_button_set_icon_name(
      pauseButton.of(GtkButton.self), isPaused ? "media-record-symbolic" : "media-playback-pause-symbolic")
    pm_set_accessible_label(pauseButton.widget, movies.pauseName)
    gtk_widget_set_tooltip_text(
      pauseButton.widget, isPaused ? localized("Resume Recording (P)") : localized("Pause Recording (P)"))
  }

  /// GTK also makes a tooltip the description, which a screen reader says at each change. The shutter changes often, and its name
  /// says it: the tooltip is there only for a pointer, and the description for the room on the disk before a video.
  private func explainShutter() {
    let tooltip = isShutterPointed ? camera.shutterExplanation : nil
    if tooltip != shownTooltip {
      shownTooltip = tooltip
      gtk_widget_set_tooltip_text(shutter.widget, tooltip)
    }
    let description = camera.shutter == .movie ? movies.spaceExplanation ?? "" : ""
    guard description != shownDescription else { return }
    shownDescription = description
    pm_set_accessible_description(shutter.widget, description)
  }

  /// A button that can't be pressed loses the focus, and would leave the keyboard nowhere when the camera is back.
  private func enableShutter(_ isEnabled: Bool) {
    let wasEnabled = gtk_widget_get_sensitive(shutter.widget) != 0
    gtk_widget_set_sensitive(shutter.widget, isEnabled.gboolean)
    guard isEnabled, !wasEnabled, let root = gtk_widget_get_root(shutter.widget), gtk_root_get_focus(root) == nil else {
      return
    }
    gtk_widget_grab_focus(shutter.widget)
  }

  private func followBadge() {
    let text = closing?.remark ?? movies.remark
    let isWaiting = movies.phase == .starting || movies.phase == .finishing
    // Before a movie is begun it is there for the space left, when that is short.
    let isShown = movies.isBusy || text != nil
    gtk_revealer_set_reveal_child(badge.opaque, isShown.gboolean)
    // What was said last stays while the badge fades.
    guard isShown else { return gtk_spinner_set_spinning(spinner.opaque, false.gboolean) }
    badgeBox.setClass("paused", movies.phase == .paused)
    gtk_widget_set_visible(dot.widget, (movies.isBusy && !isWaiting).gboolean)
    gtk_widget_set_visible(spinner.widget, isWaiting.gboolean)
    gtk_spinner_set_spinning(spinner.opaque, isWaiting.gboolean)
    gtk_widget_set_visible(elapsed.widget, movies.showsElapsed.gboolean)
    gtk_label_set_text(elapsed.opaque, movies.elapsedText)
    gtk_widget_set_visible(remark.widget, (text != nil).gboolean)
    gtk_label_set_text(remark.opaque, text ?? "")
    let sound = movies.soundMarkName
    gtk_widget_set_visible(soundMark.widget, (sound != nil).gboolean)
    guard let sound else { return }
    gtk_image_set_from_icon_name(
      soundMark.opaque, movies.lacksSound ? "microphone-disabled-symbolic" : "photome-microphone-symbolic")
    pm_set_accessible_label(soundMark.widget, sound)
  }
}
