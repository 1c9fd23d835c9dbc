// The series of photos that is being taken, or those of the photo booth: their number over the picture, and the button that stops it.

import CGtk
import CameraModels
import GtkShim

/// Follows the series of a `CameraModel`. The button is bound to an action.
@MainActor final class IntervalBadge {
  private let badge: GObjectRef
  private let label: GObjectRef
  private let stop: GObjectRef
  private var observations: [ModelObservation] = []

  init(interface: Interface, model: CameraModel) {
    badge = interface["interval_badge"]
    label = interface["interval_label"]
    stop = interface["interval_stop"]
    observations = [
      ModelObservation(of: { model.seriesText }) { [weak self] in self?.show($0) },
      // The countdown of the photo booth has a button of its own.
      ModelObservation(of: { model.intervals.isRunning }) { [weak self] isRunning in
        guard let self else { return }
        gtk_widget_set_visible(stop.widget, isRunning.gboolean)
      },
    ]
  }

  private func show(_ text: String?) {
    gtk_widget_set_visible(badge.widget, (text != nil).gboolean)
    if let text { gtk_label_set_text(label.opaque, text) }
  }
}
