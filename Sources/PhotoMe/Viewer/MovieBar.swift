// The playback controls of a video: play button, position and seek bar.

import CGtk
import CameraModels
import GtkShim
import Localization

/// Binds the controls to a `ViewerModel`'s player.
@MainActor final class MovieBar {
  private let model: ViewerModel
  private let bar: GObjectRef
  private let button: GObjectRef
  private let time: GObjectRef
  private let length: GObjectRef
  private let seekBar: GObjectRef
  private let position: GObjectRef
  private var observations: [ModelObservation] = []

  init(interface: Interface, model: ViewerModel) {
    self.model = model
    bar = interface["movie_bar"]
    button = interface["movie_play"]
    time = interface["movie_time"]
    length = interface["movie_length"]
    seekBar = interface["movie_seek"]
    position = interface["movie_position"]
    button.on("clicked") { model.player.togglePlaying() }
    // Time runs from the left in every language, as in the editor's frames.
    for part in [seekBar.widget, gtk_widget_get_parent(seekBar.widget)] {
      gtk_widget_set_direction(part, GTK_TEXT_DIR_LTR)
    }
    // Emitted for the user's changes, and not for those below.
    seekBar.onValue("change-value") { value in
      model.player.seek(to: value)
      return false
    }
    observations = [
      ModelObservation { [weak self] in self?.followMovie() },
      ModelObservation { [weak self] in self?.followPosition() },
    ]
  }

  private func followMovie() {
    let (isMovie, isPaused, duration) = (model.isMovie, model.player.isPaused, model.asset?.duration)
    gtk_widget_set_visible(bar.widget, (isMovie && model.failure == nil).gboolean)
    gtk_button_set_icon_name(
      button.of(GtkButton.self), isPaused ? "media-playback-start-symbolic" : "media-playback-pause-symbolic")
    gtk_widget_set_tooltip_text(button.widget, isPaused ? localized("Play (Space)") : localized("Pause (Space)"))
    pm_set_accessible_label(button.widget, isPaused ? localized("Play") : localized("Pause"))
    // A video of unknown duration can be played, but not sought.
    gtk_widget_set_visible(seekBar.widget, (duration != nil).gboolean)
    gtk_label_set_text(length.opaque, duration.map(PictureInfo.clock) ?? "")
    let adjustment = position.of(GtkAdjustment.self)
    gtk_adjustment_set_upper(adjustment, max(duration ?? 0, 0.01))
    gtk_adjustment_set_step_increment(adjustment, 1)
    gtk_adjustment_set_page_increment(adjustment, 5)
  }

  private func followPosition() {
    let seconds = model.player.position
    gtk_adjustment_set_value(position.of(GtkAdjustment.self), seconds)
    gtk_label_set_text(time.opaque, PictureInfo.clock(seconds))
  }
}
