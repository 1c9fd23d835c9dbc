// The series of photos that is being taken, or those of the photo booth: their number over the picture, and the button that stops it.

import CGtk
import CameraModels
import GtkShim

/// Follows the series of a `CameraModel`. The button is bound to an action.
@MainActor final class IntervalBadge {
  private let badge: GObjectRef
  private let label: GObjectRef
  private var observation: ModelObservation?

  init(interface: Interface, model: CameraModel) {
    badge = interface["interval_badge"]
    label = interface["interval_label"]
    observation = ModelObservation(of: { model.seriesText }) { [weak self] in self?.show($0) }
  }

  private func show(_ text: String?) {
    gtk_widget_set_visible(badge.widget, (text != nil).gboolean)
    if let text { gtk_label_set_text(label.opaque, text) }
  }
}
