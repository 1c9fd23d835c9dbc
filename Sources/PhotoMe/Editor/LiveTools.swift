// The editor's page for movies: playback style, sound, key photo and trim.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Binds the page, and the play button beside the frames, to an `EditModel`.
@MainActor final class LiveTools {
  private let model: EditModel
  private let page: GObjectRef
  private let row: GObjectRef
  private let play: GObjectRef
  private let styles: GObjectRef
  private let note: GObjectRef
  private let mute: GObjectRef
  private let keyPhoto: GObjectRef
  private let keyPhotoButton: GObjectRef
  private let length: GObjectRef
  private var choices: ChoiceRow<AdjustmentRecipe.PlaybackStyle>?
  private var observations: [ModelObservation] = []
  private var isFollowing = false

  init(interface: Interface, model: EditModel) {
    self.model = model
    page = interface["live_page"]
    row = interface["frame_row"]
    play = interface["frame_play"]
    styles = interface["style_list"]
    note = interface["style_note"]
    mute = interface["mute_button"]
    keyPhoto = interface["key_photo_child"]
    keyPhotoButton = interface["key_photo_button"]
    length = interface["trim_length"]
    choices = ChoiceRow(
      styles, AdjustmentRecipe.PlaybackStyle.allCases.map { ($0, $0.title) }, chosen: { model.recipe.playbackStyle },
      choose: { model.select(style: $0) })
    play.on("clicked") { model.togglePlaying() }
    mute.on("toggled") { [weak self] in
      guard let self, !isFollowing else { return }
      model.setMuted(gtk_toggle_button_get_active(mute.of(GtkToggleButton.self)) != 0)
    }
    keyPhotoButton.on("clicked") { model.makeKeyPhoto() }
    interface["trim_start_button"].on("clicked") {
      model.setTrimStart(model.preview.position)
      model.endStep()
    }
    interface["trim_end_button"].on("clicked") {
      model.setTrimEnd(model.preview.position)
      model.endStep()
    }
    observations = [
      ModelObservation { [weak self] in self?.followMovie() },
      ModelObservation { [weak self] in self?.followRecipe() },
      ModelObservation { [weak self] in self?.followPlaying() },
    ]
  }

  private func followMovie() {
    let (hasMovie, isVideo) = (model.hasMovie, model.isVideo)
    gtk_stack_page_set_visible(page.opaque, hasMovie.gboolean)
    gtk_stack_page_set_title(
      page.opaque, isVideo ? localized("Video", context: "editor page") : localized("Live", context: "editor page"))
    gtk_widget_set_visible(row.widget, (hasMovie && model.tab != .crop).gboolean)
    // Only live photos have a still and playback styles.
    for widget in [styles, note, keyPhoto] { gtk_widget_set_visible(widget.widget, (!isVideo).gboolean) }
  }

  private func followRecipe() {
    let recipe = model.recipe
    isFollowing = true
    gtk_toggle_button_set_active(mute.of(GtkToggleButton.self), recipe.isMuted.gboolean)
    isFollowing = false
    gtk_label_set_text(note.opaque, Self.note(of: recipe.playbackStyle, isMuted: recipe.isMuted))
    gtk_label_set_text(length.opaque, model.trimText)
  }

  private func followPlaying() {
    let (playback, isHeld) = (model.preview.playback, model.preview.isHeld)
    gtk_widget_set_sensitive(play.widget, (playback != nil).gboolean)
    gtk_button_set_icon_name(
      play.of(GtkButton.self),
      isHeld || playback == nil ? "media-playback-start-symbolic" : "media-playback-pause-symbolic")
    gtk_widget_set_tooltip_text(play.widget, isHeld ? localized("Play (P)") : localized("Pause (P)"))
    pm_set_accessible_label(play.widget, isHeld ? localized("Play") : localized("Pause"))
    // With its cell: GTK's flow box gives the focus to a cell that has nothing to give it to, and stays there.
    gtk_widget_set_sensitive(keyPhoto.widget, isHeld.gboolean)
  }

  /// A description of a playback style.
  static func note(of style: AdjustmentRecipe.PlaybackStyle, isMuted: Bool) -> String {
    switch style {
    case .live where isMuted: localized("Plays once without sound when pressed.")
    case .live: localized("Plays once with sound when pressed.")
    case .loop: localized("Plays over and over.")
    case .bounce: localized("Plays forward and backward, over and over.")
    case .longExposure:
      localized("Blends all frames into one photo, so that motion leaves trails. The result has no video.")
    }
  }
}
