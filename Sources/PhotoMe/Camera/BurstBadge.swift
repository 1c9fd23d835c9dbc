// The number of photos in the burst that is being taken, over the picture.

import CGtk
import CameraModels
import GtkShim
import Localization

/// Follows a `BurstModel`.
@MainActor final class BurstBadge {
  private let label: GObjectRef
  private var observation: ModelObservation?

  init(interface: Interface, burst: BurstModel) {
    label = interface["burst_count"]
    observation = ModelObservation(of: { burst.count }) { [weak self] in self?.show($0) }
  }

  private func show(_ count: Int?) {
    gtk_widget_set_visible(label.widget, (count != nil).gboolean)
    if let count { gtk_label_set_text(label.opaque, count.localized) }
  }
}
