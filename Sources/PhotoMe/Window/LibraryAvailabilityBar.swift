// The bar under every page that says that the library's disk is away. It goes when the disk is back.

import CGtk
import CameraModels
import GtkShim

/// Follows a `LibraryAvailabilityModel`.
@MainActor final class LibraryAvailabilityBar {
  private let revealer: GObjectRef
  private let label: GObjectRef
  private var observation: ModelObservation?

  init(interface: Interface, model: LibraryAvailabilityModel) {
    revealer = interface["unavailable_bar"]
    label = interface["unavailable_label"]
    interface["unavailable_look"].on("clicked") { model.tryAgain() }
    observation = ModelObservation(of: { model.text }) { [weak self] in self?.show($0) }
  }

  private func show(_ text: String?) {
    // What was said last stays while the bar goes.
    if let text {
      gtk_label_set_text(label.opaque, text)
      pm_announce(text)
    }
    gtk_revealer_set_reveal_child(revealer.opaque, (text != nil).gboolean)
  }
}
