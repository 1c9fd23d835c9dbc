// The popover beside the Live toggle: the microphones to choose from, and the level of the one that is open.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Lists the microphones as they come and go. The level is measured only while the popover is open.
@MainActor final class MicrophonePopover {
  /// Parts of the level's bar: up to -12 dBFS, up to -6, and above, in lengths of the bar.
  private static let offsets = [("low", -12.0), ("high", -6.0), ("full", 0.0)].map { name, decibels in
    (name: name, length: SoundLevel(decibels: decibels).fraction)
  }

  private let model: MicrophoneModel
  private let button: GObjectRef
  private let rows: GObjectRef
  private let level: GObjectRef
  private let words: GObjectRef
  private var observations: [ModelObservation] = []
  private var shown: [MicrophoneModel.Row] = []
  private var isFollowing = false
  /// The level in words, as assistive technologies have it.
  private var levelText: String?

  init(interface: Interface, model: MicrophoneModel) {
    self.model = model
    button = interface["microphone_button"]
    rows = interface["microphone_rows"]
    level = interface["microphone_level"]
    words = interface["microphone_words"]
    for name in [GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH, GTK_LEVEL_BAR_OFFSET_FULL] {
      gtk_level_bar_remove_offset_value(level.opaque, name)
    }
    for offset in Self.offsets { gtk_level_bar_add_offset_value(level.opaque, offset.name, offset.length) }
    let popover = interface["microphone_popover"]
    popover.on("map") { [weak self] in self?.setFollowing(true) }
    popover.on("unmap") { [weak self] in self?.setFollowing(false) }
    observations = [
      ModelObservation(of: { model.rows }) { [weak self] in self?.fill($0) },
      ModelObservation(of: { model.explanation }) { [weak self] in
        if let self { gtk_label_set_text(words.opaque, $0.displayed) }
      },
      ModelObservation(of: { model.level }) { [weak self] in self?.show($0) },
    ]
  }

  /// Opens the popover.
  func show() { gtk_menu_button_popup(button.opaque) }

  private func setFollowing(_ wanted: Bool) {
    guard wanted != isFollowing else { return }
    isFollowing = wanted
    if wanted { model.follow() } else { model.unfollow() }
  }

  private func fill(_ microphones: [MicrophoneModel.Row]) {
    // Other settings change as well; the row with the focus must stay.
    guard microphones != shown else { return }
    shown = microphones
    let box = rows.of(GtkBox.self)
    while let old = gtk_widget_get_first_child(rows.widget) { gtk_box_remove(box, old) }
    for microphone in microphones {
      guard let button = gtk_check_button_new(), let made = gtk_label_new(microphone.title.displayed) else { continue }
      let label = GObjectRef(retaining: made)
      gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(label.opaque, 32)
      gtk_label_set_xalign(label.opaque, 0)
      if !microphone.isConnected { gtk_widget_add_css_class(label.widget, "dim-label") }
      let row = GObjectRef(retaining: button)
      gtk_check_button_set_child(row.of(GtkCheckButton.self), label.widget)
      pm_set_accessible_label(row.widget, microphone.title.displayed)
      gtk_actionable_set_action_target_value(row.opaque, g_variant_new_string(microphone.choice.reportName))
      gtk_actionable_set_action_name(row.opaque, "app.select-microphone")
      gtk_box_append(box, row.widget)
    }
  }

  private func show(_ present: SoundLevel?) {
    gtk_widget_set_sensitive(level.widget, (present != nil).gboolean)
    gtk_level_bar_set_value(level.opaque, present?.fraction ?? 0)
    let isOverloaded = present?.isOverloaded ?? false
    if isOverloaded {
      gtk_widget_add_css_class(level.widget, "overloaded")
    } else {
      gtk_widget_remove_css_class(level.widget, "overloaded")
    }
    let text = present?.text ?? localized("No sound is being recorded")
    guard text != levelText else { return }
    levelText = text
    pm_set_accessible_description(level.widget, text)
    gtk_widget_set_tooltip_text(level.widget, text)
  }
}
