// The countdown over the picture: its number, and the button and the key that cancel it.

import CGtk
import CameraModels
import GtkShim
import Localization

/// Follows the countdown of a `CameraModel`. Escape ends a burst as well. Each number fades during its second, unless the desktop wants no animations.
@MainActor final class CountdownOverlay {
  private let number: GObjectRef
  private let cancelButton: GObjectRef
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private var observation: ModelObservation?

  init(interface: Interface, camera: CameraModel) {
    let countdown = camera.countdown
    number = interface["countdown_number"]
    cancelButton = interface["countdown_cancel"]
    cancelButton.on("clicked") { countdown.cancel() }
    // Before the effects, which Escape closes as well.
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { key, _ in
      Int32(key) == GDK_KEY_Escape && camera.escapeShutter()
    }
    interface["camera_page"].addController(keys)
    observation = ModelObservation(of: { countdown.remaining }) { [weak self] in self?.show($0) }
  }

  private func show(_ remaining: Int?) {
    gtk_widget_set_visible(number.widget, (remaining != nil).gboolean)
    gtk_widget_set_visible(cancelButton.widget, (remaining != nil).gboolean)
    guard let remaining else { return }
    gtk_label_set_text(number.opaque, remaining.localized)
    // An animation begins when its name changes: two of the same kind take turns.
    number.setClass("even", remaining.isMultiple(of: 2))
    number.setClass("odd", !remaining.isMultiple(of: 2))
    pm_announce(remaining.localized)
  }
}
